package io.memorygateway.format.answer;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.json.JsonValue;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is stored of an answer beside its messages, bounded in size. */
class AnswerMetadataTest {
  @Test
  void membersAreVerbatimExceptThoseLeftOut() {
    JsonValue answer = JsonValue.of("{\"id\":\"a\\u0062\",\"n\":1.0,\"output\":[1],\"x\":{ }}");
    assertThat(AnswerMetadata.members(answer, Set.of("output")))
        .containsExactly("\"id\":\"a\\u0062\"", "\"n\":1.0", "\"x\":{ }");
  }

  @Test
  void aMemberOfMoreThan2048CharactersIsStoredEmptyAsWhatItIs() {
    String fits = "\"" + "a".repeat(2046) + "\"";
    String large = "\"" + "a".repeat(2047) + "\"";
    assertThat(members("{\"m\":" + fits + "}")).isEqualTo("{\"m\":" + fits + "}");
    assertThat(members("{\"m\":" + large + "}")).isEqualTo("{\"m\":null}");
    assertThat(members("{\"m\":[" + large + "]}")).isEqualTo("{\"m\":[]}");
    assertThat(members("{\"m\":{\"k\":" + large + "}}")).isEqualTo("{\"m\":{}}");
  }

  @Test
  void allMembersTogetherAreBounded() {
    StringBuilder object = new StringBuilder("{\"m0\":1");
    for (int i = 1; i < 100; i++) {
      object.append(",\"m").append(i).append("\":\"").append("a".repeat(1_000)).append('"');
    }
    assertThat(members(object.append('}').toString()).length()).isBetween(16 << 10, 18 << 10);
  }

  @Test
  void aMemberThatIsMissingIsNull() {
    JsonValue answer = JsonValue.of("{\"a\":[1, 2]}");
    assertThat(AnswerMetadata.raw(answer, "a")).isEqualTo("[1, 2]");
    assertThat(AnswerMetadata.raw(answer, "b")).isEqualTo("null");
  }

  @Test
  void whatIsNoJsonHasNoMembers() {
    assertThat(parsed("{\"a\":1}")).isEqualTo("{\"a\":1}");
    assertThat(parsed("{\"a\":")).isEqualTo("{}");
  }

  private static String members(String json) {
    return AnswerMetadata.object(AnswerMetadata.members(JsonValue.of(json), Set.of()));
  }

  private static String parsed(String json) {
    return AnswerMetadata.parse(json.getBytes(StandardCharsets.UTF_8)).raw();
  }
}
