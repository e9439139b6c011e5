package io.memorygateway.format.answer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.sse.SseEvent;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §10: what holds a stream back, and what sends it on. */
class StartEventsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        ": comment | COMMENT",
        "event: x | COMMENT",
        "data:"
            + " {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[],\"refusal\":null}}]}"
            + " | EMPTY",
        "data: {\"choices\":[],\"prompt_filter_results\":[{}]} | EMPTY",
        "data: {broken | EMPTY",
        "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]} | CONTENT",
        "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"x\"}}]} | CONTENT",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0}]}}]} | CONTENT",
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]} | CONTENT",
        "data: {\"choices\":[{\"text\":\"x\"}]} | CONTENT",
        "data: {\"error\":{\"message\":\"x\"},\"choices\":[]} | ERROR",
        "data: {\"error\":\"\",\"choices\":[{\"delta\":{\"content\":\"a\"}}]} | CONTENT",
        "data: {\"error\":false,\"choices\":[]} | EMPTY",
        "data: {\"error\":\"x\",\"choices\":[]} | ERROR",
        "data: {\"choices\":[{\"index\":0,\"error\":{\"message\":\"x\"}}]} | ERROR",
        "data: {\"choices\":[{\"index\":1,\"error\":{\"message\":\"x\"}}]} | EMPTY",
        "data: {\"choices\":[{\"index\":1,\"finish_reason\":\"error\"}]} | CONTENT",
        "event: error\\ndata: x | ERROR",
        "data: [DONE] | END",
      })
  void chat(String event, StartEvent expected) {
    assertThat(new ChatFormat().startEvent(event(event))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        ": comment | COMMENT",
        "data: {\"type\":\"message_start\",\"message\":{\"content\":[]}} | EMPTY",
        "data: {\"type\":\"message_start\",\"message\":{\"content\":\"\"}} | EMPTY",
        "data: {\"type\":\"message_start\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"\"}]}} | EMPTY",
        "data: {\"type\":\"message_start\",\"message\":{\"content\":\"a\"}} | CONTENT",
        "data: {\"type\":\"message_start\",\"message\":{\"content\":[\"a\"]}} | CONTENT",
        "data: {\"type\":\"message_start\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}} | CONTENT",
        "data: {\"type\":\"ping\"} | EMPTY",
        "data:"
            + " {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"text\",\"text\":\"\"}}"
            + " | EMPTY",
        "data:"
            + " {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\"}}"
            + " | EMPTY",
        "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"\"}}"
            + " | EMPTY",
        "data:"
            + " {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"tool_use\",\"name\":\"f\"}}"
            + " | CONTENT",
        "data: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"fallback\"}} |"
            + " CONTENT",
        "data:"
            + " {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"t\"}}"
            + " | CONTENT",
        "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\"}} | CONTENT",
        "data: {\"type\":\"error\",\"error\":{}} | ERROR",
        "event: message_stop\\ndata: {} | END",
      })
  void messages(String event, StartEvent expected) {
    assertThat(new MessagesFormat().startEvent(event(event))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "data: {\"type\":\"response.created\",\"response\":{}} | EMPTY",
        "data: {\"type\":\"response.in_progress\"} | EMPTY",
        "data: {\"type\":\"response.queued\"} | EMPTY",
        "data:"
            + " {\"type\":\"response.output_item.added\",\"item\":{\"type\":\"message\",\"content\":[]}}"
            + " | EMPTY",
        "data:"
            + " {\"type\":\"response.output_item.added\",\"item\":{\"type\":\"reasoning\",\"summary\":[]}}"
            + " | EMPTY",
        "data:"
            + " {\"type\":\"response.content_part.added\",\"part\":{\"type\":\"output_text\",\"text\":\"\"}}"
            + " | EMPTY",
        "data:"
            + " {\"type\":\"response.output_item.added\",\"item\":{\"type\":\"function_call\",\"name\":\"f\"}}"
            + " | CONTENT",
        "data: {\"type\":\"response.output_text.delta\",\"delta\":\"x\"} | CONTENT",
        "data: {\"type\":\"response.completed\",\"response\":{}} | CONTENT",
        "data: {\"type\":\"response.incomplete\",\"response\":{}} | CONTENT",
        "data: {\"type\":\"response.failed\",\"response\":{\"error\":{}}} | ERROR",
        "event: error\\ndata: {\"type\":\"error\"} | ERROR",
      })
  void responses(String event, StartEvent expected) {
    assertThat(new ResponsesFormat().startEvent(event(event))).isEqualTo(expected);
  }

  private static SseEvent event(String text) {
    byte[] bytes = (text.replace("\\n", "\n") + "\n\n").getBytes(UTF_8);
    SseEvent event = new SseEvent();
    event.set(bytes, 0, bytes.length, true, true);
    return event;
  }
}
