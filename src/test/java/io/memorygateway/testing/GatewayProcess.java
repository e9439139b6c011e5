package io.memorygateway.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.MemoryGatewayApplication;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A gateway in a process of its own, to be told to end as an operator does it. */
public final class GatewayProcess implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** What it says when it is up. */
  private static final Pattern UP = Pattern.compile("application port (\\d+), admin port (\\d+)");

  private static final Logger LOG = LoggerFactory.getLogger(GatewayProcess.class);

  private final Process process;
  private final int port;
  private final int adminPort;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final Path log;

  private GatewayProcess(Process process, Path log, int port, int adminPort) {
    this.process = process;
    this.log = log;
    this.port = port;
    this.adminPort = adminPort;
  }

  /**
   * Starts one with the shipped config.yml, and returns when it is healthy.
   *
   * @param log gets what it writes
   */
  public static GatewayProcess start(
      TestDatabase database, FakeUpstream upstream, Map<String, String> environment, Path log)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(JavaCommand.of(MemoryGatewayApplication.class, "server", "config.yml"));
    Map<String, String> all = builder.environment();
    all.put("GATEWAY_PORT", "0");
    all.put("GATEWAY_ADMIN_PORT", "0");
    all.put("DATABASE_URL", database.url());
    all.put("DATABASE_USER", database.user());
    all.put("DATABASE_PASSWORD", database.password());
    all.put("OPENAI_BASE_URL", upstream.url() + "/openai/v1");
    all.put("OPENAI_API_KEY", TestGateway.PROVIDER_KEY);
    all.putAll(environment);
    Process process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    long deadline = System.nanoTime() + TestTimeout.DEFAULT.toNanos();
    while (true) {
      Matcher up = UP.matcher(Files.readString(log, StandardCharsets.ISO_8859_1));
      if (up.find()) {
        GatewayProcess gateway =
            new GatewayProcess(
                process, log, Integer.parseInt(up.group(1)), Integer.parseInt(up.group(2)));
        if (gateway.adminStatus("/healthcheck") == 200) {
          return gateway;
        }
      }
      if (!process.isAlive() || System.nanoTime() > deadline) {
        process.destroyForcibly();
        throw new AssertionError("the gateway did not come up: " + Files.readString(log));
      }
      Thread.sleep(100);
    }
  }

  public int port() {
    return port;
  }

  public String url() {
    return "http://127.0.0.1:" + port;
  }

  /** A new key of the project {@code test}. */
  public String issueKey() throws IOException, InterruptedException {
    return task("key-issue?project=test&name=it").path("key").asText();
  }

  public JsonNode task(String nameAndWords) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + adminPort + "/tasks/" + nameAndWords))
            .POST(HttpRequest.BodyPublishers.noBody())
            .build();
    return JSON.readTree(http.send(request, HttpResponse.BodyHandlers.ofString()).body());
  }

  /** The status of an answer on the application port; 0 if there is none. */
  public int status(String path) throws InterruptedException {
    return status(url(), path);
  }

  public int adminStatus(String path) throws InterruptedException {
    return status("http://127.0.0.1:" + adminPort, path);
  }

  private int status(String base, String path) throws InterruptedException {
    try {
      HttpRequest request = HttpRequest.newBuilder(URI.create(base + path)).build();
      return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    } catch (IOException e) {
      return 0;
    }
  }

  /** Sends TERM. */
  public void terminate() {
    process.destroy();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Waits for the end; the exit status. */
  public int awaitEnd() throws InterruptedException {
    if (!process.waitFor(TestTimeout.SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("the gateway did not end");
    }
    return process.exitValue();
  }

  /** Ends it, and shows what it wrote among what the other gateways of the tests write. */
  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    LOG.info("{}", Files.readString(log, StandardCharsets.ISO_8859_1));
  }
}
