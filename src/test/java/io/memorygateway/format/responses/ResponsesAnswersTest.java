package io.memorygateway.format.responses;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.base.Splitter;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.translation.Answer;
import io.memorygateway.format.translation.AnswerEvent;
import io.memorygateway.format.translation.AnswerReader;
import io.memorygateway.format.translation.AnswerWriter;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.Called;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.format.translation.Names;
import io.memorygateway.format.translation.Piece;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.TestUsage;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.testing.Runs;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ResponsesAnswersTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Usage USAGE = TestUsage.of(10, 4, 0, 5, 2);

  private static final String CALL =
      """
      {"model":"m","input":"x","temperature":0.2,"tools":[
        {"type":"function","name":"f","parameters":{"type":"object"}},
        {"type":"custom","name":"apply_patch"},{"type":"local_shell"},{"type":"shell"},{"type":"apply_patch"},
        {"type":"tool_search","execution":"client"},
        {"type":"namespace","name":"mcp__git","description":"","tools":[{"type":"function","name":"log"}]}]}
      """;

  private final ResponsesTranslator translator = new ResponsesTranslator();

  private static Called called() {
    JsonValue root = JsonValue.of(CALL);
    return new Called(
        root,
        new Names(new ResponsesTools(root).all()),
        "m",
        "alias",
        "maker",
        () -> 77,
        String::length);
  }

  private static final List<Piece> PIECES =
      List.of(
          new Piece.Thought("hm", new Seal("maker", Shape.CHAT, "{\"reasoning_content\":\"hm\"}")),
          new Piece.Text("One", List.of(new Piece.Citation("https://a", "A", null, 0, 3))),
          new Piece.Text("Two", List.of()),
          new Piece.Call("c1", "f", "{\"a\":\"é\\\"\"}"),
          new Piece.Call("c2", "apply_patch", "{\"input\":\"*** Begin\\n\\u00e9\"}"),
          new Piece.Call("c3", "local_shell", "{\"command\":[\"ls\"],\"timeout_ms\":5}"),
          new Piece.Call("c4", "shell", "{\"commands\":[\"ls\"]}"),
          new Piece.Call("c5", "tool_search", "{\"query\":\"q\"}"),
          new Piece.Call("c6", "mcp__git__log", ""),
          new Piece.Call("c7", "local_shell", "{\"command\":\"ls\"}"),
          new Piece.Text("Three", List.of()));

  private static final String OUTPUT =
      """
      [{"id":"rs_x_0","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"SEAL"},
       {"id":"msg_x_1","type":"message","status":"completed","role":"assistant","content":[
         {"type":"output_text","annotations":[{"type":"url_citation","start_index":0,"end_index":3,"url":"https://a","title":"A"}],"logprobs":[],"text":"One"},
         {"type":"output_text","annotations":[],"logprobs":[],"text":"Two"}]},
       {"id":"fc_x_2","type":"function_call","status":"completed","call_id":"c1","name":"f","arguments":"{\\"a\\":\\"é\\\\\\"\\"}"},
       {"id":"ctc_x_3","type":"custom_tool_call","status":"completed","call_id":"c2","input":"*** Begin\\né","name":"apply_patch"},
       {"id":"lsh_x_4","type":"local_shell_call","status":"completed","call_id":"c3","action":{"type":"exec","env":{},"command":["ls"],"timeout_ms":5}},
       {"id":"sh_x_5","type":"shell_call","status":"completed","call_id":"c4","action":{"commands":["ls"]}},
       {"id":"tsc_x_6","type":"tool_search_call","status":"completed","call_id":"c5","arguments":{"query":"q"},"execution":"client"},
       {"id":"fc_x_7","type":"function_call","status":"completed","call_id":"c6","name":"log","namespace":"mcp__git","arguments":"{}"},
       {"id":"fc_x_8","type":"function_call","status":"completed","call_id":"c7","name":"local_shell","arguments":"{\\"command\\":\\"ls\\"}"},
       {"id":"msg_x_9","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"Three"}]}]
      """;

  @Test
  void aWholeAnswerHasAnItemForEachPieceInTheFormThatTheCallerTakes() throws Exception {
    JsonNode response = written(new Answer("x", "real", 5, PIECES, Stop.TOOLS, null, USAGE));

    String seal = ((Piece.Thought) PIECES.get(0)).seal().text();
    assertEquals(JSON.readTree(OUTPUT.replace("SEAL", seal)), response.path("output"));
    assertEquals("resp_x", response.path("id").asText());
    assertEquals("alias", response.path("model").asText());
    assertEquals("completed", response.path("status").asText());
    assertEquals(0.2, response.path("temperature").asDouble());
    assertEquals(7, response.path("tools").size());
    assertEquals(
        JSON.readTree(
            """
            {"input_tokens":10,"input_tokens_details":{"cached_tokens":4,"cache_write_tokens":0},
             "output_tokens":5,"output_tokens_details":{"reasoning_tokens":2},"total_tokens":15}
            """),
        response.path("usage"));
  }

  @Test
  void theSameAnswerStreamedEndsAsTheWholeOne() throws Exception {
    List<AnswerEvent> events = events(PIECES, Stop.TOOLS, USAGE);
    ResponsesStreamRules rules = new ResponsesStreamRules();
    rules.takeAll(stream(events));
    rules.end();

    assertEquals(
        written(new Answer("x", "real", 5, PIECES, Stop.TOOLS, null, USAGE)), rules.response());
  }

  @Test
  void anAnswerThatIsReadAgainIsTheSame() {
    List<Piece> plain =
        List.of(
            new Piece.Text("One", List.of(new Piece.Citation("https://a", "A", null, 0, 3))),
            new Piece.Refusal("No"),
            new Piece.Call("c1", "f", "{\"a\":1}"),
            new Piece.Call("c2", "apply_patch", "{\"input\":\"raw\"}"));
    byte[] json =
        translator.writeAnswer(
            new Answer("x", "real", 5, plain, Stop.REFUSAL, null, USAGE), called());

    assertEquals(
        new Answer("resp_x", "alias", 5, plain, Stop.REFUSAL, null, USAGE),
        translator.readAnswer(
            JsonValue.of(plain(new String(json, UTF_8))), "maker", new CallIds()));
    assertEquals(plain, Told.of(read(stream(events(plain, Stop.TOOLS, USAGE)))).pieces());
  }

  @Test
  void stopsAreSaidByTheTable() throws Exception {
    List<Piece> text = List.of(new Piece.Text("a", List.of()));
    JsonNode cut = written(new Answer("x", "m", 5, text, Stop.LENGTH, null, USAGE));
    JsonNode refused = written(new Answer("x", "m", 5, text, Stop.REFUSAL, null, USAGE));

    assertEquals("incomplete", cut.path("status").asText());
    assertEquals("max_output_tokens", cut.at("/incomplete_details/reason").asText());
    assertEquals("incomplete", cut.at("/output/0/status").asText());
    assertEquals("refusal", refused.at("/output/0/content/1/type").asText());
    for (Stop stop : List.of(Stop.END, Stop.PAUSE, Stop.SEQUENCE, Stop.UNKNOWN, Stop.TOOLS)) {
      assertEquals(
          "completed",
          written(new Answer("", "m", 0, text, stop, null, USAGE)).path("status").asText());
    }
    assertEquals(
        Stop.LENGTH,
        stop(
            "{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"}}"));
    assertEquals(
        Stop.REFUSAL,
        stop("{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"content_filter\"}}"));
    assertEquals(Stop.UNKNOWN, stop("{\"status\":\"cancelled\"}"));
    assertEquals(Stop.END, stop("{\"status\":\"completed\"}"));
  }

  private Stop stop(String response) {
    return translator.readAnswer(JsonValue.of(response), "m", new CallIds()).stop();
  }

  @Test
  void tokensThatTheProviderDoesNotSayAreCounted() throws Exception {
    List<Piece> text = List.of(new Piece.Text("four", List.of()));
    JsonNode response = written(new Answer("x", "m", 5, text, Stop.END, null, Usage.NONE));

    assertEquals(77, response.at("/usage/input_tokens").asInt());
    assertEquals("four".length(), response.at("/usage/output_tokens").asInt());
  }

  @Test
  void reasoningIsReadWithItsSealAndIsTheMakersItemAgain() {
    String item =
        "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"a\"},{\"type\":\"summary_text\",\"text\":\"b\"}],\"encrypted_content\":\"enc\"}";
    Answer answer =
        translator.readAnswer(JsonValue.of("{\"output\":[" + item + "]}"), "openai", new CallIds());

    assertEquals(
        List.of(new Piece.Thought("a\n\nb", new Seal("openai", Shape.RESPONSES, item))),
        answer.pieces());
  }

  @Test
  void aSummaryOfWhatNobodyCanReadAgainIsSealedForNobody() {
    String item =
        "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"a\"}]}";
    Answer answer =
        translator.readAnswer(JsonValue.of("{\"output\":[" + item + "]}"), "openai", new CallIds());

    assertEquals(
        List.of(new Piece.Thought("a", new Seal("", Shape.RESPONSES, item))), answer.pieces());
  }

  @Test
  void errorsHaveTheTypesAndCodesThatClientsKnow() throws Exception {
    Fault tooLong = new Fault(413, "x", "Too many tokens", null, true);
    assertEquals(400, translator.status(tooLong));
    assertEquals(
        JSON.readTree(
            "{\"error\":{\"message\":\"Your input exceeds the context window of this model: Too many tokens\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"context_length_exceeded\"}}"),
        JSON.readTree(translator.error(tooLong)));
    assertEquals("rate_limit_error rate_limit_exceeded", typeAndCode(429, null));
    assertEquals("rate_limit_error insufficient_quota", typeAndCode(429, "insufficient_quota"));
    assertEquals("insufficient_quota insufficient_quota", typeAndCode(402, null));
    assertEquals("server_error null", typeAndCode(500, null));
    assertTrue(
        stream(List.of(new AnswerEvent.Fail(new Fault(402, "", "m", null, false))))
            .contains("\"code\":\"insufficient_quota\""));
  }

  private String typeAndCode(int status, String code) throws Exception {
    JsonNode error =
        JSON.readTree(translator.error(new Fault(status, "", "m", code, false))).path("error");
    return error.path("type").asText() + " " + error.path("code").asText();
  }

  @Test
  void anErrorInAStreamIsAnEventOfTheFormat() {
    ResponsesStreamRules before = new ResponsesStreamRules();
    Fault fault = new Fault(400, "", "long", null, true);
    String error = stream(List.of(new AnswerEvent.Fail(fault)));
    before.takeAll(error);
    before.end();
    assertTrue(
        error.startsWith("event: error\n") && error.contains("context_length_exceeded"), error);

    List<AnswerEvent> events = new ArrayList<>(events(PIECES, Stop.END, USAGE).subList(0, 5));
    events.add(new AnswerEvent.Fail(fault));
    ResponsesStreamRules within = new ResponsesStreamRules();
    within.takeAll(stream(events));
    within.end();
    assertEquals("context_length_exceeded", within.response().at("/error/code").asText());
  }

  /** Whatever order the events of an answer have, and whatever is missing, the stream is one. */
  @Test
  void anyEventsMakeAStreamOfTheFormat() {
    Random random = new Random(3);
    for (int round = 0; round < Runs.of(2000); round++) {
      List<AnswerEvent> events = new ArrayList<>();
      for (int i = random.nextInt(30); i >= 0; i--) {
        int piece = random.nextInt(6);
        String text = random.nextInt(5) == 0 ? "" : "t" + i;
        events.add(
            switch (random.nextInt(11)) {
              case 0 -> new AnswerEvent.Start("id", "m", 1, Usage.NONE);
              case 1, 2 -> new AnswerEvent.Text(piece, text);
              case 3 -> new AnswerEvent.Refusal(piece, text);
              case 4 -> new AnswerEvent.Thought(piece, text);
              case 5 -> new AnswerEvent.Sealed(piece, new Seal("m", Shape.CHAT, "{}"));
              case 6 -> new AnswerEvent.Cited(piece, new Piece.Citation("u", null, null, -1, -1));
              case 7 -> new AnswerEvent.Call(piece, "c" + i, random.nextBoolean() ? "f" : "shell");
              case 8 -> new AnswerEvent.Arguments(piece, text);
              case 9 -> new AnswerEvent.Close(piece);
              default -> new AnswerEvent.Call(piece, "c" + i, "apply_patch");
            });
      }
      events.add(
          random.nextInt(4) == 0
              ? new AnswerEvent.End()
              : new AnswerEvent.Finish(
                  List.of(Stop.values()).get(random.nextInt(7)), null, Usage.NONE));
      ResponsesStreamRules rules = new ResponsesStreamRules();
      rules.takeAll(stream(events));
      rules.end();
    }
  }

  /** What was written, without what makes the id of the answer another one. */
  private static String plain(String written) {
    return written.replaceAll("x_mgw[0-9a-f]{9}", "x");
  }

  private JsonNode written(Answer answer) throws java.io.IOException {
    return JSON.readTree(plain(new String(translator.writeAnswer(answer, called()), UTF_8)));
  }

  /** The events of an answer, in fragments of two characters. */
  static List<AnswerEvent> events(List<Piece> pieces, Stop stop, Usage usage) {
    List<AnswerEvent> events = new ArrayList<>();
    events.add(new AnswerEvent.Start("x", "real", 5, Usage.NONE));
    for (int i = 0; i < pieces.size(); i++) {
      int at = i;
      Piece piece = pieces.get(i);
      if (piece instanceof Piece.Text text) {
        fragments(text.text()).forEach(part -> events.add(new AnswerEvent.Text(at, part)));
        text.citations().forEach(source -> events.add(new AnswerEvent.Cited(at, source)));
      } else if (piece instanceof Piece.Refusal refusal) {
        fragments(refusal.text()).forEach(part -> events.add(new AnswerEvent.Refusal(at, part)));
      } else if (piece instanceof Piece.Thought thought) {
        fragments(thought.text()).forEach(part -> events.add(new AnswerEvent.Thought(at, part)));
        if (thought.seal() != null) {
          events.add(new AnswerEvent.Sealed(at, thought.seal()));
        }
      } else if (piece instanceof Piece.Call call) {
        events.add(new AnswerEvent.Call(at, call.id(), call.name()));
        fragments(call.arguments())
            .forEach(part -> events.add(new AnswerEvent.Arguments(at, part)));
      }
      events.add(new AnswerEvent.Close(at));
    }
    events.add(new AnswerEvent.Finish(stop, null, usage));
    events.add(new AnswerEvent.End());
    return events;
  }

  private static List<String> fragments(String text) {
    List<String> fragments = new ArrayList<>();
    for (int i = 0; i < text.length(); i += 2) {
      fragments.add(text.substring(i, Math.min(text.length(), i + 2)));
    }
    return fragments;
  }

  private String stream(List<AnswerEvent> events) {
    AnswerWriter writer = translator.openWriter(called());
    JsonWriter out = new JsonWriter(64);
    events.forEach(event -> writer.write(event, out));
    return plain(out.toString());
  }

  private List<AnswerEvent> read(String stream) {
    AnswerReader reader = translator.openReader("maker", new CallIds());
    List<AnswerEvent> events = new ArrayList<>();
    for (String event : Splitter.on("\n\n").omitEmptyStrings().split(stream)) {
      reader.read("", JsonValue.of(event.substring(event.indexOf("\ndata: ") + 7)), events::add);
    }
    reader.end(events::add);
    return events;
  }
}
