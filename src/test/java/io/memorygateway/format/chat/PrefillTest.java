package io.memorygateway.format.chat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.call.Prefill;
import io.memorygateway.format.call.ProviderTraits;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.messages.MessagesTranslator;
import io.memorygateway.format.translation.Terms;
import io.memorygateway.format.translation.Translation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §14: how a target is told that its answer is begun. */
class PrefillTest {
  private static final String ASKED = "{'role':'user','content':'a'}";

  /** Moonshot and Qwen; Mistral and DeepSeek; vLLM, SGLang and llama.cpp; those that see it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "PARTIAL  | m | {'role':'assistant','content':'{','partial':true}] | ``",
        "PREFIX   | m | {'role':'assistant','content':'{','prefix':true}] | ``",
        "NONE     | devstral | {'role':'assistant','content':'{','prefix':true}] | ``",
        "CONTINUE | devstral | {'role':'assistant','content':'{'}]"
            + " | 'continue_final_message':true,'add_generation_prompt':false",
        "NONE     | m | {'role':'assistant','content':'{'}] | ``"
      })
  void anAnswerIsBegun(Prefill prefill, String model, String message, String member)
      throws Exception {
    assertThat(sent(prefill, model, ASKED + ",{'role':'assistant','content':'{'}"))
        .contains(ASKED + "," + message, member);
  }

  @ParameterizedTest
  @CsvSource({"PARTIAL", "PREFIX", "CONTINUE"})
  void noneIsBegunWhereTheUserSpeaksLast(Prefill prefill) throws Exception {
    assertThat(sent(prefill, "m", ASKED)).doesNotContain("partial", "prefix", "continue", "prompt");
  }

  private static String sent(Prefill prefill, String model, String messages) throws Exception {
    ProviderTraits traits = ProviderTraits.ALL.withPrefill(prefill);
    byte[] call =
        "{'model':'m','max_tokens':9,'messages':[%s]}"
            .formatted(messages)
            .replace('\'', '"')
            .getBytes(UTF_8);
    Terms terms =
        new Terms(new UpstreamModel(model, traits, 0), "maker", 9, "max_tokens", false, null);
    Translation made =
        Translation.of(
            new MessagesTranslator(),
            new ChatTranslator(),
            call,
            () -> call,
            terms,
            null,
            () -> 1,
            String::length);
    return new String(made.body(), UTF_8).replace('"', '\'');
  }
}
