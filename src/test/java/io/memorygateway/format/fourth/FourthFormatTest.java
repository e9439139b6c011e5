package io.memorygateway.format.fourth;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.Calls;
import io.memorygateway.format.Format;
import io.memorygateway.format.align.Alignment;
import io.memorygateway.format.answer.AnswerAssembler;
import io.memorygateway.format.answer.AnswerReplay;
import io.memorygateway.format.answer.AnswerStream;
import io.memorygateway.format.answer.StartEvent;
import io.memorygateway.format.answer.WholeAnswer;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MemoryContext;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.format.translation.CountedStream;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.Terms;
import io.memorygateway.format.translation.Translation;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonValue;
import io.memorygateway.sse.SseEvent;
import io.memorygateway.sse.SseSplitter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A format that nothing outside its package knows does what the others do: its calls are
 * translated, both ways, a thread goes on in it, its answers are stored, given again, counted and
 * checked. How its streams are translated is in {@code StreamPairsTest}.
 */
class FourthFormatTest {
  private static final String TALK =
      """
      {'model':'m','most':99,'temperature':0.5,'mood':'glad',
       'tools':[{'tool':'weather','about':'of a town','takes':{'type':'object'}}],
       'say':[{'by':'rules','content':'be short'},
              {'by':'human','content':'how is it in Bonn?'},
              {'by':'model','content':'I look.',
               'asks':[{'key':'c1','tool':'weather','with':{'town':'Bonn'}}]},
              {'by':'tool','key':'c1','content':'rain'},
              {'by':'model','content':'It rains.'},
              {'by':'human','content':'and now?'}]}
      """
          .replace('\'', '"');

  private static final List<String> SAID =
      List.of(
          "be short",
          "how is it in Bonn?",
          "I look.",
          "weather{\"town\":\"Bonn\"}",
          "=rain",
          "It rains.",
          "and now?");

  private static final String ANSWER =
      """
      {'model':'up','usage':{'read':7,'cached':2,'written':3,'thought':0},
       'output':[{'kind':'start','key':'k','model':'up','at':9},
                 {'kind':'text','piece':0,'more':'Sun.'},{'kind':'close','piece':0},
                 {'kind':'end','why':'END','usage':{'read':7,'cached':2,'written':3,'thought':0}}]}
      """
          .replace('\'', '"');

  private static final Format FOURTH = new FourthFormat();

  static Stream<Format> others() {
    return Stream.of(new ChatFormat(), new MessagesFormat(), new ResponsesFormat());
  }

  private static Translation translation(Format called, Format target, byte[] call)
      throws Exception {
    Terms terms = new Terms(Calls.model("up"), "maker", 9999, "max_tokens", false, "key");
    return Translation.of(
        called.translator(),
        target.translator(),
        call,
        () -> call,
        terms,
        null,
        () -> 7,
        String::length);
  }

  private static List<String> said(List<Utterance> messages) {
    List<String> said = new ArrayList<>();
    for (Utterance message : messages) {
      for (Part part : message.parts()) {
        if (part instanceof Part.ToolCall call) {
          said.add(call.name() + call.arguments());
        } else if (part instanceof Part.ToolResult result) {
          said.add("=" + result.text());
        } else {
          said.add(Part.textOf(List.of(part)));
        }
      }
    }
    return said;
  }

  private static Request read(Format format, byte[] call) throws Exception {
    return format.translator().read(JsonValue.parse(call), new Dropped());
  }

  @ParameterizedTest
  @MethodSource("others")
  void aCallSaysTheSameInAnotherFormatAndBack(Format other) throws Exception {
    Translation there = translation(FOURTH, other, TALK.getBytes(UTF_8));
    Translation back = translation(other, FOURTH, there.body());

    for (Request read : List.of(read(other, there.body()), read(FOURTH, back.body()))) {
      assertThat(said(read.messages())).isEqualTo(SAID);
      assertThat(read.tools()).extracting("name").containsExactly("weather");
      assertThat(read.maxOutput()).isEqualTo(99);
      assertThat(read.shared().get("temperature").value().raw()).isEqualTo("0.5");
    }
    assertThat(there.dropped().names()).containsExactly("mood");
  }

