package io.memorygateway.format.messages;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonValue;
import io.memorygateway.observation.text.TokenCounter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The end of a stream of Messages whose output is counted. */
class CountedBlocksTest {
  private final CountedBlocks stream =
      new CountedBlocks(
          new MessagesTranslator().openReader("", new CallIds()), new TokenCounter()::count);

  private long read(String event) {
    JsonValue data = JsonValue.of(event);
    long tokens = stream.read(data.text("type"), data);
    stream.take(data.text("type"), data, true);
    return tokens;
  }

  private void start(int index, String block) {
    read(
        "{\"type\":\"content_block_start\",\"index\":%d,\"content_block\":%s}"
            .formatted(index, block));
  }

  private long say(int index, String text) {
    return read(
        "{\"type\":\"content_block_delta\",\"index\":%d,\"delta\":{\"type\":\"text_delta\",\"text\":\"%s\"}}"
            .formatted(index, text));
  }

  private String end() {
    return end(Figures.NONE.with(Figure.INPUT_TOKENS, 10));
  }

  private String end(Figures input) {
    Usage usage = new Usage(input.with(Figure.OUTPUT_TOKENS, 3));
    return new String(stream.end(usage), StandardCharsets.UTF_8);
  }

  @Test
  void theBlockThatIsOpenEndsWhateverStoodBeforeIt() {
    read("{\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"content\":[]}}");
    start(0, "{\"type\":\"server_tool_use\",\"id\":\"srvtoolu_1\",\"name\":\"web_search\"}");
    read("{\"type\":\"content_block_stop\",\"index\":0}");
    start(1, "{\"type\":\"text\",\"text\":\"\"}");
    assertThat(say(1, "so far")).isPositive();

    assertThat(end())
        .isEqualTo(
            """
            event: content_block_stop
            data: {"index":1,"type":"content_block_stop"}

            event: message_delta
            data: {"delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":\
            {"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,\
            "output_tokens":3},"type":"message_delta"}

            event: message_stop
            data: {"type":"message_stop"}

            """);
  }

  @Test
  void whatIsKnownOfCachesIsNoInputBesides() {
    Figures input =
        Figures.NONE
            .with(Figure.INPUT_TOKENS, 120)
            .with(Figure.CACHE_WRITE, 40)
            .with(Figure.CACHED_INPUT_TOKENS, 50);
    assertThat(end(input))
        .contains(
            "{\"input_tokens\":30,\"cache_creation_input_tokens\":40,"
                + "\"cache_read_input_tokens\":50,\"output_tokens\":3}");
  }

  @Test
  void aBlockOfWhichNothingWasSaidEndsToo() {
    start(0, "{\"type\":\"text\",\"text\":\"\"}");
    String left = "{\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"not passed on\"}}";
    assertThat(stream.read("content_block_delta", JsonValue.of(left))).isPositive();

    assertThat(end()).startsWith("event: content_block_stop\ndata: {\"index\":0,");
  }

  @Test
  void anEventThatSaysItsTypeInItsNameAloneCounts() {
    stream.take(
        "content_block_start",
        JsonValue.of("{\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}"),
        true);

    assertThat(end()).startsWith("event: content_block_stop\ndata: {\"index\":0,");
  }

  @Test
  void aBlockWhoseBeginningIsNotPassedOnDoesNotEnd() {
    String call = "{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"weather\",\"input\":{}}";
    String start = "{\"index\":0,\"content_block\":" + call + "}";
    assertThat(stream.read("content_block_start", JsonValue.of(start))).isPositive();

    assertThat(end()).startsWith("event: message_delta\n");
  }

  @Test
  void theWordsOfARefusalThatEndTheAnswerDoNotCount() {
    read("{\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"content\":[]}}");
    String delta =
        "{\"stop_reason\":\"refusal\",\"stop_details\":{\"explanation\":\"it may harm\"}}";
    assertThat(read("{\"type\":\"message_delta\",\"delta\":" + delta + "}")).isZero();
    assertThat(read("{\"type\":\"message_stop\"}")).isZero();
  }
}
