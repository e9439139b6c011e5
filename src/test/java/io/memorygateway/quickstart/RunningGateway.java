package io.memorygateway.quickstart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** The gateway that was just started, seen from outside. */
record RunningGateway(int port, int adminPort, HttpClient http) {
  /** The health check that waits for the key to be printed; everything else comes before it. */
  static final String GREETING = "quickstart";

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  RunningGateway(int port, int adminPort) {
    this(port, adminPort, HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build());
  }

  /** Where a server that has started listens, whatever ports it was told. */
  static RunningGateway of(Server server) {
    return new RunningGateway(port(server, "application"), port(server, "admin"));
  }

  private static int port(Server server, String name) {
    return Arrays.stream(server.getConnectors())
        .filter(ServerConnector.class::isInstance)
        .map(ServerConnector.class::cast)
        .filter(connector -> name.equals(connector.getName()))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("there is no " + name + " connector"))
        .getLocalPort();
  }

  String url() {
    return "http://127.0.0.1:" + port;
  }

  String adminUrl() {
    return "http://127.0.0.1:" + adminPort;
  }

  /** Returns once the health check of the admin port says that all but the greeting is there. */
  void awaitHealthy() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    HttpResponse<String> health = send(request(adminUrl() + "/healthcheck"));
    while (!isWell(health)) {
      if (System.nanoTime() > deadline) {
        throw new IOException("the gateway does not become healthy: " + health.body());
      }
      Thread.sleep(100);
      health = send(request(adminUrl() + "/healthcheck"));
    }
  }

  private static boolean isWell(HttpResponse<String> health) throws IOException {
    if (health.statusCode() == 200) {
      return true;
    }
    JsonNode checks = new ObjectMapper().readTree(health.body());
    return checks.has(GREETING)
        && checks.properties().stream()
            .allMatch(
                check ->
                    check.getKey().equals(GREETING)
                        || check.getValue().path("healthy").asBoolean());
  }

  /** Whether the database knows this key and has not revoked it. */
  boolean accepts(String key) throws IOException, InterruptedException {
    return send(request(url() + "/v1/models").header("Authorization", "Bearer " + key)).statusCode()
        != 401;
  }

  /** Issues a key through the admin port. */
  String issueKey() throws IOException, InterruptedException {
    HttpResponse<String> answer =
        send(
            request(adminUrl() + "/tasks/key-issue?project=default&name=quickstart")
                .POST(HttpRequest.BodyPublishers.noBody()));
    if (answer.statusCode() != 200) {
      throw new IOException("no key could be issued: " + answer.body());
    }
    return new ObjectMapper().readTree(answer.body()).path("key").asText();
  }

  private static HttpRequest.Builder request(String url) {
    return HttpRequest.newBuilder(URI.create(url)).timeout(TIMEOUT);
  }

  private HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }
}