  @ParameterizedTest
  @MethodSource("others")
  void anAnswerAndAnErrorAreToldInTheFormatOfTheCall(Format other) throws Exception {
    byte[] call = translation(FOURTH, other, TALK.getBytes(UTF_8)).body();
    Translation toFourth = translation(other, FOURTH, call);
    byte[] told = toFourth.answer(toFourth.read(ANSWER.getBytes(UTF_8)));
    Translation toOther = translation(FOURTH, other, TALK.getBytes(UTF_8));
    byte[] again = toOther.answer(toOther.read(told));

    for (Format format : List.of(other, FOURTH)) {
      byte[] answer = format == other ? told : again;
      assertThat(format.completion(answer).text()).isEqualTo("Sun.");
      assertThat(format.wholeAnswer(answer).content()).isEqualTo(WholeAnswer.Content.ANSWER);
      assertThat(format.wholeAnswer(answer).usage().get(Figure.INPUT_TOKENS)).isEqualTo(7);
    }
    Fault fault = new Fault(429, "rate_limit_error", "too many", null, false);
    assertThat(new String(toOther.error(fault), UTF_8)).contains("too many");
    assertThat(FOURTH.wholeAnswer(toOther.error(fault)).isError()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("others")
  void aThreadOfOneFormatGoesOnInAnother(Format other) throws Exception {
    byte[] theirs = translation(FOURTH, other, TALK.getBytes(UTF_8)).body();
    goesOn(FOURTH, TALK, other, "{'model':'m','%s':[{'role':'user','content':'next'}]}");
    goesOn(
        other,
        new String(theirs, UTF_8),
        FOURTH,
        "{'model':'m','%s':[{'by':'human','content':'next'}]}");
  }

  private static void goesOn(Format from, String call, Format to, String next) throws Exception {
    List<StoredMessage> stored = Calls.read(from, call).messages();
    Conversation fresh =
        Calls.fresh(
            Calls.read(to, next.formatted(to.inputMember())), new Alignment(0, 0, stored.size()));
    byte[] body = to.write(fresh, Calls.model("up"), new MemoryContext("seen", stored));

    List<String> said = new ArrayList<>(SAID.subList(1, SAID.size()));
    said.add(0, "seen");
    said.add("next");
    assertThat(String.join("", said(read(to, body).messages())).replace("\n", ""))
        .isEqualTo(String.join("", said));
  }

  @ParameterizedTest
  @MethodSource("others")
  void anAnswerIsStoredAndGivenAgain(Format other) throws Exception {
    AnswerReplay.Answered answered =
        new AnswerReplay.Answered(
            FOURTH.replay().metadata(ANSWER.getBytes(UTF_8), true),
            FOURTH.answer(ANSWER.getBytes(UTF_8)));
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    FOURTH.replay().stream(answered, stream);
    AnswerAssembler assembler = FOURTH.openAssembler(1 << 20, more -> true, true);
    AnswerStream watch = FOURTH.openStream();
    List<StartEvent> starts = new ArrayList<>();
    each(
        stream.toByteArray(),
        event -> {
          assembler.accept(event);
          watch.accept(event);
          starts.add(FOURTH.startEvent(event));
        });

    assertThat(FOURTH.answer(FOURTH.replay().body(answered))).isEqualTo(answered.messages());
    assertThat(assembler.messages()).isEqualTo(answered.messages());
    assertThat(assembler.metadata()).isEqualTo(answered.metadata());
    assertThat(watch.ended()).isTrue();
    assertThat(watch.usage().get(Figure.OUTPUT_TOKENS)).isEqualTo(3);
    assertThat(starts).startsWith(StartEvent.EMPTY, StartEvent.CONTENT);
    AnswerReplay.Answered theirs = new AnswerReplay.Answered("{}", assembler.messages());
    assertThat(other.completion(other.replay().body(theirs)).text()).isEqualTo("Sun.");
  }

  @Test
  void aStreamThatBreaksOffEndsWithItsError() throws Exception {
    AnswerStream watch = FOURTH.openStream();

    each(watch.errorEvent("upstream_error", "gone"), watch::accept);

    assertThat(watch.failed()).isTrue();
  }

  @Test
  void aStreamIsCountedAndEndedAtItsLimit() throws Exception {
    CountedStream counted = FOURTH.openCounted(String::length);
    JsonValue line = JsonValue.of("{\"kind\":\"text\",\"piece\":0,\"more\":\"four\"}");

    assertThat(counted.read("", line)).isEqualTo(4);
    AnswerStream watch = FOURTH.openStream();
    each(
        counted.end(
            new Usage(Figures.NONE.with(Figure.INPUT_TOKENS, 5).with(Figure.OUTPUT_TOKENS, 4))),
        watch::accept);
    assertThat(watch.ended()).isTrue();
    assertThat(watch.usage().get(Figure.OUTPUT_TOKENS)).isEqualTo(4);
  }

  private static void each(byte[] stream, java.util.function.Consumer<SseEvent> sink)
      throws IOException {
    SseSplitter splitter = new SseSplitter(1 << 20);
    splitter.feed(stream, 0, stream.length, sink::accept);
  }
}
