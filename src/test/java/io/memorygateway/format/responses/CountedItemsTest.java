package io.memorygateway.format.responses;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonValue;
import io.memorygateway.observation.text.TokenCounter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of a stream of Responses whose output is counted. */
class CountedItemsTest {
  private final CountedItems stream =
      new CountedItems(
          new ResponsesTranslator().openReader("", new CallIds()), new TokenCounter()::count);

  private int sequence;

  private long read(String type, String members, boolean keeps) {
    String event =
        "{\"type\":\"%s\",\"sequence_number\":%d,%s}".formatted(type, sequence++, members);
    long tokens = stream.read(type, JsonValue.of(event));
    stream.take(type, JsonValue.of(event), keeps);
    return tokens;
  }

  private long say(int index, String text, boolean keeps) {
    return read(
        "response.output_text.delta",
        "\"item_id\":\"msg_1\",\"output_index\":%d,\"content_index\":0,\"delta\":\"%s\""
            .formatted(index, text),
        keeps);
  }

  private void begin() {
    read("response.created", "\"response\":{\"id\":\"resp_1\",\"user\":\"u\",\"output\":[]}", true);
  }

  private void item(String what, int index, String item) {
    read(
        "response.output_item." + what,
        "\"output_index\":%d,\"item\":%s".formatted(index, item),
        true);
  }

  private void message(int index) {
    item(
        "added",
        index,
        "{\"id\":\"msg_1\",\"type\":\"message\",\"status\":\"in_progress\",\"content\":[]}");
    read(
        "response.content_part.added",
        "\"output_index\":%d,\"content_index\":0,\"part\":{\"type\":\"output_text\",\"text\":\"\"}"
            .formatted(index),
        true);
  }

  private String end(long tokens) {
    Figures usage = Figures.NONE.with(Figure.INPUT_TOKENS, 10).with(Figure.OUTPUT_TOKENS, tokens);
    return new String(stream.end(new Usage(usage)), StandardCharsets.UTF_8);
  }

  private static JsonValue last(String end) {
    return JsonValue.of(end.substring(end.lastIndexOf("data: ") + "data: ".length()));
  }

  private static JsonValue response(String end) {
    return last(end).members().get("response");
  }

  private static String output(String end) {
    return response(end).members().get("output").raw();
  }

  @Test
  void whatThereIsNoRoomForIsCountedAndNotKept() {
    begin();
    item("added", 0, "{\"id\":\"msg_1\",\"type\":\"message\",\"content\":[]}");
    say(0, "what is kept", true);
    long tokens = 0;
    for (int i = 0; i < 10_000; i++) {
      tokens += say(0, " this is not", false);
    }
    assertThat(tokens).isGreaterThanOrEqualTo(30_000);

    String end = end(tokens);

    assertThat(end)
        .contains("event: response.output_text.done\n")
        .contains("event: response.incomplete\n")
        .contains("\"text\":\"what is kept\"")
        .contains("\"output_tokens\":" + tokens)
        .contains("\"sequence_number\":" + sequence)
        .contains("msg_1")
        .doesNotContain("this is not");
  }

  /** Of which the head alone is read. */
  @ParameterizedTest
  @ValueSource(strings = {"\"output_index\":0,", ""})
  void anItemThatEndedInPiecesIsNotEndedAgain(String index) {
    begin();
    item("added", 0, "{\"id\":\"ig_1\",\"type\":\"image_generation_call\"}");
    message(index.isEmpty() ? 0 : 1);
    read(
        "response.output_item.done",
        index + "\"item\":{\"id\":\"ig_1\",\"type\":\"image_generation_call\"}",
        false);
    say(index.isEmpty() ? 0 : 1, "so far", true);

    assertThat(end(3)).contains("so far").doesNotContain("ig_1");
  }

  @Test
  void theLastEventHasWholeItemsAsTheyWereSent() {
    String thought =
        "{\"id\":\"rs_1\",\"type\":\"reasoning\",\"summary\":[],\"encrypted_content\":\"sealed\"}";
    String search = "{\"id\":\"ws_1\",\"type\":\"web_search_call\",\"status\":\"completed\"}";
    begin();
    item("added", 0, "{\"id\":\"rs_1\",\"type\":\"reasoning\",\"summary\":[]}");
    item("done", 0, thought);
    item("added", 1, "{\"id\":\"ws_1\",\"type\":\"web_search_call\"}");
    read("response.web_search_call.searching", "\"output_index\":1,\"item_id\":\"ws_1\"", true);
    item("done", 1, search);
    message(2);
    say(2, "so far", true);

    String end = end(5);

    assertThat(output(end)).startsWith("[" + thought + "," + search + ",{\"id\":\"msg_1\"");
    assertThat(output(end)).contains("\"status\":\"incomplete\"").contains("\"text\":\"so far\"");
    assertThat(end).contains("\"item_id\":\"msg_1\",\"output_index\":2,\"content_index\":0");
    assertThat(end).doesNotContain("\"item_id\":\"rs_1\"").doesNotContain("\"item_id\":\"ws_1\"");
    assertThat(last(end).raw())
        .contains("\"id\":\"resp_1\",\"user\":\"u\"")
        .contains("\"incomplete_details\":{\"reason\":\"max_output_tokens\"}");
  }

