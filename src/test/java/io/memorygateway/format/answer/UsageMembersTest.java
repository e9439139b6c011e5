package io.memorygateway.format.answer;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.figures.Figure;
import io.memorygateway.json.JsonValue;
import org.junit.jupiter.params.ParameterizedTest;
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
}
