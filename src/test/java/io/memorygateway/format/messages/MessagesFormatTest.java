package io.memorygateway.format.messages;

import static io.memorygateway.figures.TestFigures.tokens;
import static io.memorygateway.format.Answers.bytes;
import static io.memorygateway.format.Answers.text;
import static io.memorygateway.format.Answers.watch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.Calls;
import io.memorygateway.format.Format;
import io.memorygateway.format.answer.AnswerStream;
import io.memorygateway.format.answer.MalformedAnswerException;
import io.memorygateway.format.call.RequestBody;
import org.junit.jupiter.api.Test;

class MessagesFormatTest {
  private static final String START =
      "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":"
          + "{\"input_tokens\":10,\"cache_creation_input_tokens\":100,"
          + "\"cache_read_input_tokens\":1000,\"cache_creation\":{\"input_tokens\":5,"
          + "\"ephemeral_5m_input_tokens\":40,\"ephemeral_1h_input_tokens\":60},"
          + "\"service_tier\":\"standard\",\"speed\":\"fast\",\"output_tokens\":1}}}\n\n";
  private static final String TEXT =
      "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":"
          + "{\"type\":\"text_delta\",\"text\":\"message_stop \\\"usage\\\"\"}}\n\n";
  private static final String DELTA =
      "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end\"},"
          + "\"usage\":{\"output_tokens\":25,\"output_tokens_details\":{\"thinking_tokens\":4},\"input_tokens\":null}}\n\n";
  private static final String STOP = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

  private final Format messages = new MessagesFormat();

  @Test
  void changesTheModelOnly() throws Exception {
    RequestBody body = RequestBody.parse(bytes("{\"stream\":true,\"model\":\"a\",\"n\":1.10}"));

    assertThat(text(messages.prepare(body, Calls.model("b"))))
        .isEqualTo("{\"stream\":true,\"model\":\"b\",\"n\":1.10}");
  }

  @Test
  void countsCacheTokensOnceAsInput() {
    assertThat(watch(messages, START).usage()).isEqualTo(used(1110, 1, 1000));
  }

  @Test
  void replacesWhatTheStartSaidByWhatTheDeltaSays() {
    assertThat(watch(messages, START + TEXT + DELTA + STOP).usage())
        .isEqualTo(used(1110, 25, 1000).with(Figure.REASONING, 4));
    String all =
        DELTA.replace("\"input_tokens\":null", "\"input_tokens\":20,\"cache_read_input_tokens\":0");
    assertThat(watch(messages, START + all + STOP).usage())
        .isEqualTo(used(120, 25, 0).with(Figure.REASONING, 4));
  }

  private static Figures used(int input, int output, int cached) {
    return tokens(input, output, cached)
        .with(Figure.CACHE_WRITE, 100)
        .with(Figure.CACHE_WRITE_1H, 60)
        .withServiceTier("fast");
  }

  @Test
  void whatPassesBesideTheAnswerUsedIsReadAndCounted() throws Exception {
    String passes =
        "\"iterations\":[{\"type\":\"message\",\"input_tokens\":9,\"output_tokens\":9},"
            + "{\"model\":\"b\",\"type\":\"advisor_message\",\"input_tokens\":50,\"cache_read_input_tokens\":7,"
            + "\"cache_creation\":{\"ephemeral_1h_input_tokens\":0},\"output_tokens\":18},7,"
            + "{\"type\":\"fallback_message\",\"model\":\"c\",\"input_tokens\":9,\"output_tokens\":9},"
            + "{\"type\":\"compaction\",\"input_tokens\":1000,\"output_tokens\":30}]";
    Figures whole =
        messages
            .wholeAnswer(
                bytes("{\"usage\":{\"input_tokens\":4,\"output_tokens\":6," + passes + "}}"))
            .usage();
    assertThat(whole.get(Figure.INPUT_TOKENS)).isEqualTo(4 + 57 + 1000);
    assertThat(whole.get(Figure.OUTPUT_TOKENS)).isEqualTo(6 + 18 + 30);
    assertThat(whole.get(Figure.CACHED_INPUT_TOKENS)).isEqualTo(-1);

    String once = DELTA.replace("\"input_tokens\":null", passes);
    Figures streamed = watch(messages, START + TEXT + once + once + STOP).usage();
    assertThat(streamed.get(Figure.INPUT_TOKENS)).isEqualTo(1110 + 57 + 1000);
    assertThat(streamed.get(Figure.OUTPUT_TOKENS)).isEqualTo(25 + 18 + 30);
    assertThat(streamed.get(Figure.CACHED_INPUT_TOKENS)).isEqualTo(1000 + 7);
  }

  @Test
  void isEndedByMessageStop() {
    assertThat(watch(messages, START + TEXT + DELTA).complete()).isFalse();
    assertThat(watch(messages, START + TEXT + DELTA + STOP).ended()).isTrue();
    assertThat(watch(messages, START + "data: {\"x\":[1],\"type\":\"message_stop\"}\n\n").ended())
        .as("without an event line")
        .isTrue();
    assertThat(watch(messages, "data: {\"x\":{\"type\":\"message_stop\"}}\n\n").ended()).isFalse();
  }

  @Test
  void seesAnErrorOfTheUpstream() {
    String error =
        "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n";

    assertThat(watch(messages, START + error).failed()).isTrue();
    assertThat(watch(messages, START + error).ended()).isFalse();
    assertThat(watch(messages, START + TEXT + "event: ping\ndata: {}\n\n").failed()).isFalse();
  }

  @Test
  void skipsWhatIsNotJson() {
    AnswerStream stream = watch(messages, "event: message_start\ndata: {{\n\ndata: x\n\n: c\n\n");

    assertThat(stream.usage()).isEqualTo(Figures.NONE);
    assertThat(stream.failed()).isFalse();
  }

  @Test
  void seesTheSameHoweverTheStreamIsCut() {
    for (int chunk = 1; chunk < 200; chunk++) {
      AnswerStream answer = watch(messages, START + TEXT + DELTA + STOP, 1 << 20, chunk);
      assertThat(answer.ended()).isTrue();
      assertThat(answer.usage()).isEqualTo(used(1110, 25, 1000).with(Figure.REASONING, 4));
    }
  }

  @Test
  void endsADeadStreamWithAnErrorEvent() {
    byte[] error = watch(messages, START).errorEvent("upstream_error", "It \"died\".");

    assertThat(text(error))
        .isEqualTo(
            "event: error\ndata: {\"type\":\"error\",\"error\":"
                + "{\"type\":\"upstream_error\",\"message\":\"It \\\"died\\\".\"}}\n\n");
    assertThat(watch(messages, text(error)).failed()).isTrue();
  }

  @Test
  void readsTheUsageOfAnAnswer() throws Exception {
    String answer =
        "{\"content\":[{\"usage\":1}],\"usage\":{\"input_tokens\":10,"
            + "\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":7,\"output_tokens\":3}}";

    assertThat(messages.wholeAnswer(bytes(answer)).usage())
        .isEqualTo(tokens(17, 3, 7).with(Figure.CACHE_WRITE, 0));
    assertThat(
            messages
                .wholeAnswer(bytes("{\"usage\":{\"input_tokens\":10,\"output_tokens\":3}}"))
                .usage())
        .isEqualTo(tokens(10, 3, -1));
    assertThat(messages.wholeAnswer(bytes("{\"usage\":[[1],2]}")).usage()).isEqualTo(Figures.NONE);
    assertThatThrownBy(() -> messages.wholeAnswer(bytes("nonsense")))
        .isInstanceOf(MalformedAnswerException.class);
  }
}