  @Test
  void anItemOfWhichNothingWasSaidEndsToo() {
    begin();
    message(0);
    String left = "{\"output_index\":0,\"content_index\":0,\"delta\":\"more than is left\"}";
    assertThat(stream.read("response.output_text.delta", JsonValue.of(left))).isPositive();

    String end = end(0);

    assertThat(end.lines().filter(line -> line.startsWith("event: ")))
        .containsExactly(
            "event: response.output_text.done",
            "event: response.content_part.done",
            "event: response.output_item.done",
            "event: response.incomplete");
    assertThat(output(end)).contains("\"text\":\"\"");
    assertThat(end).doesNotContain("more than is left");
  }

  @Test
  void aCallWithoutArgumentsEndsAsOne() {
    begin();
    item("added", 0, "{\"id\":\"fc_1\",\"type\":\"function_call\",\"name\":\"f\"}");

    assertThat(end(1))
        .contains("event: response.function_call_arguments.done\n")
        .contains("\"name\":\"f\",\"arguments\":\"\"}");
  }

  @Test
  void thoughtsAndCallsEndAsTheyStand() {
    begin();
    item("added", 0, "{\"id\":\"rs_1\",\"type\":\"reasoning\",\"summary\":[]}");
    read(
        "response.reasoning_summary_part.added",
        "\"output_index\":0,\"summary_index\":0,\"part\":{\"type\":\"summary_text\",\"text\":\"\"}",
        true);
    read(
        "response.reasoning_summary_text.delta",
        "\"output_index\":0,\"summary_index\":0,\"delta\":\"hm\"",
        true);
    item(
        "added",
        1,
        "{\"id\":\"fc_1\",\"type\":\"function_call\",\"status\":\"in_progress\","
            + "\"arguments\":\"\",\"call_id\":\"call_1\",\"name\":\"f\"}");
    read("response.function_call_arguments.delta", "\"output_index\":1,\"delta\":\"{\\\"a\"", true);

    assertThat(output(end(5)))
        .isEqualTo(
            "[{\"id\":\"rs_1\",\"type\":\"reasoning\",\"summary\":"
                + "[{\"type\":\"summary_text\",\"text\":\"hm\"}]},"
                + "{\"id\":\"fc_1\",\"type\":\"function_call\",\"status\":\"incomplete\","
                + "\"arguments\":\"{\\\"a\",\"call_id\":\"call_1\",\"name\":\"f\"}]");
  }

  @Test
  void membersThatWereNullStandOnceInTheLastEvent() {
    read(
        "response.created",
        "\"response\":{\"id\":\"resp_1\",\"incomplete_details\":null,\"usage\":null}",
        true);
    item("added", 0, "{\"id\":\"msg_1\",\"type\":\"message\",\"content\":null}");
    say(0, "so far", true);

    String end = end(1);

    assertThat(response(end).fields().stream().map(JsonValue.Field::name)).doesNotHaveDuplicates();
    assertThat(output(end)).containsOnlyOnce("\"content\":");
  }

  @Test
  void ofItemsAndResponsesWithoutRoomTheirHeadsAreKept() {
    String large = "\"digits\":[" + "1,".repeat(1000) + "1]";
    read(
        "response.created",
        "\"response\":{\"id\":\"resp_1\",\"model\":\"m\",\"created_at\":7,%s}".formatted(large),
        false);
    read(
        "response.output_item.added",
        "\"output_index\":0,\"item\":{\"id\":\"fc_1\",\"type\":\"function_call\",\"name\":\"f\","
            + "\"arguments\":\"{}\",%s}".formatted(large),
        false);

    String end = end(1);

    assertThat(output(end))
        .isEqualTo(
            "[{\"id\":\"fc_1\",\"type\":\"function_call\",\"name\":\"f\",\"arguments\":\"\"}]");
    assertThat(response(end).raw())
        .startsWith("{\"id\":\"resp_1\",\"model\":\"m\",\"created_at\":7,")
        .contains("\"object\":\"response\"")
        .doesNotContain("digits");
  }

  @Test
  void whatStoodInSeveralLinesStandsInOne() {
    read("response.created", "\"response\":{\"id\":\"resp_1\",\n\"tools\":[\r\n]}", true);
    item("added", 0, "{\"id\":\"msg_1\",\n\"type\":\"message\"}");
    item("done", 0, "{\"id\":\"msg_1\",\n\"type\":\"message\",\n\"content\":[]}");

    assertThat(end(1).lines()).hasSize(3).allMatch(line -> line.matches("|(event|data): .*"));
  }

