package io.memorygateway.format.messages;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.content.Shape;
import io.memorygateway.format.translation.Answer;
import io.memorygateway.format.translation.AnswerEvent;
import io.memorygateway.format.translation.AnswerReader;
import io.memorygateway.format.translation.AnswerWriter;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.Piece;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.TestUsage;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.testing.Runs;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MessagesEventReaderTest {
  private static final List<String> STREAM =
      List.of(
          "{'type':'message_start','message':{'id':'msg_1','type':'message','role':'assistant',"
              + "'model':'claude','content':[],'stop_reason':null,'stop_sequence':null,"
              + "'usage':{'input_tokens':5,'cache_read_input_tokens':10,'output_tokens':1}}}",
          "{'type':'content_block_start','index':0,'content_block':{'type':'thinking',"
              + "'thinking':'','signature':''}}",
          "{'type':'ping'}",
          "{'type':'content_block_delta','index':0,'delta':{'type':'thinking_delta',"
              + "'thinking':'hm'}}",
          "{'type':'content_block_delta','index':0,'delta':{'type':'signature_delta',"
              + "'signature':'sig'}}",
          "{'type':'content_block_stop','index':0}",
          "{'type':'content_block_start','index':1,'content_block':{'type':'text','text':''}}",
          "{'type':'content_block_delta','index':1,'delta':{'type':'text_delta','text':'Hel'}}",
          "{'type':'content_block_delta','index':1,'delta':{'type':'text_delta','text':'lo'}}",
          "{'type':'content_block_delta','index':1,'delta':{'type':'citations_delta','citation':"
              + "{'type':'web_search_result_location','url':'https://x','cited_text':'q'}}}",
          "{'type':'content_block_stop','index':1}",
          "{'type':'content_block_start','index':2,'content_block':{'type':'tool_use','id':'c',"
              + "'name':'f','input':{}}}",
          "{'type':'content_block_delta','index':2,'delta':{'type':'input_json_delta',"
              + "'partial_json':'{^x^'}}",
          "{'type':'content_block_delta','index':2,'delta':{'type':'input_json_delta',"
              + "'partial_json':':1}'}}",
          "{'type':'content_block_stop','index':2}",
          "{'type':'message_delta','delta':{'stop_reason':'tool_use','stop_sequence':null},"
              + "'usage':{'output_tokens':9}}",
          "{'type':'message_stop'}");

  private static JsonValue json(String quoted) {
    return JsonValue.of(quoted.replace('\'', '"').replace("^", "\\\""));
  }

  private static List<AnswerEvent> read(List<String> stream) {
    AnswerReader reader = new MessagesTranslator().openReader("maker", new CallIds());
    List<AnswerEvent> events = new ArrayList<>();
    stream.forEach(data -> reader.read("", json(data), events::add));
    reader.end(events::add);
    return events;
  }

  private static List<AnswerEvent> read(String... stream) {
    List<String> all = new ArrayList<>();
    all.add(STREAM.get(0));
    all.addAll(List.of(stream));
    all.add(STREAM.get(15));
    all.add(STREAM.get(16));
    return read(all);
  }

  @Test
  void readsAnAnswer() {
    String raw = "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"sig\"}";

    assertThat(read(STREAM))
        .containsExactly(
            new AnswerEvent.Start("msg_1", "claude", 0, TestUsage.of(15, 10, -1, 1, -1)),
            new AnswerEvent.Thought(0, "hm"),
            new AnswerEvent.Sealed(0, new Seal("maker", Shape.MESSAGES, raw)),
            new AnswerEvent.Close(0),
            new AnswerEvent.Text(1, "Hel"),
            new AnswerEvent.Text(1, "lo"),
            new AnswerEvent.Cited(1, new Piece.Citation("https://x", null, "q", 0, 5)),
            new AnswerEvent.Close(1),
            new AnswerEvent.Call(2, "c", "f"),
            new AnswerEvent.Arguments(2, "{\"x\""),
            new AnswerEvent.Arguments(2, ":1}"),
            new AnswerEvent.Close(2),
            new AnswerEvent.Finish(Stop.TOOLS, null, TestUsage.of(15, 10, -1, 9, -1)),
            new AnswerEvent.End());
  }

  @Test
  void readsArgumentsThatComeWithTheStart() {
    assertThat(
            read(
                "{'type':'content_block_start','index':0,'content_block':{'type':'tool_use',"
                    + "'id':'c','name':'f','input':{'x':1}}}",
                STREAM.get(14).replace("2", "0")))
        .contains(new AnswerEvent.Arguments(0, "{\"x\":1}"), new AnswerEvent.Close(0));
  }

  @Test
  void readsArgumentsThatComeBeforeTheirCallAndBehindItsEnd() {
    List<AnswerEvent> events = read(STREAM.get(12), STREAM.get(11), STREAM.get(14), STREAM.get(13));

    assertThat(events)
        .containsSubsequence(
            new AnswerEvent.Call(0, "c", "f"),
            new AnswerEvent.Arguments(0, "{\"x\""),
            new AnswerEvent.Arguments(0, ":1}"));
  }

  /** Only the reason behind it tells whether a call has no arguments or was cut off. */
  @Test
  void leavesACallOpenThatWasCutBeforeItsArguments() {
    List<String> call = new ArrayList<>(List.of(STREAM.get(0)));
    STREAM.subList(11, 15).forEach(event -> call.add(event.replace("2", "0")));
    call.set(2, call.get(2).replace("{^x^", ""));
    call.remove(3);
    List<String> cut = new ArrayList<>(call);
    cut.add(STREAM.get(15).replace("tool_use", "max_tokens"));
    cut.add(STREAM.get(16));
    List<String> two = new ArrayList<>(call);
    STREAM.subList(11, 17).forEach(event -> two.add(event.replace("'c'", "'d'")));

    assertThat(read(cut)).contains(new AnswerEvent.Call(0, "c", "f"));
    assertThat(read(cut)).doesNotContain(new AnswerEvent.Close(0));
    assertThat(read(two))
        .containsSubsequence(
            new AnswerEvent.Close(0), new AnswerEvent.Call(1, "d", "f"), new AnswerEvent.Close(1));
  }

  @Test
  void readsBlocksThatAreAnnouncedTwice() {
    assertThat(
            read(
                STREAM.get(11),
                STREAM.get(11),
                STREAM.get(12),
                STREAM.get(13),
                STREAM.get(14),
                STREAM.get(11),
                STREAM.get(13)))
        .filteredOn(event -> event instanceof AnswerEvent.Arguments)
        .hasSize(2);
  }

  @Test
  void readsContentBehindTheReason() {
    assertThat(read(STREAM.get(15), STREAM.get(7)))
        .contains(new AnswerEvent.Text(0, "Hel"))
        .endsWith(
            new AnswerEvent.Finish(Stop.TOOLS, null, TestUsage.of(15, 10, -1, 9, -1)),
            new AnswerEvent.End());
  }

  @Test
  void failsWhereTheStreamDoesNotEndOrACallHasNoName() {
    assertThat(last(read(STREAM.subList(0, 16)))).isInstanceOf(AnswerEvent.Fail.class);
    assertThat(last(read(List.of()))).isInstanceOf(AnswerEvent.Fail.class);
    assertThat(last(read(STREAM.get(12), STREAM.get(13)))).isInstanceOf(AnswerEvent.Fail.class);
  }

  @Test
  void failsWithTheErrorThatIsTold() {
    AnswerEvent.Fail fail =
        (AnswerEvent.Fail)
            last(
                read(
                    STREAM.get(6),
                    "{'type':'error','error':{'type':'overloaded_error','message':'Busy'}}"));

    assertThat(fail.fault().status()).isEqualTo(529);
    assertThat(fail.fault().message()).isEqualTo("Busy");
  }

  private static AnswerEvent last(List<AnswerEvent> events) {
    return events.get(events.size() - 1);
  }

  @Test
  void readsAHundredCallsThatInterleave() {
    List<String> stream = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      stream.add(STREAM.get(11).replace("2", "" + i).replace("'c'", "'c" + i + "'"));
    }
    for (int part = 12; part <= 14; part++) {
      for (int i = 0; i < 100; i++) {
        stream.add(STREAM.get(part).replace("'index':2", "'index':" + i));
      }
    }

    assertThat(read(stream.toArray(String[]::new)))
        .filteredOn(event -> event instanceof AnswerEvent.Close)
        .hasSize(100);
  }

  @Test
  void aNativeStreamKeepsTheRulesOfWrittenOnes() {
    MessagesStreamRules rules = new MessagesStreamRules();
    STREAM.forEach(data -> rules.take(json(data).text("type"), json(data)));
    rules.end();

    assertThat(rules.content()).hasSize(3);
  }

  /** A native stream, translated to itself. */
  @Test
  void isReadToTheSameMessageAsItIsWritten() {
    AnswerWriter writer = new MessagesTranslator().openWriter(MessagesEventWriterTest.called("{}"));
    JsonWriter out = new JsonWriter(64);
    read(STREAM).forEach(event -> writer.write(event, out));
    MessagesStreamRules rules = MessagesStreamRules.check(out.toString());

    Answer again =
        new MessagesTranslator()
            .readAnswer(JsonValue.of(rules.message() + "}"), "m", new CallIds());

    assertThat(again.id()).startsWith("msg_1_");
    assertThat(again.pieces()).hasSize(3);
    assertThat(again.pieces().get(2)).isEqualTo(new Piece.Call("c", "f", "{\"x\":1}"));
  }

  @Test
  void makesAWellFormedAnswerOfWhateverIsSent() {
    String[] odd = {
      "{}",
      "[]",
      "null",
      "7",
      "{'type':'unknown','index':1}",
      "{'type':'content_block_start'}",
      "{'type':'content_block_start','index':'x','content_block':7}",
      "{'type':'content_block_start','index':9,'content_block':{'type':'new_kind'}}",
      "{'type':'content_block_delta','index':{},'delta':{'type':'text_delta','text':[]}}",
      "{'type':'content_block_delta','delta':{'type':'input_json_delta','partial_json':{}}}",
      "{'type':'content_block_stop','index':-4}",
      "{'type':'message_delta','delta':7,'usage':'none'}",
      "{'type':'message_start','message':[]}"
    };
    for (int seed = 0; seed < Runs.of(20_000); seed++) {
      Random random = new Random(seed);
      List<String> stream = new ArrayList<>(STREAM);
      for (int i = random.nextInt(4); i >= 0; i--) {
        int at = random.nextInt(stream.size());
        switch (random.nextInt(6)) {
          case 0 -> stream.remove(at);
          case 1 -> stream.add(at, stream.get(at));
          case 2 -> stream.add(random.nextInt(stream.size()), stream.remove(at));
          case 3 -> stream.subList(at, stream.size()).clear();
          case 4 -> stream.add(at, odd[random.nextInt(odd.length)]);
          default -> stream.set(at, odd[random.nextInt(odd.length)]);
        }
        if (stream.isEmpty()) {
          break;
        }
      }
      List<AnswerEvent> events = read(stream);
      checkOrder(events, seed);
      AnswerWriter writer =
          new MessagesTranslator().openWriter(MessagesEventWriterTest.called("{}"));
      JsonWriter out = new JsonWriter(64);
      events.forEach(event -> writer.write(event, out));
      MessagesStreamRules rules = MessagesStreamRules.check(out.toString());
      int end = stream.indexOf(STREAM.get(16));
      boolean named = stream.subList(0, Math.max(end, 0)).contains(STREAM.get(11));
      assertThat(!named || rules.failed() || rules.content().toString().contains("tool_use"))
          .as("seed %s: no call is lost", seed)
          .isTrue();
    }
  }

  /** What {@link AnswerEvent} promises. */
  private static void checkOrder(List<AnswerEvent> events, int seed) {
    Set<Integer> begun = new HashSet<>();
    Set<Integer> closed = new HashSet<>();
    for (int i = 0; i < events.size(); i++) {
      AnswerEvent event = events.get(i);
      boolean isLast = i == events.size() - 1;
      assertThat(event instanceof AnswerEvent.Fail || event instanceof AnswerEvent.End)
          .as("seed %s", seed)
          .isEqualTo(isLast);
      assertThat(event instanceof AnswerEvent.Start)
          .isEqualTo(i == 0 && !(event instanceof AnswerEvent.Fail));
      Integer piece = piece(event);
      if (piece != null) {
        assertThat(closed).as("seed %s", seed).doesNotContain(piece);
        boolean begins = begun.add(piece);
        assertThat(!begins || piece == begun.size() - 1).as("seed %s", seed).isTrue();
        if (event instanceof AnswerEvent.Close) {
          closed.add(piece);
        }
      }
    }
  }

  private static Integer piece(AnswerEvent event) {
    if (event instanceof AnswerEvent.Text text) {
      return text.piece();
    } else if (event instanceof AnswerEvent.Thought thought) {
      return thought.piece();
    } else if (event instanceof AnswerEvent.Call call) {
      return call.piece();
    } else if (event instanceof AnswerEvent.Arguments arguments) {
      return arguments.piece();
    }
    return event instanceof AnswerEvent.Close close ? close.piece() : null;
  }
}
