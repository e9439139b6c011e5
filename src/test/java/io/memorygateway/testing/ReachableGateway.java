package io.memorygateway.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;

/** A gateway in this JVM, to be called with a key of a project. */
public abstract class ReachableGateway {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  public abstract int port();

  abstract int adminPort();

  /** A valid key. */
  public abstract String key();

  /** Everything that it logged for this test class until now. */
  public abstract String log() throws IOException;

  /**
   * The errors that it logged. Those of the exporter of spans are left out: its threads may outlive
   * a gateway of another test, and all gateways of a JVM share a log. So are those of health
   * checks, which tell how long the database took, also that of a busy machine.
   */
  public List<String> errors() throws IOException {
    return log()
        .lines()
        .filter(
            line ->
                line.startsWith("ERROR")
                    && !line.contains("io.opentelemetry.exporter")
                    && !line.contains("io.dropwizard.health"))
        .toList();
  }

  /** The lines that it logged with a stack trace; those of the exporter are left out likewise. */
  public List<String> stackTraces() throws IOException {
    return Arrays.stream(log().split("\n(?!!)", -1))
        .filter(line -> line.contains("\n! at ") && !line.contains("io.opentelemetry.exporter"))
        .toList();
  }

  /** {@code http://127.0.0.1:PORT}. */
  public String url() {
    return "http://127.0.0.1:" + port();
  }

  public String adminUrl() {
    return "http://127.0.0.1:" + adminPort();
  }

  /** A new key, by the admin task. */
  public String issueKey(String project) throws IOException, InterruptedException {
    return task("key-issue?name=it&project=" + project).path("key").asText();
  }

  /** What an admin task answers, which has to be 200. */
  public JsonNode task(String nameAndWords) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        send(
            HttpRequest.newBuilder(URI.create(adminUrl() + "/tasks/" + nameAndWords))
                .POST(HttpRequest.BodyPublishers.noBody()));
    if (answer.statusCode() != 200) {
      throw new AssertionError(answer.statusCode() + " " + answer.body());
    }
    return JSON.readTree(answer.body());
  }

  /** A request with the key. */
  public HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(url() + path))
        .header("Authorization", "Bearer " + key());
  }

  public HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send(request(path));
  }

  public HttpResponse<String> post(String path, String json)
      throws IOException, InterruptedException {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json)));
  }

  public HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }
}
