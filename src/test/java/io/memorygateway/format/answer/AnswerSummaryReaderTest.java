package io.memorygateway.format.answer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.sse.SseEvent;
import io.memorygateway.sse.SseSplitter;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an answer says of itself, in each format. */
class AnswerSummaryReaderTest {
  private final AnswerSummaryReader reader = new AnswerSummaryReader();

  private AnswerSummary whole(String json) {
    reader.read(json.getBytes(UTF_8));
    return reader.summary();
  }

  private AnswerSummary stream(String events) throws IOException {
    byte[] bytes = events.getBytes(UTF_8);
    new SseSplitter(1 << 20).feed(bytes, 0, bytes.length, reader::accept);
    return reader.summary();
  }

  private static AnswerSummary summary(String id, String model, String... reasons) {
    return new AnswerSummary(id, model, List.of(reasons));
  }

  @Test
  void aChatHasAReasonForEachChoice() {
    assertThat(
            whole(
                """
                {"id":"c1","choices":[{"index":0,"message":{"role":"assistant","content":"x","id":"no","model":"no"},
                 "finish_reason":"stop"},{"index":1,"finish_reason":"length","delta":{"id":"no"}}, 7, {"index":2}],
                 "model":"gpt-5-2026","usage":{"id":"no"}}
                """))
        .isEqualTo(summary("c1", "gpt-5-2026", "stop", "length"));
  }

  @Test
  void aStreamedChatHasThemOnItsLastChunks() throws IOException {
    assertThat(
            stream(
                """
                : ping

                data: {"id":"","model":"","choices":[]}

                data: {"id":"c1","model":"m1","choices":[{"delta":{"content":"x"},"finish_reason":null}]}

                data: {"id":"c1","model":"m1","choices":[{"delta":{},"finish_reason":"tool_calls"}]}

                data: [DONE]

                """))
        .isEqualTo(summary("c1", "m1", "tool_calls"));
  }

  @Test
  void aStreamThatBreaksOffHasWhatItBeganWith() throws IOException {
    assertThat(
            stream(
                "data: {\"id\":\"c1\",\"model\":\"m1\",\"choices\":[{\"delta\":{}}]}\n\ndata: {\"id"))
        .isEqualTo(summary("c1", "m1"));
  }

  @Test
  void messagesHaveAStopReason() {
    assertThat(
            whole(
                """
                {"id":"msg","type":"message","model":"claude","content":[{"type":"tool_use","id":"no","name":"n",
                 "input":{"model":"no"}}],"stop_reason":"tool_use"}
                """))
        .isEqualTo(summary("msg", "claude", "tool_use"));
  }

  @Test
  void streamedMessagesHaveItInTheirDelta() throws IOException {
    assertThat(
            stream(
                """
                event: message_start
                data: {"type":"message_start","message":{"id":"msg","model":"claude","stop_reason":null}}

                event: content_block_start
                data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"no"}}

                event: message_delta
                data: {"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":1}}

                """))
        .isEqualTo(summary("msg", "claude", "max_tokens"));
  }

  @Test
  void responsesHaveTheirStatusOrWhyTheyAreIncomplete() {
    assertThat(
            whole(
                """
                {"id":"resp","status":"completed","incomplete_details":null,"model":"gpt",
                 "output":[{"id":"no","status":"no"}]}
                """))
        .isEqualTo(summary("resp", "gpt", "completed"));
    assertThat(
            whole(
                    "{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"content_filter\"}}")
                .finishReasons())
        .containsExactly("content_filter");
  }

  @Test
  void streamedResponsesHaveItInTheLastEvent() throws IOException {
    String created =
        "event: response.created\ndata: {\"type\":\"response.created\",\"response\":"
            + "{\"id\":\"resp\",\"status\":\"in_progress\",\"model\":\"gpt\"}}\n\n";
    assertThat(stream(created)).isEqualTo(summary("resp", "gpt"));
    String delta =
        "event: response.output_item.done\ndata: {\"type\":\"x\",\"item\":{\"id\":\"no\",\"status\":\"no\"}}\n\n";
    assertThat(
            stream(
                delta
                    + created
                        .replace("response.created", "response.completed")
                        .replace("in_progress", "completed")))
        .isEqualTo(summary("resp", "gpt", "completed"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "7",
        "{",
        "{\"id\":",
        "{\"choices\":[[[",
        "\u0000",
        "{\"id\":{\"id\":1}}"
      })
  void whatIsNotUnderstoodSaysNothing(String json) throws IOException {
    assertThat(whole(json)).isEqualTo(summary(null, null));
    assertThat(stream("data: " + json + "\n\n")).isEqualTo(summary(null, null));
  }

  @Test
  void whatAnUpstreamSaysIsBounded() {
    String choice = "{\"finish_reason\":\"" + "r".repeat(1_000) + "\"},";
    AnswerSummary summary =
        whole("{\"id\":\"" + "i".repeat(10_000) + "\",\"choices\":[" + choice.repeat(100) + "1]}");
    assertThat(summary.id()).hasSize(256);
    assertThat(summary.finishReasons()).hasSize(16).allMatch(reason -> reason.length() == 256);
  }

  /** Most events of a stream are not parsed. */
  @Test
  void aLaterPieceOfALargeEventIsNotTakenForAnEvent() {
    SseEvent piece = new SseEvent();
    byte[] bytes = "data: {\"id\":\"no\"}\n\n".getBytes(UTF_8);
    piece.set(bytes, 0, bytes.length, false, true);
    reader.accept(piece);
    assertThat(reader.summary()).isEqualTo(summary(null, null));
  }
}
