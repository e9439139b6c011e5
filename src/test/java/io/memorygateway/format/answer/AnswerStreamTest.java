package io.memorygateway.format.answer;

import static io.memorygateway.format.Answers.bytes;
import static io.memorygateway.format.Calls.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.figures.Figure;
import io.memorygateway.format.Format;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.sse.SseEvent;
import io.memorygateway.sse.SseSplitter;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'' | false",
        "false | false",
        "null | false",
        "0 | false",
        "{} | false",
        "[] | false",
        "{'message':'','code':0,'param':null} | false",
        "'x' | true",
        "true | true",
        "{'code':502} | true",
        "[{'message':'x'}] | true",
      })
  void anErrorThatSaysNothingIsNone(String error, boolean failed) throws IOException {
    assertThat(chat("data: {'error':" + error + "}").failed()).isEqualTo(failed);
    String choice = "{'index':0,'delta':{'content':'a'},'error':" + error + "}";
    assertThat(chat("data: {'choices':[" + choice + "],'error':null}").failed()).isEqualTo(failed);
    String groq = "data: {'choices':[],'x_groq':{'id':'r','error':" + error + "}}";
    assertThat(chat("data: {}\n\n" + groq).failed()).isEqualTo(failed);
    assertThat(new ChatFormat().startEvent(event(groq)) == StartEvent.ERROR).isEqualTo(failed);
    StartEvent start = new ChatFormat().startEvent(event("data: {'choices':[" + choice + "]}"));
    assertThat(start == StartEvent.ERROR).isEqualTo(failed);
  }

  @Test
  void anEmptyReasonIsNoEnd() throws IOException {
    assertThat(chat(CHAT_END.replace("stop", "")).complete()).isFalse();
    for (String reason : List.of("error", "abort", "insufficient_system_resource")) {
      assertThat(chat(CHAT_END.replace("stop", reason)).failed()).isTrue();
    }
  }

  @Test
  void usageMayStandInTheChoice() throws IOException {
    String usage = "'usage':{'prompt_tokens':5,'completion_tokens':3}";
    AnswerStream stream = chat(CHAT_END.replace("'delta':{}", "'delta':{}," + usage));

    assertThat(stream.usage().get(Figure.INPUT_TOKENS)).isEqualTo(5);
  }

  /** vLLM, FastAPI, Cohere. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'object':'error','message':'No.','code':400}                     | true",
        "{'detail':'No.'}                                                  | true",
        "{'errors':[{'message':'No.'}]}                                    | true",
        "{'status':429,'message':'No.'}                                    | true",
        "{'message':{'role':'assistant'}}                                  | false",
        "{'choices':[{'delta':{'error':{'message':'No.'}}}]}               | true",
        "{'choices':[],'detail':null,'errors':[],'message':null}           | false",
        "{'object':'x','choices':[{'delta':{'error':null}}],'detail':'d'}  | false"
      })
  void aChunkMayBeAnErrorByItself(String chunk, boolean failed) throws Exception {
    String first = "data: {'choices':[{'delta':{'content':'a'}}]}\n\n";
    assertThat(chat(first + "data: " + chunk).failed()).isEqualTo(failed);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"'error':{'message':'No.'}", "'error':'No.'", "'detail':'No.'", "'message':'No.'"})
  void anEventWithoutATypeMayBeAnErrorByItself(String members) throws IOException {
    SseEvent event = event("data: {" + members + "}");
    for (Format format : List.of(new MessagesFormat(), new ResponsesFormat())) {
      AnswerStream stream = format.openStream();
      stream.accept(event);

      assertThat(stream.failed()).isTrue();
      assertThat(format.startEvent(event)).isEqualTo(StartEvent.ERROR);
    }
    String nothing = "data: {'error':null,'detail':'','message':{'content':[]}}";
    assertThat(new MessagesFormat().startEvent(event(nothing))).isEqualTo(StartEvent.EMPTY);
  }

  private static AnswerStream chat(String event) throws IOException {
    AnswerStream stream = new ChatFormat().openStream();
    byte[] received = bytes(json(event + "\n\n"));
    new SseSplitter(1 << 16).feed(received, 0, received.length, stream::accept);
    return stream;
  }

  private static SseEvent event(String event) {
    byte[] received = bytes(json(event + "\n\n"));
    SseEvent made = new SseEvent();
    made.set(received, 0, received.length, true, true);
    return made;
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
