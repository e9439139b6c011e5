package io.memorygateway.format.answer;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.json.JsonValue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the makers of a format say their figures. */
class UsageMembersTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "'prompt_tokens_details':{'cached_tokens':60}",
        "'cached_tokens':60",
        "'prompt_cache_hit_tokens':60,'prompt_cache_miss_tokens':40",
        "'prompt_cache_hit_tokens':60,'prompt_tokens_details':{'cached_tokens':0}",
        "'prompt_tokens_details':{'cached_tokens':60},'cached_tokens':0",
      })
  void whatCameFromACacheIsReadWhereverAMakerOfChatSaysIt(String members) {
    JsonValue usage =
        JsonValue.of(
            ("{'prompt_tokens':100,'completion_tokens':10,'total_tokens':110," + members + "}")
                .replace('\'', '"'));

    assertThat(UsageMembers.CHAT.read(usage).get(Figure.CACHED_INPUT_TOKENS)).isEqualTo(60);
    assertThat(UsageMembers.CHAT.read(usage).get(Figure.INPUT_TOKENS)).isEqualTo(100);
  }

  @ParameterizedTest
  @CsvSource({
    "60, 40, 210, 200, 10, left out of the prompt",
    "60, 40, 215, 200, 15, and thoughts out of the output",
    "60, 40, 110, 100, 10, within the prompt",
    "60, 40, 115, 100, 15, and thoughts out of the output",
    "60, 0, 170, 160, 10, only read",
    "0, 40, 150, 140, 10, only written",
  })
  void tokensOfCachesAreInputWhetherThePromptHasThemOrNot(
      long cached, long written, long total, long input, long output, String why) {
    Figures read =
        UsageMembers.CHAT.read(
            JsonValue.of(
                """
                {"total_tokens":%d,"cache_read_input_tokens":%d,"prompt_tokens":100,\
                "completion_tokens":10,"cache_creation_input_tokens":%d}\
                """
                    .formatted(total, cached, written)));

    assertThat(read.get(Figure.INPUT_TOKENS)).as(why).isEqualTo(input);
    assertThat(read.get(Figure.OUTPUT_TOKENS)).as(why).isEqualTo(output);
    assertThat(read.get(Figure.CACHED_INPUT_TOKENS)).isEqualTo(cached);
    assertThat(read.get(Figure.CACHE_WRITE)).isEqualTo(written);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "'cache_read_input_tokens':100, 30, 240, 200, 40, both beside what they are of",
        "'cache_read_input_tokens':100, 120, 230, 100, 130, the cache within the prompt",
        "'cache_read_input_tokens':100, 100, 210, 100, 110, what is more than the output",
        "'cache_read_input_tokens':100, 5, 210, 200, 10, thoughts within the output",
        "'prompt_tokens_details':{'cached_tokens':400}, 120, 630, 500, 130, more than the prompt",
        "'prompt_tokens_details':{'cached_tokens':90}, 120, 230, 100, 130, less than the prompt",
      })
  void ofCachesAndThoughtsTheTotalTellsWhichAreLeftOut(
      String cached, long thoughts, long total, long input, long output, String why) {
    String usage =
        "{'prompt_tokens':100,'completion_tokens':10,'total_tokens':%d,%s,"
            + "'completion_tokens_details':{'reasoning_tokens':%d}}";
    Figures read =
        UsageMembers.CHAT.read(
            JsonValue.of(usage.formatted(total, cached, thoughts).replace('\'', '"')));

    assertThat(read.get(Figure.INPUT_TOKENS)).as(why).isEqualTo(input);
    assertThat(read.get(Figure.OUTPUT_TOKENS)).as(why).isEqualTo(output);
  }

  @ParameterizedTest
  @CsvSource({"100, , 100, 40", ", 40, 100, 40", "140, , 140, -1", ", 150, -1, 150", ", , -1, -1"})
  void theTotalTellsWhatTheAnswerDoesNot(
      @Nullable Long prompt, @Nullable Long completion, long input, long output) {
    String usage = "{\"prompt_tokens\":%d,\"total_tokens\":140,\"completion_tokens\":%d}";
    Figures read = UsageMembers.CHAT.read(JsonValue.of(usage.formatted(prompt, completion)));

    assertThat(read.get(Figure.INPUT_TOKENS)).isEqualTo(input);
    assertThat(read.get(Figure.OUTPUT_TOKENS)).isEqualTo(output);
  }

  /** Which is all that Voyage tells. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"total_tokens\":7}",
        "{\"prompt_tokens\":7}",
        "{\"prompt_tokens\":0,\"total_tokens\":7}",
        "{\"prompt_tokens\":0,\"completion_tokens\":0,\"total_tokens\":7}",
        "{\"prompt_tokens\":7,\"total_tokens\":7}"
      })
  void theTotalOfEmbeddingsIsTheirInput(String usage) {
    Figures read = UsageMembers.EMBEDDINGS.read(JsonValue.of(usage));

    assertThat(read.get(Figure.INPUT_TOKENS)).isEqualTo(7);
    assertThat(read.get(Figure.OUTPUT_TOKENS)).isNotPositive();
  }
}
