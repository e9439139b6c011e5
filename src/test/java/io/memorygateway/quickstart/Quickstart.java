package io.memorygateway.quickstart;

import com.codahale.metrics.health.HealthCheck;
import io.memorygateway.MemoryGatewayApplication;
import io.memorygateway.testing.EmbeddedMariaDb;
import io.memorygateway.testing.PrivateFile;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.server.Server;
import org.jspecify.annotations.Nullable;

/**
 * The whole gateway in one process and one command, on an embedded database, for a first look and
 * for development: {@code ops/quickstart}. Not in the production jar.
 */
public final class Quickstart {
  private final Map<String, String> environment = new HashMap<>();
  private final Path dataFolder;

  private Quickstart(Map<String, String> given) {
    environment.putAll(given);
    environment.values().removeIf(String::isBlank);
    // Nobody balances load here: Ctrl-C need not wait for it.
    environment.putIfAbsent("SHUTDOWN_DELAY", "0s");
    dataFolder =
        Path.of(environment.getOrDefault("GATEWAY_DATA_DIR", ".quickstart")).toAbsolutePath();
  }

  /** Takes no arguments: everything is in the environment (contract §9). */
  public static void main(String[] args) {
    try {
      new Quickstart(System.getenv()).run();
    } catch (Exception e) {
      System.err.println("quickstart: " + e.getMessage());
      // The shutdown hooks stop what was started.
      System.exit(1);
    }
  }

  private void run() throws Exception {
    String configuration = configurationFile(environment);
    requireFree(environment, "GATEWAY_PORT", "8080", null);
    requireFree(environment, "GATEWAY_ADMIN_PORT", "8081", InetAddress.getLoopbackAddress());
    PrivateFile.createFolder(dataFolder);
    StoredKey storedKey = StoredKey.in(dataFolder, environment.get("DATABASE_URL"));
    Optional<StopOrder> database = startDatabase();
    Upstreams upstreams =
        Upstreams.needSample(environment)
            ? Upstreams.sample(environment, SampleUpstream.start(25).url())
            : Upstreams.of(environment);

    say("bringing the database up to date");
    migrate(upstreams.environment(), configuration);
    say("starting the gateway");
    AtomicBoolean greeted = new AtomicBoolean();
    AtomicReference<Server> server = new AtomicReference<>();
    new MemoryGatewayApplication(
            upstreams.environment(),
            more -> {
              more.healthChecks().register(RunningGateway.GREETING, new Greeting(greeted));
              more.lifecycle().addServerLifecycleListener(server::set);
            })
        .run("server", configuration);
    database.ifPresent(StopOrder::moveToTheEnd);
    RunningGateway gateway = RunningGateway.of(server.get());
    gateway.awaitHealthy();

    Optional<String> known = storedKey.read();
    if (known.isEmpty() || !gateway.accepts(known.get())) {
      storedKey.write(gateway.issueKey());
    }
    greet(gateway, storedKey.read().orElseThrow(), upstreams);
    greeted.set(true);
  }

  /** Scripts wait for {@code /healthcheck} and then look for the key in what was printed. */
  private static final class Greeting extends HealthCheck {
    private final AtomicBoolean greeted;

    Greeting(AtomicBoolean greeted) {
      this.greeted = greeted;
    }

    @Override
    protected Result check() {
      return greeted.get()
          ? Result.healthy("the key has been printed")
          : Result.unhealthy("the key has not been printed yet");
    }
  }

  /**
   * The configuration file that the environment names, else the one that is shipped.
   *
   * @throws IOException if there is no such file; the message names it
   */
  static String configurationFile(Map<String, String> environment) throws IOException {
    String named = environment.getOrDefault("GATEWAY_CONFIG", "config.yml");
    if (!Files.isRegularFile(Path.of(named))) {
      throw new IOException("there is no configuration file " + named + ": see GATEWAY_CONFIG");
    }
    return named;
  }

  private static void migrate(Map<String, String> environment, String configuration)
      throws Exception {
    PrintStream out = System.out;
    // Liquibase reports on standard output, which is for the user here. Failures go to the other.
    System.setOut(new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8));
    try {
      new MemoryGatewayApplication(environment).run("db", "migrate", configuration);
    } finally {
      System.setOut(out);
    }
  }

  private Optional<StopOrder> startDatabase() {
    if (environment.containsKey("DATABASE_URL")) {
      return Optional.empty();
    }
    say("starting the database (the first time this unpacks it, 0.4 GB) in " + dataFolder);
    EmbeddedMariaDb mariadb = EmbeddedMariaDb.start(dataFolder);
    StopOrder stopOrder = StopOrder.register(mariadb);
    environment.put("DATABASE_URL", mariadb.jdbcUrl("memory_gateway") + "&sslMode=DISABLED");
    environment.put("DATABASE_USER", mariadb.user());
    environment.put("DATABASE_PASSWORD", mariadb.password());
    return Optional.of(stopOrder);
  }

  /**
   * Looks at the port that a variable names, so that nothing is started in vain. 0 is whatever port
   * is free when the gateway takes it.
   *
   * @throws IOException if it is no port, or in use; the message tells which, and names the
   *     variable
   */
  static void requireFree(
      Map<String, String> environment,
      String variable,
      String otherwise,
      @Nullable InetAddress address)
      throws IOException {
    String text = environment.getOrDefault(variable, otherwise);
    int wanted = text.matches("\\d{1,5}") ? Integer.parseInt(text) : -1;
    if (wanted < 0 || wanted > 65535) {
      throw new IOException(variable + " is not a port: " + text);
    }
    try (ServerSocket probe = new ServerSocket()) {
      probe.bind(new InetSocketAddress(address, wanted));
    } catch (IOException e) {
      throw new IOException(
          "port " + wanted + " is in use: stop what listens there, or set " + variable, e);
    }
  }

  private static void say(String what) {
    System.err.println("quickstart: " + what);
  }

  private void greet(RunningGateway gateway, String key, Upstreams upstreams) {
    String url = gateway.url();
    String upstream =
        upstreams.sample()
            ? "a sample on loopback that only echoes, because no provider key is set; set"
                + " OPENAI_API_KEY,\n               ANTHROPIC_API_KEY, GEMINI_API_KEY or"
                + " OPENROUTER_API_KEY for a real one"
            : String.join(", ", upstreams.configured().stream().map(Provider::wireName).toList());
    System.out.printf(
        """

        Memory Gateway is up. Ctrl-C stops it.

          application  %s  (OpenAI SDKs: %s/v1)
          admin        %s
          console      %s/
          key          %s
          data         %s
          upstream     %s

        Try it:

        %s

        """,
        url,
        url,
        gateway.adminUrl(),
        gateway.adminUrl(),
        key,
        dataFolder,
        upstream,
        ExampleCall.of(upstreams).curl(url, key));
    System.out.flush();
  }
}
