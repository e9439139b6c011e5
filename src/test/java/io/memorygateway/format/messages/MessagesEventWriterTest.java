package io.memorygateway.format.messages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.format.content.Shape;
import io.memorygateway.format.translation.AnswerEvent;
import io.memorygateway.format.translation.AnswerEvent.Arguments;
import io.memorygateway.format.translation.AnswerEvent.Call;
import io.memorygateway.format.translation.AnswerEvent.Cited;
import io.memorygateway.format.translation.AnswerEvent.Close;
import io.memorygateway.format.translation.AnswerEvent.End;
import io.memorygateway.format.translation.AnswerEvent.Fail;
import io.memorygateway.format.translation.AnswerEvent.Finish;
import io.memorygateway.format.translation.AnswerEvent.Sealed;
import io.memorygateway.format.translation.AnswerEvent.Start;
import io.memorygateway.format.translation.AnswerEvent.Text;
import io.memorygateway.format.translation.AnswerEvent.Thought;
import io.memorygateway.format.translation.AnswerWriter;
import io.memorygateway.format.translation.Called;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.format.translation.Names;
import io.memorygateway.format.translation.Piece;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.TestUsage;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.testing.Runs;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MessagesEventWriterTest {
  private static final Start START = new Start("chatcmpl-1", "up", 1, Usage.NONE);
  private static final Usage USAGE = TestUsage.of(100, 30, 10, 50, 20);
  private static final Seal SEAL = new Seal("maker", Shape.CHAT, "{\"reasoning_content\":\"t\"}");

  static Called called(String root) {
    Names names = new Names(List.of(new Tool.Function("get weather", null, null, null, null)));
    return new Called(JsonValue.of(root), names, "m", null, "maker", () -> 7, String::length);
  }

  private static String stream(String root, AnswerEvent... events) {
    AnswerWriter writer = new MessagesTranslator().openWriter(called(root));
    JsonWriter out = new JsonWriter(64);
    for (AnswerEvent event : events) {
      writer.write(event, out);
    }
    return out.toString();
  }

  private static MessagesStreamRules checked(AnswerEvent... events) {
    return MessagesStreamRules.check(stream("{}", events));
  }

  @Test
  void writesAnAnswerAsAnthropicSendsIt() {
    assertThat(
            stream("{}", START, new Text(0, "Hé\n"), new Finish(Stop.END, null, USAGE), new End())
                .replaceFirst("msg_chatcmpl-1_mgw[0-9a-f]{9}", "ID"))
        .isEqualTo(
            """
            event: message_start
            data: {"type":"message_start","message":{"id":"ID","type":"message","role":"assistant","model":"up","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":7,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}}

            event: content_block_start
            data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

            event: content_block_delta
            data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hé\\n"}}

            event: content_block_stop
            data: {"type":"content_block_stop","index":0}

            event: message_delta
            data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"input_tokens":60,"cache_creation_input_tokens":10,"cache_read_input_tokens":30,"output_tokens":50,"output_tokens_details":{"thinking_tokens":20}}}

            event: message_stop
            data: {"type":"message_stop"}

            """);
  }

  @Test
  void holdsBackOnlyWhatWaitsForAnOpenCall() {
    MessagesStreamRules rules =
        checked(
            START,
            new Text(0, "Let me "),
            new Call(1, "a", "f"),
            new Arguments(1, "{\"x\":"),
            new Call(2, "b", new Names(List.of()).sent("get weather")),
            new Arguments(2, "{\"y\":"),
            new Arguments(1, "1}"),
            new Text(3, "see"),
            new Arguments(2, "2}"),
            new Close(2),
            new Close(1),
            new Text(0, "."),
            new Finish(Stop.END, null, USAGE),
            new End());

    assertThat(rules.content())
        .containsExactly(
            "{\"type\":\"text\",\"text\":\"Let me \"}",
            "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"f\",\"input\":{\"x\":1}}",
            "{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"get weather\",\"input\":{\"y\":2}}",
            "{\"type\":\"text\",\"text\":\"see\"}",
            "{\"type\":\"text\",\"text\":\".\"}");
    assertThat(rules.reason()).as("there are calls").isEqualTo("tool_use");
  }

  @Test
  void aCitationQuotesWhatItIsOf() {
    assertThat(
            checked(
                    START,
                    new Text(0, "It is "),
                    new Text(0, "true."),
                    new Cited(0, new Piece.Citation("https://u", "T", null, 3, 10)),
                    new Cited(0, new Piece.Citation("https://u", "T", "said", 3, 10)),
                    new Cited(0, new Piece.Citation("https://u", "T", null, 3, 90)),
                    new Finish(Stop.END, null, USAGE),
                    new End())
                .content()
                .get(0))
        .containsSubsequence(
            "\"cited_text\":\"is true\"", "\"cited_text\":\"said\"", "\"cited_text\":\"\"");
  }

  @Test
  void showsEachDeltaAtOnce() {
    AnswerWriter writer = new MessagesTranslator().openWriter(called("{}"));
    for (AnswerEvent event :
        new AnswerEvent[] {
          START,
          new Thought(0, "t"),
          new Text(1, "a"),
          new Call(2, "c", "f"),
          new Arguments(2, "{\"a\":\"b"),
          new Close(2),
          new Text(3, "z")
        }) {
      JsonWriter out = new JsonWriter(64);
      writer.write(event, out);
      assertThat(out.length()).as("%s", event).isPositive();
    }
  }

  @Test
  void sealsThoughtsWhereverTheSealComes() {
    assertThat(
            checked(
                    START,
                    new Thought(0, "t"),
                    new Sealed(0, SEAL),
                    new Close(0),
                    new Thought(1, "u"),
                    new Text(2, "a"),
                    new Sealed(1, SEAL),
                    new Text(3, "b"),
                    new Finish(Stop.END, null, USAGE),
                    new End())
                .content())
        .containsExactly(
            "{\"type\":\"thinking\",\"thinking\":\"t\",\"signature\":\"" + SEAL.text() + "\"}",
            "{\"type\":\"thinking\",\"thinking\":\"u\",\"signature\":\"\"}",
            "{\"type\":\"text\",\"text\":\"a\"}",
            "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"" + SEAL.text() + "\"}",
            "{\"type\":\"text\",\"text\":\"b\"}");
  }

  @Test
  void leavesOutTheTextOfThoughtsWhereItIsNotWanted() {
    String stream =
        stream(
            "{\"thinking\":{\"type\":\"adaptive\",\"display\":\"omitted\"}}",
            START,
            new Thought(0, "secret"),
            new Sealed(0, SEAL),
            new Close(0),
            new Finish(Stop.END, null, USAGE),
            new End());

    assertThat(stream).doesNotContain("secret");
    assertThat(MessagesStreamRules.check(stream).content()).hasSize(1);
  }

  @Test
  void writesCitationsAndRefusals() {
    MessagesStreamRules rules =
        checked(
            START,
            new Text(0, "a"),
            new Cited(0, new Piece.Citation("https://x", "T", "q", 0, 1)),
            new AnswerEvent.Refusal(1, "No."),
            new Finish(Stop.END, null, USAGE),
            new End());

    assertThat(rules.content().get(0)).contains("\"url\":\"https://x\"", "\"cited_text\":\"q\"");
    assertThat(rules.content().get(1)).contains("No.");
    assertThat(rules.reason()).isEqualTo("refusal");
  }

  @Test
  void mapsEachReason() {
    assertThat(reason(Stop.END)).isEqualTo("end_turn");
    assertThat(reason(Stop.LENGTH)).isEqualTo("max_tokens");
    assertThat(reason(Stop.TOOLS)).as("without a call").isEqualTo("end_turn");
    assertThat(reason(Stop.SEQUENCE)).isEqualTo("stop_sequence");
    assertThat(reason(Stop.REFUSAL)).isEqualTo("refusal");
    assertThat(reason(Stop.PAUSE)).isEqualTo("end_turn");
    assertThat(reason(Stop.UNKNOWN)).isEqualTo("end_turn");
  }

  private static String reason(Stop stop) {
    return checked(START, new Finish(stop, null, USAGE), new End()).reason();
  }

  @Test
  void countsWhatTheTargetDoesNotSay() {
    MessagesStreamRules rules =
        checked(START, new Text(0, "four"), new Finish(Stop.END, null, Usage.NONE), new End());

    assertThat(rules.usage().index("input_tokens")).isEqualTo(7);
    assertThat(rules.usage().index("output_tokens")).isEqualTo(4);
  }

  @Test
  void tellsAFailureAtAnyTimeAndNothingBehindIt() {
    Fail fail = new Fail(new Fault(429, "x", "Slow down.", null, false));

    assertThat(checked(fail, new Text(0, "a"), new End()).error()).isEqualTo("rate_limit_error");
    assertThat(checked(START, new Text(0, "a"), fail).error()).isEqualTo("rate_limit_error");
    assertThat(checked(START, new End()).failed()).as("without a finish").isTrue();
  }

  @Test
  void keepsBrokenArgumentsReadable() {
    assertThat(arguments(Stop.TOOLS, "{not ", "json")).isEqualTo("{\"arguments\":\"{not json\"}");
    assertThat(arguments(Stop.TOOLS, "no", "thing")).isEqualTo("{\"arguments\":\"nothing\"}");
    assertThat(arguments(Stop.TOOLS, "", "")).isEqualTo("{}");
    assertThat(arguments(Stop.TOOLS, "{\"a\":[1,tru", "x")).startsWith("{\"a\":[1,null],\"arg");
    assertThat(arguments(Stop.LENGTH, "{\"a\":", "\"b")).isEqualTo("\"{\\\"a\\\":\\\"b\"");
  }

  private static String arguments(Stop stop, String one, String other) {
    String block =
        checked(
                START,
                new Call(0, "c", "f"),
                new Arguments(0, one),
                new Arguments(0, other),
                new Finish(stop, null, USAGE),
                new End())
            .content()
            .get(0);
    return block.substring(block.indexOf("\"input\":") + 8, block.length() - 1);
  }

  @Test
  void makesAnAnswerOfWhateverComes() {
    for (int seed = 0; seed < Runs.of(5_000); seed++) {
      Random random = new Random(seed);
      List<AnswerEvent> events = new ArrayList<>();
      StringBuilder texts = new StringBuilder();
      int begun = 0;
      int calls = 0;
      for (int i = random.nextInt(60); i > 0; i--) {
        int piece = random.nextInt(begun + 1);
        boolean fresh = piece == begun;
        begun += fresh ? 1 : 0;
        switch (random.nextInt(fresh ? 4 : 7)) {
          case 0 -> {
            texts.append('t').append(i);
            events.add(new Text(100 + piece, "t" + i));
          }
          case 1 -> events.add(new Thought(200 + piece, "h"));
          case 2, 3 -> events.add(new Call(300 + i, "c" + calls++, "f"));
          case 4 -> events.add(new Arguments(300 + random.nextInt(60), "{\"a\":\""));
          case 5 -> events.add(new Sealed(200 + piece, SEAL));
          default -> events.add(new Close(100 * (1 + random.nextInt(3)) + random.nextInt(60)));
        }
      }
      events.add(
          new Finish(
              List.of(Stop.values()).get(random.nextInt(Stop.values().length)), null, USAGE));
      events.add(new End());
      MessagesStreamRules rules = checked(events.toArray(AnswerEvent[]::new));

      String written = String.join("", rules.content());
      assertThat(written.split("tool_use", -1)).as("seed %s", seed).hasSize(calls + 1);
      assertThat(rules.content().stream().map(JsonValue::of).map(b -> b.text("text")).toList())
          .as("seed %s", seed)
          .satisfies(all -> assertThat(String.join("", all)).hasSameSizeAs(texts));
    }
  }

  @Test
  void findsViolations() {
    String good =
        stream("{}", START, new Text(0, "a"), new Finish(Stop.END, null, USAGE), new End());
    String[] events = good.split("(?<=\n\n)");
    for (int i = 0; i < events.length; i++) {
      if (i == 2) {
        continue; // An empty text is an answer too.
      }
      List<String> fewer = new ArrayList<>(List.of(events));
      fewer.remove(i);
      assertThatThrownBy(() -> MessagesStreamRules.check(String.join("", fewer)))
          .as("without event %s", i)
          .isInstanceOf(AssertionError.class);
    }
  }
}
