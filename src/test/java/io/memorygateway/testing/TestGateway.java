package io.memorygateway.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AsyncAppenderBase;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.spi.AppenderAttachable;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.dropwizard.core.Application;
import io.dropwizard.core.setup.Environment;
import io.dropwizard.lifecycle.Managed;
import io.dropwizard.testing.DropwizardTestSupport;
import io.memorygateway.MemoryGatewayApplication;
import io.memorygateway.MemoryGatewayConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.Connector;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The whole gateway with the shipped config.yml, on free ports, in front of a {@link FakeUpstream}
 * that stands for every provider. Register it in a static field after the database and upstream
 * that it uses; it has a key of the project {@code test}.
 */
public final class TestGateway extends ReachableGateway
    implements BeforeAllCallback, AfterAllCallback {
  /** The configured key of every provider, as the upstream should see it. */
  public static final String PROVIDER_KEY = "sk-of-the-gateway";

  private static final Logger LOG = LoggerFactory.getLogger(TestGateway.class);
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  private final TestDatabase database;
  private final FakeUpstream upstream;
  private Consumer<ObjectNode> edits = config -> {};
  private final Map<String, String> environment = new HashMap<>();
  private Managed whileStarting = new Managed() {};
  private DropwizardTestSupport<MemoryGatewayConfiguration> running;
  private Path folder;
  private boolean issuesKey = true;
  private boolean patient = true;
  private String key;

  public TestGateway(TestDatabase database, FakeUpstream upstream) {
    this.database = database;
    this.upstream = upstream;
  }

  /** Changes the shipped configuration before the start. */
  public TestGateway configured(Consumer<ObjectNode> edit) {
    edits = edits.andThen(edit);
    return this;
  }

  /** Sets an environment variable that config.yml honours; null unsets it. */
  public TestGateway with(String name, String value) {
    environment.put(name, value);
    return this;
  }

  /**
   * Gives up on its database and its clients as soon as the shipped configuration says: for tests
   * of a database that is away, slow or locked. Others wait longer than a busy machine stands
   * still.
   */
  public TestGateway withShippedTimeouts() {
    patient = false;
    return this;
  }

  /** Issues no key at the start: for an admin port that asks for a login. */
  public TestGateway withoutKey() {
    issuesKey = false;
    return this;
  }

  /** Called while the server starts, after everything that was wired before it. */
  public TestGateway whileStarting(Managed look) {
    whileStarting = look;
    return this;
  }

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    start();
  }

  @Override
  public void afterAll(ExtensionContext context) throws Exception {
    if (running != null) { // null where the start of the class failed
      stop();
    }
    assertThat(CaughtStatements.homeless()).as("statements that no home is named in").isEmpty();
  }

  public void start() throws Exception {
    folder = Files.createTempDirectory("memory-gateway-test");
    Map<String, String> all = new HashMap<>();
    all.put("GATEWAY_PORT", "0");
    all.put("GATEWAY_ADMIN_PORT", "0");
    all.put("DATABASE_URL", database.url());
    all.put("DATABASE_USER", database.user());
    all.put("DATABASE_PASSWORD", database.password());
    all.put("OPENAI_BASE_URL", upstream.url() + "/openai/v1");
    all.put("ANTHROPIC_BASE_URL", upstream.url() + "/anthropic");
    all.put("GEMINI_BASE_URL", upstream.url() + "/google");
    all.put("OPENROUTER_BASE_URL", upstream.url() + "/openrouter/v1");
    for (String provider : new String[] {"OPENAI", "ANTHROPIC", "GEMINI", "OPENROUTER"}) {
      all.put(provider + "_API_KEY", PROVIDER_KEY);
    }
    environment.forEach(
        (name, value) -> {
          if (value == null) {
            all.remove(name);
          } else {
            all.put(name, value);
          }
        });
    running =
        new DropwizardTestSupport<>(MemoryGatewayApplication.class, configFile().toString()) {
          @Override
          public Application<MemoryGatewayConfiguration> newApplication() {
            return new MemoryGatewayApplication(all);
          }
        };
    running.addListener(
        new DropwizardTestSupport.ServiceListener<>() {
          @Override
          public void onRun(
              MemoryGatewayConfiguration configuration,
              Environment environment,
              DropwizardTestSupport<MemoryGatewayConfiguration> support) {
            environment.lifecycle().manage(whileStarting);
          }
        });
    running.before();
    if (issuesKey) {
      key = issueKey("test");
    }
  }

  public void stop() throws IOException {
    if (patient) {
      // The tests' clients keep their connections, which are given a second otherwise.
      for (Connector each :
          running.getEnvironment().getApplicationContext().getServer().getConnectors()) {
        ((AbstractConnector) each).setShutdownIdleTimeout(10);
      }
    }
    running.after();
    try (var files = Files.walk(folder)) {
      files.sorted(java.util.Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }
  }

  private Path configFile() throws IOException {
    ObjectNode config = (ObjectNode) YAML.readTree(Path.of("config.yml").toFile());
    ObjectNode logging = (ObjectNode) config.get("logging");
    ((ObjectNode) logging.get("loggers")).remove("io.memorygateway.access");
    logging
        .putArray("appenders")
        .addObject()
        .put("type", "file")
        .put("currentLogFilename", logFile().toString())
        .put("archive", false)
        // Or lines would be left out when many come at once.
        .put("discardingThreshold", 0);
    if (patient) {
      waitLong(config);
    }
    // Tests share resources: the other threads of one are quoted where a test is about that.
    config.withObject("/recall").put("scope", "thread");
    config
        .withObject("/database")
        .withObject("/properties")
        .put("queryInterceptors", CaughtStatements.class.getName());
    String homes = System.getenv("DATABASE_HOMES");
    if (homes != null) {
      ArrayNode all = config.withObject("/database").putArray("homes");
      Arrays.stream(homes.split(" ")).map(Integer::valueOf).forEach(all::add);
    }
    edits.accept(config);
    Path file = folder.resolve("config.yml");
    YAML.writeValue(file.toFile(), config);
    return file;
  }

  private static void waitLong(ObjectNode config) {
    config
        .withObject("/database")
        .put("maxWaitForConnection", "1m")
        .withObject("/properties")
        .put("connectTimeout", "60000")
        .put("socketTimeout", "60000");
    config.withObject("/rateLimits").put("timeout", "30s");
    config.withObject("/recall").put("timeout", "30s");
    config.withObject("/search").put("embeddingTimeout", "10s");
    config.withObject("/concurrency").put("maxWait", "1m");
    config.withObject("/slowRequests").put("headTimeout", "10m").put("bodyGrace", "10m");
    for (String connectors : List.of("applicationConnectors", "adminConnectors")) {
      // A client that keeps a connection may send its next request just when it is closed.
      ((ObjectNode) config.at("/server/" + connectors + "/0")).put("idleTimeout", "10m");
    }
  }

  @Override
  public String log() throws IOException {
    if (logsHere()) {
      // A thread of the logging library writes the file, in the order of the lines.
      String marker = "read at " + UUID.randomUUID();
      LOG.warn(marker);
      await()
          .pollInterval(Duration.ofMillis(2))
          .until(() -> Files.readString(logFile()).contains(marker));
    }
    return Files.readString(logFile());
  }

  /**
   * Whether this gateway's file is the one that is written: a JVM has one log, that of the gateway
   * that was started last.
   */
  private boolean logsHere() {
    ch.qos.logback.classic.Logger root =
        (ch.qos.logback.classic.Logger)
            LoggerFactory.getLogger(ch.qos.logback.classic.Logger.ROOT_LOGGER_NAME);
    return appenders(root)
        .flatMap(
            appender ->
                appender instanceof AsyncAppenderBase<ILoggingEvent> queue
                    ? appenders(queue)
                    : Stream.of(appender))
        .anyMatch(
            appender ->
                appender instanceof FileAppender<ILoggingEvent> file
                    && logFile().toString().equals(file.getFile()));
  }

  private static Stream<Appender<ILoggingEvent>> appenders(AppenderAttachable<ILoggingEvent> to) {
    Iterable<Appender<ILoggingEvent>> attached = to::iteratorForAppenders;
    return StreamSupport.stream(attached.spliterator(), false);
  }

  /** Has the JVM's log written to this gateway's file, also if another one was started since. */
  void takeLog() {
    if (!logsHere()) {
      running
          .getConfiguration()
          .getLoggingFactory()
          .configure(running.getEnvironment().metrics(), running.getApplication().getName());
    }
  }

  private Path logFile() {
    return folder.resolve("gateway.log");
  }

  @Override
  public int port() {
    return running.getLocalPort();
  }

  @Override
  int adminPort() {
    return running.getAdminPort();
  }

  /** A valid key of the project {@code test}. */
  @Override
  public String key() {
    return key;
  }
}
