package io.memorygateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Contract §1 to §3: no secret is in any answer, log, metric or table, whatever is called and
 * however it fails.
 */
class SecretsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .with("GEMINI_BASE_URL", "http://127.0.0.1:" + FakeUpstream.closedPort())
          .configured(
              config -> config.withObject("/logging/loggers").put("io.memorygateway", "DEBUG"));

  private static final String OWN_KEY = "sk-callers-own-9f8e7d6c";
  private static final String UNKNOWN_KEY = "msk_00000000000000000000000000000000";

  private final List<String> seen = new ArrayList<>();

  @Test
  void noSecretIsFoundAnywhere() throws Exception {
    everyKindOfCall();
    everyKindOfFailure();
    List<String> secrets = everyAdminTask();

    for (String path :
        List.of(
            "/metrics",
            "/healthcheck",
            "/threads",
            "/ping",
            "/",
            "/admin/api/overview",
            "/admin/api/providers")) {
      see(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + path)));
    }
    // Written in the background.
    await().until(() -> GATEWAY.log().contains("failed before its answer"));
    seen.add(GATEWAY.log());
    seen.add(everythingStored());

    secrets.addAll(List.of(GATEWAY.key(), TestGateway.PROVIDER_KEY, OWN_KEY, UNKNOWN_KEY));
    assertThat(seen).hasSizeGreaterThan(50);
    for (String secret : secrets) {
      assertThat(seen).noneMatch(contains(secret));
    }
    // The calls did what they were meant to.
    assertThat(seen).anyMatch(contains("Bad key: ***"));
  }

  private void everyKindOfCall() throws Exception {
    for (String stream : List.of("false", "true")) {
      see(call("chat/completions", "gpt-5", stream));
      see(call("responses", "gpt-5", stream));
      see(call("messages", "claude-sonnet-4-5", stream));
      see(
          call("chat/completions", "gpt-5", stream, "Authorization", "Bearer " + OWN_KEY)
              .header("X-Memory-Gateway-Authorization", "Bearer " + GATEWAY.key()));
    }
    see(call("messages/count_tokens", "claude-sonnet-4-5", "false"));
    see(call("embeddings", "text-embedding-3-small", "false"));
    see(GATEWAY.request("/v1/models"));
    see(
        call(
            "chat/completions",
            "gpt-5\",\"models\":[\"openai/" + GATEWAY.key() + "\"],\"x\":\"",
            "false"));
    for (String key : List.of(GATEWAY.key(), "of-" + GATEWAY.key(), OWN_KEY)) {
      see(call("chat/completions", "gpt-5", "false").header("X-Request-Id", key));
    }
  }

  private void everyKindOfFailure() throws Exception {
    for (String path : List.of("/v1/models", "/zebra", "/v1/chat/completions?key=" + UNKNOWN_KEY)) {
      see(
          HttpRequest.newBuilder(URI.create(GATEWAY.url() + path))
              .header("x-api-key", UNKNOWN_KEY));
    }
    see(GATEWAY.request("/zebra/" + GATEWAY.key() + "?key=" + GATEWAY.key()));
    see(GATEWAY.request("/v1/chat/completions?key=" + GATEWAY.key()));
    see(call("chat/completions", "gemini-2.5-pro", "false"));
    see(call("messages", "gpt-5", "false"));
    see(call("chat/completions", "gpt-5", "\"" + GATEWAY.key() + "\""));

    for (Answer answer :
        List.of(
            echoOfKey(
                401, "application/json", "{\"error\":{\"message\":\"Bad key: KEY\",\"KEY\":1}}"),
            echoOfKey(403, "application/json", "{\"detail\":\"KEY\",\"more\":\"KEY\"}"),
            echoOfKey(500, "text/html", "<html>KEY</html>"),
            echoOfKey(429, "text/plain", "slow down, KEY"),
            Answer.reset(),
            Answer.close(),
            Answer.garbage(),
            Answer.resetAfterHeaders(),
            Answer.resetInBody(),
            Answer.html(200),
            Answer.sseThen(List.of("data: {\"id\":1}\n\n"), Answer.reset()))) {
      UPSTREAM.answerAlways(answer);
      see(call("chat/completions", "gpt-5", "false"));
      see(call("messages", "claude-sonnet-4-5", "true").header("X-Request-Id", GATEWAY.key()));
      see(
          call("chat/completions", "gpt-5", "false", "x-api-key", OWN_KEY)
              .header("X-Memory-Gateway-Authorization", "Bearer " + GATEWAY.key()));
    }
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.send("GET /" + GATEWAY.key() + "%zz HTTP/1.1\r\nHost: " + GATEWAY.key() + "\r\n\r\n");
      seen.add(client.readAnswer());
    }
  }

  /** An upstream that says what key it was given, as some do. */
  private static Answer echoOfKey(int status, String type, String body) {
    return exchange -> {
      var headers = exchange.request().headers();
      String key =
          headers.containsKey("x-api-key")
              ? headers.get("x-api-key").get(0)
              : headers.get("authorization").get(0).substring("Bearer ".length());
      new Answer.HttpAnswer(status, List.of("Content-Type: " + type), body.replace("KEY", key))
          .header("X-Given-Key", key)
          .header("X-RateLimit-Key", "none")
          .write(exchange);
    };
  }

  /** Returns the secrets that it was told, which the answers of issue and rotate may hold. */
  private List<String> everyAdminTask() throws Exception {
    JsonNode issued = GATEWAY.task("key-issue?project=secret&name=it");
    String id = issued.path("id").asText();
    JsonNode rotated = GATEWAY.task("key-rotate?id=" + id);
    for (String task :
        List.of(
            "circuit",
            "key-list",
            "key-limits?id=" + id + "&rule=global&limit=5",
            "key-revoke?id=" + id,
            "key-rotate?id=" + id,
            "key-revoke?id=" + GATEWAY.key(),
            "key-issue?project=" + GATEWAY.key(),
            "key-" + GATEWAY.key())) {
      see(
          HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/tasks/" + task))
              .POST(HttpRequest.BodyPublishers.noBody()));
    }
    return new ArrayList<>(List.of(issued.path("key").asText(), rotated.path("key").asText()));
  }

  private static HttpRequest.Builder call(String endpoint, String model, String stream) {
    return call(endpoint, model, stream, "x-api-key", GATEWAY.key());
  }

  private static HttpRequest.Builder call(
      String endpoint, String model, String stream, String header, String value) {
    String body =
        "{\"model\":\"%s\",\"stream\":%s,\"messages\":[],\"input\":\"hi\"}"
            .formatted(model, stream);
    return HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/v1/" + endpoint))
        .header(header, value)
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body));
  }

  private void see(HttpRequest.Builder request) throws Exception {
    HttpResponse<String> answer = GATEWAY.send(request);
    seen.add(answer.statusCode() + " " + answer.headers().map() + " " + answer.body());
    assertThat(answer.headers().firstValue("X-Request-Id")).isPresent();
  }

  private static String everythingStored() throws Exception {
    StringBuilder all = new StringBuilder();
    try (Connection connection = DATABASE.connect();
        ResultSet tables =
            connection.getMetaData().getTables(connection.getCatalog(), null, "%", null)) {
      while (tables.next()) {
        ResultSet rows =
            connection
                .createStatement()
                .executeQuery("SELECT * FROM `" + tables.getString("TABLE_NAME") + "`");
        while (rows.next()) {
          for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
            all.append(rows.getString(i)).append('\n');
          }
        }
      }
    }
    assertThat(all).contains("api-keys").contains(GATEWAY.key().substring(0, 8));
    return all.toString();
  }

  private static Predicate<String> contains(String secret) {
    return text -> text.contains(secret);
  }
}
