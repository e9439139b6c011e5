package io.memorygateway.format.answer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** In which words providers say how much output a model has at most. */
class RefusedLimitTest {
  /** OpenAI, Anthropic, DeepSeek, Groq, Gemini, Bedrock, Qwen, Doubao, vLLM. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "max_tokens is too large: 100000. This model supports at most 16384 completion tokens,"
            + " whereas you provided 100000. | 16384",
        "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for"
            + " claude-sonnet-4-5-20250929 | 64000",
        "Invalid max_tokens value, the valid range of max_tokens is [1, 8192] | 8192",
        "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is"
            + " less than the `context_window` for this model | 8192",
        "Unable to submit request because it has a maxOutputTokens value of 100000 but the"
            + " supported range is from 1 (inclusive) to 65537 (exclusive). | 65536",
        "The maximum tokens you requested exceeds the model limit of 8192. Try again with a maximum"
            + " tokens value that is lower than 8192. | 8192",
        "<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 16,384] |"
            + " 16384",
        "The parameter `max_completion_tokens` specified in the request are not valid: integer"
            + " above maximum value, expected a value <= 12288, but got 100000 instead. | 12288",
        "max_completion_tokens=100000cannot be greater than max_model_len=max_total_tokens=32768."
            + " Please request fewer output tokens. | 32768"
      })
  void tellTheMost(String words, long most) {
    assertThat(new RefusalWords(error(words)).isOfOutputLimit()).isTrue();
    assertThat(RefusedLimit.most(words, 100_000)).isEqualTo(most);
  }

  @Test
  void ofOtherRefusalsDoNot() {
    for (String words :
        List.of(
            "max_tokens must be at least 1, got -1.",
            "`max_tokens` must be greater than `thinking.budget_tokens`.",
            "Requests with max_tokens > 4096 must have stream=true: at most 4096",
            "This model's maximum context length is 32768 tokens. However, you requested 75000"
                + " tokens (35000 in the messages, 40000 in the completion).",
            "'max_tokens' or 'max_completion_tokens' is too large: 30000. This model's maximum"
                + " context length is 32768 tokens and your request has 5000 input tokens (30000 >"
                + " 32768 - 5000).",
            "The name of a tool has at most 64 characters.")) {
      assertThat(new RefusalWords(error(words)).isOfOutputLimit()).as(words).isFalse();
    }
  }

  /** Versions and dates in the names of models, ids, and what is as large or larger. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "at most 4096 for gpt-4-8000, model_9000, claude-3-20000, a8000 | 10000 | 4096",
        "at most 4096 | 4096 | 0",
        "max_tokens must be less than or equal to 27768 for this prompt | 30000 | 0",
        "Error code: 400 - max_tokens 64000 is above the maximum allowed | 64000 | 0",
        "at most 12345678901234567890 | 10000 | 0",
        "at most | 10000 | 0"
      })
  void numbersThatAreNoLimitsDoNotCount(String words, long asked, long most) {
    assertThat(RefusedLimit.most(words, asked)).isEqualTo(most);
  }

  private static byte[] error(String words) {
    return ("{\"error\":{\"message\":\"" + words + "\"}}").getBytes(UTF_8);
  }
}
