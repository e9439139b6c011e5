package io.memorygateway.format.call;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §7: the words by which side calls are told. */
class CallTextsTest {
  @Test
  void partsAndMessagesMayHoldWhateverElse() throws Exception {
    CallTexts texts =
        read(
            """
            {"system":[{"citations":[{"text":"no"}],"cache_control":{"a":[1]},"text":"You are"}],
            "messages":[{"content":[{"type":"tool_result","content":[{"type":"text","text":"no"}]},
            {"type":"text","cache_control":{"text":"no"},"text":"Say it"}],"role":"user"}]}
            """);

    assertThat(texts.systemBegins("You are")).isTrue();
    assertThat(texts.userBegins("Say it")).isTrue();
    assertThat(texts.systemBegins("no") || texts.userBegins("no")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1.5", "1e400", "null", "true", "\"x\"", "[[]]", "{\"role\":{}}"})
  void whatIsNoMessageIsPassedOver(String other) throws Exception {
    CallTexts texts =
        read(
            """
            {"input":[%1$s,{"role":"user","content":"Say it"},%1$s],"prompt_cache_key":"k"}
            """
                .formatted(other));

    assertThat(texts.userBegins("Say it")).isTrue();
    assertThat(texts.promptCacheKey()).isEqualTo("k");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[1]", "{\"messages\":\"Say it\"}", "{\"system\":\"Say it\"}"})
  void membersOfOtherTypesArePassedOver(String other) throws Exception {
    CallTexts texts =
        read(
            """
            {"prompt_cache_key":%1$s,"messages":%1$s,"input":"Do it","system":"You are"}
            """
                .formatted(other));

    assertThat(texts.promptCacheKey()).isNull();
    assertThat(texts.userBegins("Do it")).isTrue();
    assertThat(texts.systemBegins("You are")).isTrue();
    assertThat(texts.userBegins("Say it") || texts.systemBegins("Say it")).isFalse();
  }

  private static CallTexts read(String body) throws Exception {
    return new CallTexts(RequestBody.parseAny(body.getBytes(UTF_8), null));
  }
}
