package io.memorygateway.format.translation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Calls;
import io.memorygateway.format.chat.ChatTranslator;
import io.memorygateway.format.messages.MessagesTranslator;
import io.memorygateway.format.responses.ResponsesTranslator;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How much a target is asked to answer at most, and how its caller is told that this is too much.
 */
class OutputLimitTest {
  private static final List<Translator> ALL =
      List.of(new ChatTranslator(), new MessagesTranslator(), new ResponsesTranslator());

  private static final List<String> LIMITS =
      List.of("max_tokens", "max_tokens", "max_output_tokens");

  /** Claude Code always asks for 32,000. */
  @ParameterizedTest
  @CsvSource({"32000, 4096, 4096", "4096, 4096, 4096", "100, 4096, 100", "32000, , 32000"})
  void isNoMoreThanTheTargetHas(long asked, @Nullable Long most, long sent) throws Exception {
    for (int caller = 0; caller < ALL.size(); caller++) {
      for (int target = 0; target < ALL.size(); target++) {
        String call =
            "{\"model\":\"m\",\"%s\":[{\"role\":\"user\",\"content\":\"Q\"}],\"%s\":%d}"
                .formatted(caller == 2 ? "input" : "messages", LIMITS.get(caller), asked);
        Terms terms =
            new Terms(
                Calls.model("up"),
                "m",
                most,
                "max_tokens",
                Terms.Reasoning.EFFORT,
                Map.of(),
                Set.of(),
                null,
                false);
        byte[] body =
            Translation.of(
                    ALL.get(caller),
                    ALL.get(target),
                    call.getBytes(UTF_8),
                    () -> call.getBytes(UTF_8),
                    terms,
                    null,
                    () -> 1,
                    String::length)
                .body();
        JsonValue written = JsonValue.of(new String(body, UTF_8));
        assertThat(written.member(LIMITS.get(target)).raw()).isEqualTo("" + sent);
      }
    }
  }

