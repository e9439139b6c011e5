package io.memorygateway.format.translation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which effort takes the place of one that a model refuses. */
class EffortTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "MINIMAL|LOW|Unsupported value: 'minimal' is not supported with the 'gpt-5.1' model."
            + " Supported values are: 'none', 'low', 'medium', and 'high'.",
        "NONE|MINIMAL|Unsupported value: 'reasoning_effort' does not support 'none' with this"
            + " model. Supported values are: 'minimal', 'low', 'medium', and 'high'.",
        "MEDIUM|HIGH|Supported values are: 'low', 'high', and 'max'",
        "MAX|XHIGH|[{'type': 'literal_error', 'loc': ('body', 'reasoning', 'effort'), 'msg':"
            + " \"Input should be 'none', 'minimal', 'low', 'medium', 'high' or 'xhigh'\","
            + " 'input': 'max'}]",
        "XHIGH|HIGH|output_config.effort 'xhigh' is not supported when thinking is disabled on this"
            + " model. Use effort 'high' or below, or enable thinking.",
        "XHIGH|MAX|This model does not support effort level 'xhigh'. Supported levels: high, low,"
            + " max, medium.",
        "LOW|HIGH|reasoning_effort: Input should be 'high' or 'none'",
        "MINIMAL|XHIGH|Invalid value: 'minimal'. The model medium does not take it. Supported values"
            + " are: 'xhigh' and 'max'.",
        "LOW|HIGH|Effort must be one of medium-fast/high for o3-mini-medium, qwen-max",
        "MEDIUM||`reasoning_effort` must be one of `none` or `default`",
        "HIGH||This model does not support the effort parameter with max_tokens below 9.",
        "HIGH||m does not support reasoning_effort 'high': use a low or medium model."
      })
  void isTheNearestThatTheRefusalNames(Effort refused, Effort nearest, String words) {
    assertThat(Effort.instead(refused, words)).isEqualTo(nearest);
  }
}