  @Test
  void anIndexThatIsUsedAgainIsOfAnotherItem() {
    String thought = "{\"id\":\"rs_1\",\"type\":\"reasoning\",\"summary\":[]}";
    begin();
    item("added", 0, thought);
    item("done", 0, thought);
    message(0);
    say(0, "so far", true);

    String end = end(2);

    assertThat(end)
        .contains("event: response.output_text.done\n")
        .contains("\"item_id\":\"msg_1\",\"output_index\":0,");
    assertThat(output(end)).startsWith("[" + thought + ",{\"id\":\"msg_1\"").contains("so far");
  }

  @Test
  void anItemEndsThatHasTheIdWhateverTheIndex() {
    String call = "{\"id\":\"fc_%1$d\",\"type\":\"function_call\",\"arguments\":\"%2$s\"}";
    begin();
    item("added", 0, call.formatted(0, ""));
    item("added", 1, call.formatted(1, ""));
    item("done", 0, call.formatted(1, "b"));
    item("done", 1, call.formatted(0, "a"));

    assertThat(output(end(2)))
        .isEqualTo("[" + call.formatted(0, "a") + "," + call.formatted(1, "b") + "]");
  }

  @Test
  void anItemWithoutAnIndexIsOpenToo() {
    begin();
    read("response.output_item.added", "\"item\":{\"id\":\"rs_1\",\"type\":\"reasoning\"}", true);
    read("response.output_item.done", "\"item\":{\"id\":\"rs_1\",\"type\":\"reasoning\"}", true);
    read("response.output_item.added", "\"item\":{\"id\":\"msg_1\",\"type\":\"message\"}", true);
    read("response.output_text.delta", "\"content_index\":0,\"delta\":\"so far\"", true);

    assertThat(output(end(2)))
        .startsWith("[{\"id\":\"rs_1\",\"type\":\"reasoning\"},{\"id\":\"msg_1\"")
        .contains("\"text\":\"so far\"");
  }

  @Test
  void itemsThatAreOpenTogetherWithoutAnIndexAreToldByTheirIds() {
    begin();
    read("response.output_item.added", "\"item\":{\"id\":\"rs_1\",\"type\":\"reasoning\"}", true);
    read("response.reasoning_text.delta", "\"item_id\":\"rs_1\",\"delta\":\"hm\"", true);
    read("response.output_item.added", "\"item\":{\"id\":\"msg_1\",\"type\":\"message\"}", true);
    read("response.output_text.delta", "\"item_id\":\"msg_1\",\"delta\":\"so \"", true);
    String call = "\"item\":{\"type\":\"function_call\",\"call_id\":\"%s\",\"name\":\"f\"}";
    read("response.output_item.added", call.formatted("a"), true);
    read("response.output_item.added", call.formatted("b"), true);
    read("response.function_call_arguments.delta", "\"item_id\":\"a\",\"delta\":\"1\"", true);
    read("response.function_call_arguments.delta", "\"item_id\":\"b\",\"delta\":\"2\"", true);
    read("response.output_text.delta", "\"item_id\":\"msg_1\",\"delta\":\"far\"", true);
    read("response.output_item.done", "\"item\":{\"id\":\"rs_1\",\"type\":\"reasoning\"}", true);

    assertThat(output(end(5)))
        .isEqualTo(
            "[{\"id\":\"rs_1\",\"type\":\"reasoning\"},"
                + "{\"id\":\"msg_1\",\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"so"
                + " far\",\"annotations\":[],\"logprobs\":[]}]},"
                + "{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"f\",\"arguments\":\"1\"},"
                + "{\"type\":\"function_call\",\"call_id\":\"b\",\"name\":\"f\",\"arguments\":\"2\"}]");
  }

  @Test
  void aPartOfReasoningEndsAsItBegan() {
    String part = "\"output_index\":0,\"content_index\":0,";
    begin();
    item("added", 0, "{\"id\":\"rs_1\",\"type\":\"reasoning\",\"summary\":[]}");
    read(
        "response.reasoning_part.added",
        part + "\"part\":{\"type\":\"reasoning_text\",\"text\":\"\"}",
        true);
    read("response.reasoning_text.delta", part + "\"delta\":\"hm\"", true);

    assertThat(end(1).lines().filter(line -> line.startsWith("event: ")))
        .containsExactly(
            "event: response.reasoning_text.done",
            "event: response.reasoning_part.done",
            "event: response.output_item.done",
            "event: response.incomplete");
  }

  @Test
  void theEndOfArgumentsNamesTheFunction() {
    begin();
    item("added", 0, "{\"id\":\"fc_1\",\"type\":\"function_call\",\"name\":\"f\"}");

    assertThat(end(1))
        .contains("\"item_id\":\"fc_1\",\"output_index\":0,\"name\":\"f\",\"arguments\":\"\",");
  }

  @Test
  void anEventThatSaysItsTypeInItsNameAloneCounts() {
    stream.take(
        "response.output_item.added",
        JsonValue.of("{\"output_index\":0,\"item\":{\"id\":\"m\",\"type\":\"message\"}}"),
        true);
    stream.take(
        "response.output_text.delta",
        JsonValue.of("{\"output_index\":0,\"content_index\":0,\"delta\":\"so far\"}"),
        true);

    assertThat(output(end(2))).contains("\"text\":\"so far\"");
  }
}
