package io.memorygateway.format.messages;

import static io.memorygateway.format.Calls.json;
import static io.memorygateway.format.Calls.stored;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.answer.AnswerReplay;
import io.memorygateway.json.JsonValue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The events in which a stored answer of Messages is streamed again, and its whole content. */
class MessagesReplayTest {
  private final AnswerReplay replay = new MessagesFormat().replay();

  @Test
  void eachBlockIsBegunEmptyAndComesInDeltasOfItsType() throws IOException {
    assertThat(
            blockEvents(
                "[{'type':'thinking','thinking':'hm','signature':'s'},"
                    + "{'type':'text','text':'a','citations':[{'n':1.0},{'n':2}]},"
                    + "{'type':'tool_use','id':'c','name':'f','input':{'n':1.0}},"
                    + "{'type':'new_thing','input':{'y':1e2},'text':'x'}]"))
        .containsExactly(
            "content_block_start 0 {'type':'thinking','thinking':'','signature':''}",
            "content_block_delta 0 {'type':'thinking_delta','thinking':'hm'}",
            "content_block_delta 0 {'type':'signature_delta','signature':'s'}",
            "content_block_stop 0",
            "content_block_start 1 {'type':'text','text':'','citations':[]}",
            "content_block_delta 1 {'type':'text_delta','text':'a'}",
            "content_block_delta 1 {'type':'citations_delta','citation':{'n':1.0}}",
            "content_block_delta 1 {'type':'citations_delta','citation':{'n':2}}",
            "content_block_stop 1",
            "content_block_start 2 {'type':'tool_use','id':'c','name':'f','input':{}}",
            "content_block_delta 2 {'type':'input_json_delta','partial_json':'{\\'n\\':1.0}'}",
            "content_block_stop 2",
            "content_block_start 3 {'type':'new_thing','input':{'y':1e2},'text':'x'}",
            "content_block_stop 3");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'a b'                         | [{'type':'text','text':'a b'}]",
        "null                          | []",
        "{'n':1}                       | [{'type':'text','text':'{\\'n\\':1}'}]",
        "[{'type':'text','text':'a'}]  | [{'type':'text','text':'a'}]",
        "[{'type':'tool_use','id':'c'}]| [{'type':'tool_use','id':'c'}]",
      })
  void contentIsBlocks(String content, String blocks) {
    JsonValue whole = JsonValue.of(new String(replay.body(answered(content)), UTF_8));
    assertThat(whole.get("content").raw().replace('"', '\'')).isEqualTo(blocks);
  }

  /** Whole, nothing is said of them: a client of a stream reads numbers there. */
  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"id\":\"m\",\"usage\":{}}"})
  void aStreamWithoutTokensHasZeros(String metadata) throws IOException {
    AnswerReplay.Answered answered =
        new AnswerReplay.Answered(metadata, List.of(stored("assistant", "\"a\"")));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    replay.stream(answered, out);
    assertThat(out.toString(UTF_8).lines())
        .filteredOn(line -> line.contains("\"usage\":{\"input_tokens\":0,\"output_tokens\":0}"))
        .extracting(line -> JsonValue.of(line.substring(6)).text("type"))
        .containsExactly("message_start", "message_delta");
    assertThat(JsonValue.of(new String(replay.body(answered), UTF_8)).get("usage")).isNull();
  }

  @Test
  void whatTheLastEventSaidIsSaidThereAgain() throws IOException {
    String metadata =
        json("{'id':'m','stop_reason':'refusal','stop_details':{'type':'refusal'},'usage':{}}");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    replay.stream(new AnswerReplay.Answered(metadata, List.of()), out);
    assertThat(out.toString(UTF_8).lines())
        .filteredOn(line -> line.contains("\"stop_details\":{\"type\":\"refusal\"}"))
        .extracting(line -> JsonValue.of(line.substring(6)).text("type"))
        .containsExactly("message_delta");
  }

  @Test
  void whatTheLastEventSaidBesideTheMessageIsSaidThereAgain() throws IOException {
    MessagesMetadata metadata = new MessagesMetadata();
    metadata.take(JsonValue.of(json("{'id':'m','context_management':null,'usage':{}}")));
    metadata.takeDelta(
        JsonValue.of(
            json(
                "{'type':'message_delta','delta':{'stop_reason':'end_turn'},'usage':{},"
                    + "'context_management':{'applied_edits':[{}]},'input_transformations':[1]}")));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    replay.stream(new AnswerReplay.Answered(metadata.json(), List.of()), out);
    assertThat(out.toString(UTF_8).replace('"', '\''))
        .containsOnlyOnce("context_management")
        .contains(
            "data: {'type':'message_delta','delta':{'stop_reason':'end_turn','stop_sequence':null},"
                + "'usage':{'input_tokens':0,'output_tokens':0},"
                + "'context_management':{'applied_edits':[{}]},'input_transformations':[1]}");
  }

  /** Each event of a block as its name, the block's index, and what begins or is added. */
  private List<String> blockEvents(String content) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    replay.stream(answered(content), out);
    return out.toString(UTF_8)
        .lines()
        .filter(line -> line.startsWith("data: {\"type\":\"content_block_"))
        .map(line -> JsonValue.of(line.substring(6)))
        .map(MessagesReplayTest::event)
        .map(event -> event.replace('"', '\''))
        .toList();
  }

  private static String event(JsonValue event) {
    String name = event.text("type") + " " + event.get("index").raw();
    JsonValue block = event.get("content_block");
    JsonValue delta = event.get("delta");
    return name
        + (block == null ? "" : " " + block.raw())
        + (delta == null ? "" : " " + delta.raw());
  }

  private static AnswerReplay.Answered answered(String content) {
    return new AnswerReplay.Answered("{}", List.of(stored("assistant", json(content))));
  }
}
