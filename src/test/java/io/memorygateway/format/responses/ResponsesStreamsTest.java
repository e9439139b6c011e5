package io.memorygateway.format.responses;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.format.call.ProviderTraits;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.translation.AnswerEvent;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.Piece;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.StreamTranslation;
import io.memorygateway.format.translation.Terms;
import io.memorygateway.format.translation.Translation;
import io.memorygateway.json.JsonValue;
import io.memorygateway.sse.EventSplitter;
import io.memorygateway.testing.Runs;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Streams of Responses as upstreams send them, with and without faults. */
class ResponsesStreamsTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Events of one answer, as OpenAI sends them; numbers are added. */
  private static final String NATIVE =
      """
      {"type":"response.created","response":{"id":"resp_1","object":"response","created_at":1741476542,"status":"in_progress","model":"gpt","output":[]}}
      {"type":"response.in_progress","response":{"id":"resp_1","status":"in_progress","model":"gpt","output":[]}}
      {"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}}
      {"type":"response.reasoning_summary_part.added","item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}
      {"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"I th"}
      {"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"ink"}
      {"type":"response.reasoning_summary_text.done","item_id":"rs_1","output_index":0,"summary_index":0,"text":"I think"}
      {"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":1,"delta":"More"}
      {"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"I think"},{"type":"summary_text","text":"More"}],"encrypted_content":"enc"}}
      {"type":"response.output_item.added","output_index":1,"item":{"id":"msg_1","type":"message","status":"in_progress","content":[],"role":"assistant"}}
      {"type":"response.content_part.added","item_id":"msg_1","output_index":1,"content_index":0,"part":{"type":"output_text","annotations":[],"text":""}}
      {"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":0,"delta":"Hel"}
      {"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":0,"delta":"lo"}
      {"type":"response.output_text.annotation.added","item_id":"msg_1","output_index":1,"content_index":0,"annotation_index":0,"annotation":{"type":"url_citation","url":"u","title":"t","start_index":0,"end_index":5}}
      {"type":"response.output_text.done","item_id":"msg_1","output_index":1,"content_index":0,"text":"Hello"}
      {"type":"response.content_part.done","item_id":"msg_1","output_index":1,"content_index":0,"part":{"type":"output_text","annotations":[{"type":"url_citation","url":"u","title":"t","start_index":0,"end_index":5}],"text":"Hello"}}
      {"type":"response.output_item.done","output_index":1,"item":{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","annotations":[{"type":"url_citation","url":"u","title":"t","start_index":0,"end_index":5}],"text":"Hello"}]}}
      {"type":"response.output_item.added","output_index":2,"item":{"id":"fc_1","type":"function_call","status":"in_progress","arguments":"","call_id":"call_1","name":"f"}}
      {"type":"response.output_item.added","output_index":3,"item":{"id":"ctc_1","type":"custom_tool_call","status":"in_progress","input":"","call_id":"call_2","name":"p"}}
      {"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":2,"delta":"{\\"a\\""}
      {"type":"response.custom_tool_call_input.delta","item_id":"ctc_1","output_index":3,"delta":"x\\"y"}
      {"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":2,"delta":":1}"}
      {"type":"response.custom_tool_call_input.done","item_id":"ctc_1","output_index":3,"input":"x\\"y"}
      {"type":"response.function_call_arguments.done","item_id":"fc_1","output_index":2,"arguments":"{\\"a\\":1}"}
      {"type":"response.output_item.done","output_index":3,"item":{"id":"ctc_1","type":"custom_tool_call","status":"completed","input":"x\\"y","call_id":"call_2","name":"p"}}
      {"type":"response.output_item.done","output_index":2,"item":{"id":"fc_1","type":"function_call","status":"completed","arguments":"{\\"a\\":1}","call_id":"call_1","name":"f"}}
      {"type":"response.completed","response":{"id":"resp_1","status":"completed","model":"gpt","output":OUTPUT,"usage":{"input_tokens":7,"input_tokens_details":{"cached_tokens":3,"cache_write_tokens":0},"output_tokens":5,"output_tokens_details":{"reasoning_tokens":2},"total_tokens":12}}}
      """;

  private static final List<Piece> PIECES =
      List.of(
          new Piece.Thought(
              "I think\n\nMore", new Seal("maker", Shape.RESPONSES, doneItem("rs_1"))),
          new Piece.Text("Hello", List.of(new Piece.Citation("u", "t", null, 0, 5))),
          new Piece.Call("call_1", "f", "{\"a\":1}"),
          new Piece.Call("call_2", "p", "{\"input\":\"x\\\"y\"}"));

  private static String doneItem(String id) {
    return NATIVE
        .lines()
        .map(JsonValue::of)
        .filter(event -> event.text("type").equals("response.output_item.done"))
        .map(event -> event.get("item"))
        .filter(item -> item != null && item.text("id").equals(id))
        .map(JsonValue::raw)
        .findFirst()
        .orElseThrow();
  }

  private static List<String> nativeEvents() {
    String output =
        List.of("rs_1", "msg_1", "fc_1", "ctc_1").stream()
            .map(ResponsesStreamsTest::doneItem)
            .collect(Collectors.joining(",", "[", "]"));
    return NATIVE
        .replace("OUTPUT", output)
        .lines()
        .collect(Collectors.toCollection(ArrayList::new));
  }

  private static List<AnswerEvent> read(List<String> events) {
    ResponsesEventReader reader = new ResponsesEventReader("maker", new CallIds());
    List<AnswerEvent> read = new ArrayList<>();
    events.forEach(event -> reader.read("", JsonValue.of(event), read::add));
    reader.end(read::add);
    return read;
  }

  @Test
  void aNativeStreamIsReadAsItIs() {
    List<AnswerEvent> events = read(nativeEvents());
    Told told = Told.of(events);

    assertEquals(new AnswerEvent.Start("resp_1", "gpt", 1741476542, told.usage()).id(), "resp_1");
    assertEquals(PIECES, told.pieces());
    assertEquals(Stop.TOOLS, told.stop());
    assertEquals(7, told.usage().input());
    assertEquals(3, told.usage().cached());
    assertEquals(2, told.usage().reasoning());
  }

  /** Whatever of the fragments is missing, the ends of items or the last event have it. */
  @Test
  void theAnswerIsWholeWithoutItsFragments() {
    for (String left :
        List.of("delta", "added", "output_text.", "arguments", "part", "item.done")) {
      List<String> events = nativeEvents();
      events.removeIf(event -> JsonValue.of(event).text("type").contains(left));
      Told told = Told.of(read(events));
      assertEquals(sorted(PIECES), sorted(told.pieces()), "without " + left);
      assertEquals(Stop.TOOLS, told.stop());
    }
    List<String> last = nativeEvents();
    assertEquals(PIECES, Told.of(read(last.subList(last.size() - 1, last.size()))).pieces());
    last.set(last.size() - 1, last.get(last.size() - 1).replace("\"output\":[", "\"none\":["));
    assertEquals(PIECES, Told.of(read(last)).pieces());
  }

  private static List<String> sorted(List<Piece> pieces) {
    return pieces.stream().map(Piece::toString).sorted().toList();
  }

  @Test
  void idsThatChangeAndIndicesThatAreAllOneTellNoCallTwice() {
    List<String> changed = nativeEvents();
    changed.replaceAll(
        event -> {
          int at = changed.indexOf(event);
          return event.replaceAll("\"(id|item_id)\":\"([a-z]+)_1\"", "\"$1\":\"$2_x" + at + "\"");
        });
    assertEquals(
        PIECES.subList(1, 4).toString(), Told.of(read(changed)).pieces().subList(1, 4).toString());

    List<String> zero = nativeEvents();
    zero.replaceAll(event -> event.replaceAll("\"output_index\":\\d", "\"output_index\":0"));
    assertEquals(PIECES, Told.of(read(zero)).pieces());
  }

  @Test
  void aStreamWithoutItsEndAndErrorsOfAnyFormFail() {
    List<String> events = nativeEvents();
    for (int cut = 0; cut < events.size() - 1; cut++) {
      assertNotNull(Told.of(read(events.subList(0, cut))).fault());
    }
    for (String error :
        List.of(
            "{\"type\":\"error\",\"code\":\"context_length_exceeded\",\"message\":\"m\",\"param\":null}",
            "{\"type\":\"error\",\"error\":{\"type\":\"x\",\"code\":\"context_length_exceeded\",\"message\":\"m\"}}",
            "{\"error\":\"maximum context length is 5\"}",
            "{\"type\":\"response.failed\",\"response\":{\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"m\"}}}")) {
      Told told = Told.of(read(List.of(events.get(0), error)));
      assertTrue(told.fault() != null && told.fault().tooLong(), error);
    }
    Told odd = Told.of(read(List.of("{\"type\":\"error\",\"message\":3}")));
    assertTrue(odd.fault() != null && !odd.fault().message().isEmpty());
  }

  @Test
  void callsWithoutANameOrWithALostPieceFailAndNoneIsLost() {
    List<String> unnamed = nativeEvents();
    unnamed.replaceAll(event -> event.replace("\"name\":\"f\"", "\"name\":null"));
    assertNotNull(Told.of(read(unnamed)).fault());

    List<String> lost = nativeEvents();
    lost.removeIf(event -> event.contains("\"delta\":\"{\\\"a\\\"\""));
    assertNotNull(Told.of(read(lost)).fault());
  }

  @Test
  void aHundredCallsThatInterleaveAreReadAndWritten() throws Exception {
    List<String> events = new ArrayList<>(List.of(nativeEvents().get(0)));
    for (int i = 0; i < 100; i++) {
      events.add(
          "{\"type\":\"response.output_item.added\",\"output_index\":%d,\"item\":{\"id\":\"fc_%d\",\"type\":\"function_call\",\"call_id\":\"same\",\"name\":\"f%d\"}}"
              .formatted(i, i, i));
    }
    for (String delta : List.of("{\\\"n\\\":", "1", "}")) {
      for (int i = 0; i < 100; i++) {
        events.add(
            "{\"type\":\"response.function_call_arguments.delta\",\"output_index\":%d,\"item_id\":\"fc_%d\",\"delta\":\"%s\"}"
                .formatted(i, i, delta));
      }
    }
    events.add("{\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}");

    List<Piece> told = Told.of(read(events)).pieces();
    assertEquals(100, told.stream().map(piece -> ((Piece.Call) piece).id()).distinct().count());
    assertTrue(
        told.stream().allMatch(piece -> ((Piece.Call) piece).arguments().equals("{\"n\":1}")));
    assertEquals(
        100, rules(translated(sse(events), new Random(1))).response().path("output").size());
  }

  @Test
  void aStreamIsTranslatedAlikeInWhateverPiecesItComes() throws Exception {
    byte[] stream = sse(nativeEvents());
    String whole = translated(stream, null);
    JsonNode response = rules(whole).response();
    assertEquals("Hello", response.at("/output/1/content/0/text").asText());
    assertEquals("x\"y", response.at("/output/3/input").asText());
    for (int seed = 0; seed < 50; seed++) {
      assertEquals(whole, translated(stream, new Random(seed)));
    }
  }

  /** Any fault in an upstream's stream leads to a well-formed stream, whole or with an error. */
  @Test
  void anyFaultOfTheUpstreamMakesAStreamOfTheFormat() throws Exception {
    Random random = new Random(11);
    for (int round = 0; round < Runs.of(1500); round++) {
      List<String> events = nativeEvents();
      for (int i = random.nextInt(3); i >= 0 && !events.isEmpty(); i--) {
        int at = random.nextInt(events.size());
        switch (random.nextInt(6)) {
          case 0 -> events.remove(at);
          case 1 -> events.add(at, events.get(at));
          case 2 -> Collections.swap(events, at, random.nextInt(events.size()));
          case 3 -> events.subList(at, events.size()).clear();
          case 4 -> events.add(at, "{\"type\":\"response.new.event\",\"delta\":5}");
          default -> events.set(at, Mutations.of(JSON.readTree(events.get(at)), random).toString());
        }
      }
      Told.of(read(events));
      rules(translated(sse(events), random.nextBoolean() ? random : null));
    }
  }

  @Test
  void whatTheRulesForbidIsFound() throws Exception {
    String stream = translated(sse(nativeEvents()), null);
    List<String> events = List.of(stream.split("(?<=\n\n)"));
    for (int i = 0; i < events.size(); i++) {
      int at = i;
      String without =
          IntStream.range(0, events.size())
              .filter(other -> other != at)
              .mapToObj(events::get)
              .collect(Collectors.joining());
      ResponsesStreamRules rules = new ResponsesStreamRules();
      boolean found = false;
      try {
        rules.takeAll(without);
        rules.end();
      } catch (AssertionError e) {
        found = true;
      }
      assertTrue(found, "nothing is said of a stream without " + events.get(at));
    }
  }

  private static ResponsesStreamRules rules(String stream) {
    ResponsesStreamRules rules = new ResponsesStreamRules();
    rules.takeAll(stream);
    rules.end();
    return rules;
  }

  private static byte[] sse(List<String> events) throws Exception {
    StringBuilder stream = new StringBuilder();
    int number = 0;
    for (String event : events) {
      JsonNode json = JSON.readTree(event);
      if (json instanceof ObjectNode object && !object.has("sequence_number")) {
        object.put("sequence_number", number++);
      }
      stream.append("event: ").append(json.path("type").asText()).append('\n');
      stream.append("data: ").append(json).append("\n\n");
    }
    return stream.toString().getBytes(UTF_8);
  }

  private static String translated(byte[] stream, @org.jspecify.annotations.Nullable Random pieces)
      throws Exception {
    ResponsesTranslator translator = new ResponsesTranslator();
    String body =
        "{\"model\":\"m\",\"input\":\"x\",\"tools\":[{\"type\":\"function\",\"name\":\"f\"},\n{\"type\":\"custom\",\"name\":\"p\"}]}";
    Terms terms =
        new Terms(
            new UpstreamModel("t", ProviderTraits.ALL, 0), "maker", 9, "max_tokens", false, null);
    StreamTranslation translation =
        Translation.of(
                translator,
                translator,
                body.getBytes(UTF_8),
                () -> body.getBytes(UTF_8),
                terms,
                null,
                () -> 1,
                String::length)
            .openStream(
                defect -> {
                  throw defect;
                },
                bytes -> true);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    EventSplitter.Sink sink = event -> out.write(event.array(), event.offset(), event.length());
    for (int at = 0; at < stream.length; ) {
      int length = pieces == null ? stream.length : 1 + pieces.nextInt(200);
      length = Math.min(length, stream.length - at);
      translation.feed(stream, at, length, sink);
      at += length;
    }
    translation.finish(sink);
    // What makes the id of the answer another one each time.
    return out.toString(UTF_8).replaceAll("_1_mgw[0-9a-f]{9}", "_1");
  }
}
