package io.memorygateway.format.answer;

import static io.memorygateway.format.Answers.bytes;
import static io.memorygateway.format.Calls.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Format;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.sse.SseSplitter;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The last event of an upstream that closes without the blank line after it. */
class AnswerStreamTest {
  private static final String CHAT_END =
      "data: {'choices':[{'index':0,'delta':{},'finish_reason':'stop'}]}";
  private static final String MESSAGES_END = "event: message_stop\ndata: {'type':'message_stop'}";
  private static final String RESPONSES_END =
      "event: response.completed\ndata: {'type':'response.completed','response':{'status':'completed'}}";

  @Test
  void aWholeFinalEventIsPassedOn() throws IOException {
    assertThat(acceptsLast(new ChatFormat(), CHAT_END)).isTrue();
    assertThat(acceptsLast(new MessagesFormat(), MESSAGES_END)).isTrue();
    assertThat(acceptsLast(new ResponsesFormat(), RESPONSES_END)).isTrue();
  }

  @Test
  void aPieceOfAnEventIsNot() throws IOException {
    List<Format> formats = List.of(new ChatFormat(), new MessagesFormat(), new ResponsesFormat());
    List<String> ends = List.of(CHAT_END, MESSAGES_END, RESPONSES_END);
    for (int i = 0; i < ends.size(); i++) {
      String end = ends.get(i);
      assertThat(acceptsLast(formats.get(i), end.substring(0, end.length() - 1))).isFalse();
    }
  }

  @Test
  void aWholeEventAfterWhichMoreShouldComeIsNot() throws IOException {
    assertThat(
            acceptsLast(
                new ChatFormat(), "data: {'choices':[{'index':0,'delta':{'content':'a'}}]}"))
        .isFalse();
    assertThat(acceptsLast(new MessagesFormat(), "event: ping\ndata: {'type':'ping'}")).isFalse();
    assertThat(
            acceptsLast(
                new ResponsesFormat(),
                "event: response.created\ndata: {'type':'response.created','response':{}}"))
        .isFalse();
  }

  @ParameterizedTest
  @CsvSource({"'',false", "false,false", "null,false", "x,true", "true,true", "{},true"})
  void anErrorThatSaysNothingIsNone(String error, boolean failed) throws IOException {
    String json = error.equals("x") || error.isEmpty() ? "\"" + error + "\"" : error;
    byte[] event = bytes("data: {\"error\":" + json + "}\n\n");
    AnswerStream stream = new ChatFormat().openStream();
    new SseSplitter(1 << 16).feed(event, 0, event.length, stream::accept);

    assertThat(stream.failed()).isEqualTo(failed);
  }

  /** Whether a stream that ends so is passed on to its end. */
  private static boolean acceptsLast(Format format, String end) throws IOException {
    AnswerStream stream = format.openStream();
    SseSplitter splitter = new SseSplitter(1 << 16);
    byte[] received = bytes(json(end + "\n"));
    AtomicBoolean accepted = new AtomicBoolean();
    splitter.feed(received, 0, received.length, event -> {});
    splitter.finish(event -> accepted.set(stream.acceptLast(event)));
    return accepted.get();
  }
}
