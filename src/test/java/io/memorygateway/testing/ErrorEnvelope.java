package io.memorygateway.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Contract §3: what every error looks like, whoever raised it. */
public final class ErrorEnvelope {
  /** Tests put this wherever a careless server would echo it. */
  public static final String ECHO = "zebra";

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private ErrorEnvelope() {}

  /** Checks an answer, and returns its {@code error} object. */
  public static JsonNode check(RawAnswer answer, int status, String type) {
    assertThat(answer.status()).as(answer.toString()).isEqualTo(status);
    assertThat(answer.header("Content-Type")).isEqualTo("application/json");
    assertThat(answer.header("X-Request-Id")).isNotBlank();
    assertThat(answer.header("request-id")).isEqualTo(answer.header("X-Request-Id"));
    assertThat(answer.header("Server")).isNull();
    assertThat(String.join("\n", answer.headers())).doesNotContain(ECHO);
    return checkBody(answer.body(), status, type);
  }

  /** The same, for an answer that a real client read. */
  public static JsonNode check(HttpResponse<String> answer, int status, String type) {
    List<String> headers =
        answer.headers().map().entrySet().stream()
            .flatMap(header -> header.getValue().stream().map(v -> header.getKey() + ": " + v))
            .toList();
    return check(new RawAnswer(answer.statusCode(), headers, answer.body()), status, type);
  }

  private static JsonNode checkBody(String body, int status, String type) {
    JsonNode json;
    try {
      json = JSON.readTree(body);
    } catch (JsonProcessingException e) {
      throw new AssertionError("no JSON: " + body, e);
    }
    // The path is not known here: on /v1/messages there is a mark for Anthropic's SDKs.
    assertThat(names(json)).isIn(Set.of("error"), Set.of("type", "error"));
    assertThat(json.path("type").asText("error")).isEqualTo("error");
    JsonNode error = json.get("error");
    assertThat(names(error))
        .isEqualTo(
            switch (status) {
              case 402 -> Set.of("message", "type", "scope", "resets_at");
              case 429 -> Set.of("message", "type", "scope", "retry_after_seconds");
              default -> Set.of("message", "type");
            });
    assertThat(error.get("type").asText()).as(body).isEqualTo(type);
    assertThat(error.get("message").isTextual()).isTrue();
    // A widely used client takes the text 404 for "not found", wherever it stands.
    assertThat(error.get("message").asText())
        .isNotBlank()
        .doesNotContain(ECHO)
        .doesNotContain("<", "Exception", "java", "jetty", "memorygateway", "null", "404");
    return error;
  }

  private static Set<String> names(JsonNode object) {
    Set<String> names = new TreeSet<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }
}
