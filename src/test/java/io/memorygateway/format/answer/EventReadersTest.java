package io.memorygateway.format.answer;

import static io.memorygateway.format.Calls.json;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.Format;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.json.JsonValue;
import io.memorygateway.sse.SseEvent;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * All readers of an event see the same of it, whatever a server wrote into it: a byte of a
 * character that was cut, or a number that JSON does not have.
 */
class EventReadersTest {
  /** By which all that comes behind must not be lost; JSON members. */
  private static final String CUT = "'x':'\u00e2\u0082'";

  private static final String NAN = "'x':NaN";

  private static SseEvent event(String name, String data) {
    String line = name.isEmpty() ? "" : "event: " + name + "\n";
    byte[] bytes = (line + "data: " + json(data) + "\n\n").getBytes(ISO_8859_1);
    SseEvent event = new SseEvent();
    event.set(bytes, 0, bytes.length, true, true);
    return event;
  }

  @ParameterizedTest
  @ValueSource(strings = {CUT, NAN, "'x':[-Infinity]", "'x':0"})
  void theEndOfAnAnswerIsReadByAll(String odd) {
    String choice = "{%s,'delta':{'content':'a'},'finish_reason':'stop'}".formatted(odd);
    String usage = "'usage':{'prompt_tokens':5,'completion_tokens':3}";
    isRead(
        new ChatFormat(),
        event("", "{%s,'id':'i','choices':[%s],%s}".formatted(odd, choice, usage)),
        "stop");
    usage = "'usage':{'input_tokens':5,'output_tokens':3}";
    String item =
        "{%s,'type':'message','content':[{'type':'output_text','text':'a'}]}".formatted(odd);
    isRead(
        new ResponsesFormat(),
        event(
            "response.completed",
            "{%s,'type':'response.completed','response':{'id':'i','output':[%s],'status':'completed',%s}}"
                .formatted(odd, item, usage)),
        "completed");
    AnswerStream watch = new MessagesFormat().openStream();
    AnswerSummaryReader summary = new AnswerSummaryReader();
    SseEvent end =
        event(
            "message_delta",
            "{%s,'type':'message_delta','delta':{%s,'stop_reason':'end_turn'},%s}"
                .formatted(odd, odd, usage));
    watch.accept(end);
    summary.accept(end);
    assertThat(watch.usage().get(Figure.OUTPUT_TOKENS)).isEqualTo(3);
    assertThat(summary.summary().finishReasons()).containsExactly("end_turn");
  }

  private static void isRead(Format format, SseEvent end, String reason) {
    AnswerStream watch = format.openStream();
    AnswerSummaryReader summary = new AnswerSummaryReader();
    AnswerAssembler assembler = format.openAssembler(1 << 20, bytes -> true, false);
    watch.accept(end);
    summary.accept(end);
    assembler.accept(end);

    assertThat(format.startEvent(end)).isEqualTo(StartEvent.CONTENT);
    assertThat(watch.complete()).isTrue();
    assertThat(watch.failed()).isFalse();
    assertThat(watch.usage().get(Figure.INPUT_TOKENS)).isEqualTo(5);
    assertThat(watch.usage().get(Figure.OUTPUT_TOKENS)).isEqualTo(3);
    assertThat(summary.summary().id()).isEqualTo("i");
    assertThat(summary.summary().finishReasons()).containsExactly(reason);
    assertThat(assembler.unreadable()).isFalse();
    assertThat(assembler.messages()).singleElement().asString().contains("a");
  }

  @ParameterizedTest
  @ValueSource(strings = {CUT, NAN})
  void theTypeOfAnEventWithoutANameIsReadByAll(String odd) {
    SseEvent end = event("", "{%s,'type':'message_stop'}".formatted(odd));
    SseEvent error = event("", "{%s,'type':'error','error':{}}".formatted(odd));
    SseEvent says =
        event(
            "", "{%s,'index':0,'delta':{'text':'a'},'type':'content_block_delta'}".formatted(odd));
    Format messages = new MessagesFormat();
    AnswerStream ends = messages.openStream();
    AnswerStream fails = messages.openStream();
    AnswerAssembler assembler = messages.openAssembler(1 << 20, bytes -> true, false);
    ends.accept(end);
    fails.accept(error);
    assembler.accept(says);

    assertThat(ends.ended()).isTrue();
    assertThat(fails.failed()).isTrue();
    assertThat(messages.startEvent(says)).isEqualTo(StartEvent.CONTENT);
    assertThat(assembler.messages()).hasSize(1);
  }

  /** As members of other kinds that many servers have in each event. */
  @ParameterizedTest
  @ValueSource(strings = {"NaN", "-Infinity", "null"})
  void anErrorThatIsNoNumberIsNone(String error) {
    SseEvent chunk =
        event("", "{'error':%s,'choices':[{'delta':{'content':'a'}}]}".formatted(error));
    AnswerStream watch = new ChatFormat().openStream();
    watch.accept(chunk);

    assertThat(watch.failed()).isFalse();
    assertThat(new ChatFormat().startEvent(chunk)).isEqualTo(StartEvent.CONTENT);
  }

  /** Of the turn and of the span, behind a budget and the check of the start. */
  @Test
  void theTreeOfAnEventIsMadeOnce() {
    SseEvent event = event("", "{'choices':[{'delta':{'content':'a'}}]}");
    StartEvent kind = new ChatFormat().startEvent(event);
    List<JsonValue> read = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      new EventAssembler(1 << 20, bytes -> true) {
        @Override
        protected void read(String type, JsonValue data) {
          read.add(data);
        }

        @Override
        public List<StoredMessage> messages() {
          return List.of();
        }

        @Override
        public String metadata() {
          return "{}";
        }
      }.accept(event);
    }

    assertThat(kind).isEqualTo(StartEvent.CONTENT);
    assertThat(read).hasSize(2).allMatch(tree -> tree == event.json());
  }

  @Test
  void aCountThatIsNoNumberHidesNoOther() {
    AnswerStream watch = new ChatFormat().openStream();
    watch.accept(event("", "{'usage':{'prompt_tokens':NaN,'completion_tokens':3},'choices':[]}"));

    assertThat(watch.usage().get(Figure.INPUT_TOKENS)).isEqualTo(Figures.UNKNOWN);
    assertThat(watch.usage().get(Figure.OUTPUT_TOKENS)).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"[DONE]", " [DONE]", "[DONE] ", "\t[DONE]\t"})
  void blanksAroundTheEndOfChatAreNoPartOfIt(String data) {
    SseEvent end = event("", data);
    AnswerStream watch = new ChatFormat().openStream();
    watch.accept(end);

    assertThat(watch.ended()).isTrue();
    assertThat(new ChatFormat().startEvent(end)).isEqualTo(StartEvent.END);
    assertThat(end.hasWholeData()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"NaN, true", "-Infinity, true", "'\u00e2\u0082', true", "Na, false", "-Inf, false"})
  void whatReadersTakeIsWhole(String value, boolean whole) {
    String quoted = value.startsWith("\u00e2") ? "'" + value + "'" : value;

    assertThat(event("", "{'x':" + quoted + "}").hasWholeData()).isEqualTo(whole);
  }
}