  /** vLLM older and newer, OpenAI and DeepSeek, SGLang, TGI, OpenRouter, Anthropic. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "'max_tokens' or 'max_completion_tokens' is too large: 30000. This model's maximum context"
            + " length is 32768 tokens and your request has 5000 input tokens (30000 > 32768 -"
            + " 5000).",
        "This model's maximum context length is 32768 tokens. However, you requested 30000 output"
            + " tokens and your prompt contains at least 5000 input tokens, for a total of at least"
            + " 35000 tokens. Please reduce the length of the input prompt or the number of"
            + " requested output tokens.",
        "You passed 5000 input tokens and requested 30000 output tokens. However, the model's"
            + " context length is only 32768 tokens, resulting in a maximum input length of 2768"
            + " tokens.",
        "This model's maximum context length is 32768 tokens. However, you requested 35000 tokens"
            + " (4000 in the messages, 1000 in the functions, and 30000 in the completion). Please"
            + " reduce the length of the messages, functions, or completion.",
        "This model's maximum context length is 32768 tokens, however you requested 35000 tokens"
            + " (5000 in your prompt; 30000 for the completion). Please reduce your prompt; or"
            + " completion length.",
        "Requested token count exceeds the model's maximum context length of 32768 tokens. You"
            + " requested a total of 35000 tokens: 5000 tokens from the input messages and 30000"
            + " tokens for the completion. Please reduce the number of tokens in the input messages"
            + " or the completion to fit within the limit.",
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 32768. Given: 5000"
            + " `inputs` tokens and 30000 `max_new_tokens`",
        "This endpoint's maximum context length is 32,768 tokens. However, you requested about"
            + " 35,000 tokens (4,000 of text input, 1,000 of tool input, 30,000 in the output).",
        "Requested generation length 30000 is not possible! The provided prompt is 5000 tokens"
            + " long, so generating 30000 tokens requires a sequence length of 35000, but the"
            + " maximum supported sequence length is just 32768!",
        "input length and `max_tokens` exceed context limit: 5000 + 30000 > 32768, decrease input"
            + " length or `max_tokens` and try again"
      })
  void thatIsTooHighForAPromptThatFitsIsToldAsThat(String words) {
    Fault fault = new Fault(500, "t", words, Fault.TOO_LONG, true);

    for (Translator caller : ALL) {
      String told = new String(caller.error(fault), UTF_8);
      assertThat(told).doesNotContain(Fault.TOO_LONG, "prompt is too long");
      assertThat(caller.status(fault)).isEqualTo(400);
      assertThat(JsonValue.of(told).get("error").text("message"))
          .isEqualTo(
              caller instanceof MessagesTranslator
                  ? "input length and `max_tokens` exceed context limit: 5000 + 30000 > 32768,"
                      + " decrease input length or `max_tokens` and try again"
                  : words);
    }
  }

  /** Beside 30,000 of output, vLLM reads 2,769 tokens of any prompt, or none if it is long. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "This model's maximum context length is 32768 tokens. However, you requested 30000 output"
            + " tokens and your prompt contains at least 2769 input tokens, for a total of at least"
            + " 32769 tokens.",
        "You passed 2769 input tokens and requested 30000 output tokens. However, the model's"
            + " context length is only 32768 tokens, resulting in a maximum input length of 2768"
            + " tokens. Please reduce the length of the input prompt.",
        "You passed 400000 input characters and requested 30000 output tokens. However, the model's"
            + " context length is only 32768 tokens, resulting in a maximum input length of 2768"
            + " tokens (at most 276800 characters). Please reduce the length of the input prompt."
      })
  void aPromptThatTheTargetDidNotReadIsCountedHere(String words) {
    MessagesTranslator messages = new MessagesTranslator();
    byte[] envelope =
        new JsonObject().raw("error", new JsonObject().string("message", words) + "").toBytes();
    Fault fits = Fault.of(400, envelope, true, () -> 5000);
    assertThat(fits.tooLong()).isFalse();
    assertThat(new String(messages.error(fits), UTF_8)).contains("limit: 5000 + 30000 > 32768");
    Fault fewer = Fault.of(400, envelope, true, () -> 1000);
    assertThat(new String(messages.error(fewer), UTF_8)).contains("limit: 2769 + 30000 > 32768");

    Fault tooLong = Fault.of(400, envelope, true, () -> 50_000);
    assertThat(tooLong.openAiCode()).isEqualTo(Fault.TOO_LONG);
    assertThat(new String(messages.error(tooLong), UTF_8))
        .contains("prompt is too long: 80000 tokens > 32768 maximum");
  }

  @Test
  void besideAPromptThatDoesNotFitIsNotWhatIsTold() {
    for (String words :
        List.of(
            "This model's maximum context length is 32768 tokens. However, you requested 75000"
                + " tokens (35000 in the messages, 40000 in the completion).",
            "This model's maximum context length is 32768 tokens. However, you requested 34000"
                + " tokens (30000 in the messages, 4000 in the completion).",
            "This model's maximum context length is 32768 tokens. However, your messages resulted"
                + " in 75000 tokens. Please reduce the length of the messages.",
            "You passed 32769 input tokens and requested 0 output tokens. However, the model's"
                + " context length is only 32768 tokens.")) {
      Fault fault = new Fault(400, "t", words, Fault.TOO_LONG, true);
      assertThat(fault.tooLong()).as(words).isTrue();
      assertThat(fault.openAiCode()).isEqualTo(Fault.TOO_LONG);
    }
  }

  /** LangChain's clients tell a prompt that is too long by OpenAI's words, and not by the code. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "prompt is too long: 5000 tokens > 1000 maximum|This model's maximum context length is 1000 tokens. However, your messages resulted in 5000 tokens.",
        "prompt is too long: 5,000 tokens > 1,000 maximum (request id: 20261201090807123456)|This model's maximum context length is 1000 tokens. However, your messages resulted in 5000 tokens.",
        "Too much to read.|Your input exceeds the context window of this model: Too much to read.",
        "This model's Maximum Context Length is 8.|This model's Maximum Context Length is 8.",
      })
  void aPromptThatIsTooLongIsToldInOpenAisWords(String words, String told) {
    Fault fault = new Fault(400, "t", words, null, true);

    for (Translator caller : ALL) {
      String message =
          JsonValue.of(new String(caller.error(fault), UTF_8)).at("error").text("message");
      assertThat(message)
          .startsWith(caller instanceof MessagesTranslator ? "prompt is too long: " : told);
    }
  }
}
