package io.memorygateway.proxy.call;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Format;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.fourth.FourthFormat;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.json.JsonValue;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Contract §15: the limit of a call stands where its format has it. */
class OutputLimitTest {
  static Stream<Arguments> formats() {
    return Stream.of(
        Arguments.of(new ChatFormat(), "max_tokens", 1),
        Arguments.of(new ChatFormat(), "max_completion_tokens", 1),
        Arguments.of(ChatFormat.ofCompletions(), "max_tokens", 1),
        Arguments.of(new MessagesFormat(), "max_tokens", 1),
        Arguments.of(new ResponsesFormat(), "max_output_tokens", 16),
        Arguments.of(new FourthFormat(), "most", 8));
  }

  @ParameterizedTest
  @MethodSource("formats")
  void theLimitStandsWhereTheFormatHasIt(Format format, String member, long least) {
    OutputLimit limit = OutputLimit.of(format, JsonValue.of("{\"" + member + "\":5}"));

    assertThat(limit.given()).isEqualTo(5);
    assertThat(limit.least()).isEqualTo(least);
    String none = "{\"model\":\"m\"}";
    String some = "{\"model\":\"m\",\"" + member + "\":7}";
    assertThat(OutputLimit.made(format, none.getBytes(UTF_8), some.getBytes(UTF_8))).isEqualTo(7);
  }
}
