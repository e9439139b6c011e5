package io.memorygateway.format.translation;

import static io.memorygateway.format.translation.TranslatedStreams.answered;
import static io.memorygateway.format.translation.TranslatedStreams.check;
import static io.memorygateway.format.translation.TranslatedStreams.format;
import static io.memorygateway.format.translation.TranslatedStreams.gathered;
import static io.memorygateway.format.translation.TranslatedStreams.open;
import static io.memorygateway.format.translation.TranslatedStreams.read;
import static io.memorygateway.format.translation.TranslatedStreams.sent;
import static io.memorygateway.format.translation.TranslatedStreams.told;
import static io.memorygateway.format.translation.TranslatedStreams.translated;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.json.JsonValue;
import io.memorygateway.testing.Runs;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Contract §7, §14: of an answer that is said in an odd way, memory stores what a caller of another
 * format gets, and that is all of it.
 */
class OddAnswersTest {
  private static final Translator CHAT = TranslationPairsTest.ALL.get(0);
  private static final Translator MESSAGES = TranslationPairsTest.ALL.get(1);
  private static final Translator RESPONSES = TranslationPairsTest.ALL.get(2);

  private static final String REASONING =
      "{'type':'reasoning','summary':[{'type':'summary_text','text':'t'}]}";
  private static final String COMPLETED =
      "data: {'type':'response.completed','response':{'output':[]}}\n\n";
  private static final int ANSWERS = Runs.of(300);

  @ParameterizedTest
  @MethodSource("io.memorygateway.format.translation.StreamPairsTest#formats")
  void anOddStreamSaysTheSameInMemoryAndToEveryCaller(Translator target) throws Exception {
    Random random = new Random(61);
    for (int i = 0; i < ANSWERS; i++) {
      GeneratedAnswer answer = new GeneratedAnswer(random);
      String stream =
          new OddStream(target.shape(), new String(sent(target, answer.events), UTF_8), random)
              .toString();
      byte[] bytes = stream.getBytes(UTF_8);
      Said expected = Said.of(TranslatedStreams.Read.of(answer.whole()));

      assertThat(Said.of(target, bytes)).as("%s stored %s", i, stream).isEqualTo(expected);
      for (Translator called : others(target)) {
        byte[] told = translated(open(called, target), bytes, bytes.length, null);
        assertThat(check(called, told)).as("%s told %s", i, stream).isFalse();
        TranslatedStreams.Read read = read(called, told);
        assertThat(Said.of(read)).as("%s told %s", i, stream).isEqualTo(expected);
        assertThat(read.stop()).as("%s stop %s", i, stream).isEqualTo(answer.stop);
        assertThat(read.usage().output()).as("%s", stream).isEqualTo(answer.usage.output());
      }
    }
  }

  @Test
  void reasoningOfChatHasManyNames() throws Exception {
    for (String name : List.of("thinking", "reasoning", "reasoning_content")) {
      String said = "'role':'assistant','" + name + "':'t','content':'a'";

      assertSays(CHAT, "{'choices':[{'message':{" + said + "}}]}", new Said("a", "t", Map.of()));
      assertSays(
          CHAT,
          "data: {'choices':[{'delta':{" + said + "},'finish_reason':'stop'}]}\n\n",
          new Said("a", "t", Map.of()));
    }
  }

  @Test
  void contentsHaveManyForms() throws Exception {
    Said expected = new Said("a", "", Map.of());
    for (String content :
        List.of(
            "'a'", "['a']", "{'type':'text','text':'a'}", "[{'type':'refusal','refusal':'a'}]")) {
      assertSays(CHAT, "{'choices':[{'message':{'content':" + content + "}}]}", expected);
    }
    for (String content : List.of("'a'", "['a']", "[{'text':'a'}]")) {
      assertSays(MESSAGES, "{'content':" + content + "}", expected);
      assertSays(
          MESSAGES,
          "data: {'type':'message_start','message':{'content':"
              + content
              + "}}\n\ndata: {'type':'message_stop'}\n\n",
          expected);
    }
    for (String response :
        List.of(
            "'output_text':'a'",
            "'output':'a'",
            "'output':[{'role':'assistant','content':'a'}]",
            "'output':[],'output_text':'a'")) {
      assertSays(RESPONSES, "{" + response + "}", expected);
      assertSays(
          RESPONSES,
          "data: {'type':'response.completed','response':{" + response + "}}\n\n",
          expected);
    }
  }

  @Test
  void argumentsMayBeAnObject() throws Exception {
    Said expected = new Said("", "", Map.of("c f", "{\"a\":1}"));
    String function = "'tool_calls':[{'id':'c','function':{'name':'f','arguments':{'a':1}}}]";
    String use = "{'type':'tool_use','id':'c','name':'f','input':{'a':1}}";
    String item = "{'type':'function_call','call_id':'c','name':'f','arguments':{'a':1}}";

    assertSays(CHAT, "{'choices':[{'message':{" + function + "}}]}", expected);
    assertSays(
        CHAT,
        "data: {'choices':[{'delta':{" + function + "},'finish_reason':'stop'}]}\n\n",
        expected);
    assertSays(MESSAGES, "{'content':[" + use + "]}", expected);
    assertSays(
        MESSAGES,
        "data: {'type':'content_block_start','index':0,'content_block':"
            + use
            + "}\n\ndata: {'type':'message_stop'}\n\n",
        expected);
    assertSays(RESPONSES, "{'output':[" + item + "]}", expected);
    String response = "{'type':'response.completed','response':{'output':[%s]}}\n\n";
    assertSays(RESPONSES, "data: " + response.formatted(item), expected);
    assertSays(
        RESPONSES,
        "data: {'type':'response.output_item.done','output_index':0,'item':"
            + item
            + "}\n\ndata: "
            + response.formatted(""),
        expected);
  }

  @Test
  void theInputOfACustomToolComesInPieces() throws Exception {
    String[] pieces = {
      "'id':'c','type':'custom','custom':{'name':'f','input':''}",
      "'custom':{'input':'a {'}",
      "'custom':{'input':'^b^'}",
      "'custom':{'input':' }'}"
    };
    StringBuilder stream = new StringBuilder();
    for (String piece : pieces) {
      stream.append(
          "data: {'choices':[{'delta':{'tool_calls':[{'index':0,%s}]}}]}\n\n".formatted(piece));
    }
    stream.append("data: {'choices':[{'delta':{},'finish_reason':'tool_calls'}]}\n\n");
    String call = "{'id':'c','type':'custom','custom':{'name':'f','input':'a {^b^ }'}}";
    Said expected = new Said("", "", Map.of("c f", "{\"input\":\"a {\\\"b\\\" }\"}"));

    assertSays(CHAT, stream.toString(), expected);
    assertSays(CHAT, "{'choices':[{'message':{'tool_calls':[" + call + "]}}]}", expected);
  }

  @Test
  void twoCustomCallsInPiecesAreTwo() throws Exception {
    String piece = "data: {'choices':[{'delta':{'tool_calls':[{'index':%d,%s}]}}]}\n\n";
    StringBuilder stream = new StringBuilder();
    for (String name : List.of("f", "g")) {
      stream.append(
          piece.formatted(0, "'id':'%1$s','custom':{'name':'%1$s','input':'x'}".formatted(name)));
      stream.append(piece.formatted(0, "'custom':{'input':'y'}"));
    }
    stream.append("data: {'choices':[{'delta':{},'finish_reason':'tool_calls'}]}\n\n");

    assertSays(
        CHAT,
        stream.toString(),
        new Said("", "", Map.of("f f", "{\"input\":\"xy\"}", "g g", "{\"input\":\"xy\"}")));
  }

  @Test
  void noTokensAtAllAreNoUsage() throws Exception {
    String zeros = "{'%s_tokens':0,'%s_tokens':0}";
    Map<Translator, String> answers =
        Map.of(
            CHAT,
            "{'choices':[{'message':{'content':'a'}}],'usage':"
                + zeros.formatted("prompt", "completion")
                + "}",
            MESSAGES,
            "{'content':'a','usage':" + zeros.formatted("input", "output") + "}",
            RESPONSES,
            "{'output_text':'a','usage':" + zeros.formatted("input", "output") + "}");
    for (Translator target : TranslationPairsTest.ALL) {
      for (Translator called : others(target)) {
        Translation translation = open(called, target);
        byte[] told = answered(translation, json(answers.get(target)).getBytes(UTF_8));
        Usage usage = called.readAnswer(JsonValue.parse(told), "maker", new CallIds()).usage();

        assertThat(translation.isEstimated()).isTrue();
        assertThat(usage.input()).isEqualTo(7);
        assertThat(usage.output()).as(json(answers.get(target))).isPositive();
      }
    }
  }

  @Test
  void itemsOfResponsesAreToldByTheirIdsWhereTheIndicesAreOthers() throws Exception {
    String call = "'item':{'type':'function_call','id':'%1$s','call_id':'%1$s','name':'f'%2$s}";
    String message = "'item':{'type':'message','id':'m','role':'assistant'%s}";
    String text = "'content':[{'type':'output_text','text':'a'}]";
    String arguments = "function_call_arguments.delta";
    for (int of = 0; of < 3; of++) {
      StringBuilder calls = new StringBuilder();
      for (String id : List.of("c", "d")) {
        int at = id.equals("c") ? 0 : 1;
        String delta = "'item_id':'" + id + "','delta':'{}'";
        String whole = call.formatted(id, ",'arguments':'{}'");
        calls.append(event("output_item.added", of == 0 ? 0 : at, call.formatted(id, "")));
        calls.append(event(arguments, of == 1 ? 7 : at, delta));
        calls.append(event("output_item.done", of == 2 ? 1 - at : at, whole));
      }
      assertSays(RESPONSES, calls + COMPLETED, new Said("", "", Map.of("c f", "{}", "d f", "{}")));
      assertSays(
          RESPONSES,
          event("output_item.added", of == 0 ? 2 : 0, message.formatted(""))
              + event("output_text.delta", of == 1 ? 1 : 0, "'item_id':'m','delta':'a'")
              + event("output_item.done", of == 2 ? 1 : 0, message.formatted("," + text))
              + COMPLETED,
          new Said("a", "", Map.of()));
    }
    String begun = call.formatted("c", "");
    String other = call.formatted("d", "");
    assertSays(
        RESPONSES,
        event("output_item.added", 0, begun)
            + event("output_item.added", 1, other)
            + event("output_item.done", 1, begun.replace("}", ",'arguments':'{}'}"))
            + event("output_item.done", 0, other.replace("}", ",'arguments':'{}'}"))
            + COMPLETED,
        new Said("", "", Map.of("c f", "{}", "d f", "{}")));
  }

  @Test
  void theTextBesideTheItemsOfAStreamIsKeptWithThem() throws Exception {
    String thought = event("output_item.done", 0, "'item':" + REASONING);
    String use = "{'type':'function_call','call_id':'c','name':'f','arguments':'{}'}";
    String call = event("output_item.done", 1, "'item':" + use);
    String begun = event("output_item.added", 1, "'item':" + use);
    String end = COMPLETED.replace("[]", "[],'output_text':'a'");
    Map<String, String> calls = Map.of("c f", "{}");

    assertSays(RESPONSES, thought + end, new Said("a", "t", Map.of()));
    assertSays(RESPONSES, thought + call + end, new Said("a", "t", calls));
    assertSays(RESPONSES, thought + begun + end, new Said("a", "t", calls));
    assertSays(
        RESPONSES,
        (thought + call).replaceAll("'output_index':\\d,", "") + end,
        new Said("a", "t", calls));
  }

  @Test
  void onlyTheLastEventHasTheTextOfAResponse() throws Exception {
    String early = "data: {'type':'response.in_progress','response':{'output_text':'a'}}\n\n";

    assertSays(
        RESPONSES,
        early + event("output_text.delta", 0, "'item_id':'m','delta':'ab'") + COMPLETED,
        new Said("ab", "", Map.of()));
  }

  @Test
  void theLastEventAddsItemsOfTypesThatDidNotEnd() throws Exception {
    String thought = event("output_item.done", 0, "'item':" + REASONING);
    String message =
        "{'type':'message','role':'assistant','content':[{'type':'output_text','text':'a'}]}";
    for (String stream : List.of(thought, thought.replace("'output_index':0,", ""))) {
      for (String output : List.of(message, REASONING + "," + message)) {
        assertSays(
            RESPONSES,
            stream + COMPLETED.replace("[]", "[" + output + "]"),
            new Said("a", "t", Map.of()));
      }
    }
    assertSays(
        RESPONSES,
        thought
            + event("output_text.delta", 1, "'delta':'a'")
            + COMPLETED.replace("[]", "[" + message + "]"),
        new Said("a", "t", Map.of()));
  }

  @Test
  void aMessageMayBeginWithBlocksThatSayNothing() throws Exception {
    String start = "data: {'type':'message_start','message':{'content':%s}}\n\n";
    String block = "{'type':'content_block_start','index':0,'content_block':{%s}}\n\ndata: ";
    for (String content : List.of("''", "['']", "[{'type':'text','text':''}]")) {
      assertSays(
          MESSAGES,
          start.formatted(content)
              + "data: "
              + block.formatted("'type':'text','text':'a'")
              + "{'type':'message_stop'}\n\n",
          new Said("a", "", Map.of()));
    }
  }

  @Test
  void callsOfMessagesOfOneIndexAreTwo() throws Exception {
    String start =
        "data: {'type':'content_block_start','index':0,'content_block':"
            + "{'type':'tool_use','id':'%s','name':'f','input':{}}}\n\n";
    String delta =
        "data: {'type':'content_block_delta','index':0,'delta':"
            + "{'type':'input_json_delta','partial_json':'{^a^:1}'}}\n\n";
    String stop = "data: {'type':'content_block_stop','index':0}\n\n";
    String end = "data: {'type':'message_stop'}\n\n";
    Said expected = new Said("", "", Map.of("c f", "{}", "d f", "{\"a\":1}"));
    for (String between : List.of(stop, "")) {
      assertSays(
          MESSAGES,
          start.formatted("c") + between + start.formatted("d") + delta + stop + end,
          expected);
      assertSays(
          MESSAGES,
          start.formatted("d") + between + start.formatted("d") + delta + stop + end,
          new Said("", "", Map.of("d f", "{\"a\":1}")));
    }
  }

  @Test
  void aReportOfNoTokensTakesNoFiguresAway() throws Exception {
    String chunk =
        "data: {'choices':[{'delta':{'content':'a'}}],'usage':{'prompt_tokens':%d,"
            + "'completion_tokens':%d,'prompt_tokens_details':{'cached_tokens':%d}}}\n\n";
    String end = "data: {'choices':[{'delta':{},'finish_reason':'stop'}]}\n\n";
    byte[] stream =
        json(chunk.formatted(100, 5, 80) + chunk.formatted(0, 0, 0) + end).getBytes(UTF_8);
    for (Translator called : others(CHAT)) {
      Usage usage =
          read(called, translated(open(called, CHAT), stream, stream.length, null)).usage();

      assertThat(List.of(usage.input(), usage.cached(), usage.output()))
          .containsExactly(100L, 80L, 5L);
    }
  }

  @Test
  void whereNothingIsToldOrCountedTheUsageIsZero() throws Exception {
    Answer nothing = new Answer("i", "m", 9, List.of(), Stop.END, null, Usage.NONE);
    for (Translator called : TranslationPairsTest.ALL) {
      Called by =
          new Called(JsonValue.of("{}"), new Names(List.of()), "m", null, "", () -> 0, words -> 0);

      assertThat(new String(called.writeAnswer(nothing, by), UTF_8)).doesNotContain("-1");
    }
  }

  @Test
  void whatComesBehindTheEndOfAServersToolIsNoCall() throws Exception {
    String tool = "{'type':'server_tool_use','id':'s','name':'web_search','input':{}}";
    String late = "{'type':'input_json_delta','partial_json':''}";
    String text = "{'type':'text','text':'a'}";
    assertTold(
        new Said("a", "", Map.of()),
        "{'type':'content_block_start','index':0,'content_block':" + tool + "}",
        "{'type':'content_block_stop','index':0}",
        "{'type':'content_block_delta','index':0,'delta':" + late + "}",
        "{'type':'content_block_start','index':1,'content_block':" + text + "}");
  }

  @Test
  void anEmptyInputIsNoneWhateverItsForm() throws Exception {
    for (String input : List.of("{}", "{ }", "[]", "null")) {
      String call = "{'type':'tool_use','id':'c','name':'f','input':" + input + "}";
      assertTold(
          new Said("", "", Map.of("c f", "{}")),
          "{'type':'content_block_start','index':0,'content_block':" + call + "}",
          "{'type':'content_block_stop','index':0}");
    }
  }

  private static void assertTold(Said expected, String... events) throws Exception {
    String stream =
        "data: " + String.join("\n\ndata: ", events) + "\n\ndata: {'type':'message_stop'}\n\n";
    byte[] bytes = json(stream).getBytes(UTF_8);
    for (Translator called : others(MESSAGES)) {
      assertThat(
              Said.of(read(called, translated(open(called, MESSAGES), bytes, bytes.length, null))))
          .as("told %s", stream)
          .isEqualTo(expected);
    }
  }

  /** Holds what is stored and what is told to callers of other formats to what is said. */
  static void assertSays(Translator target, String quoted, Said expected) throws Exception {
    String json = json(quoted);
    byte[] bytes = json.getBytes(UTF_8);
    boolean streamed = json.startsWith("data:");
    assertThat(streamed ? Said.of(target, bytes) : Said.of(format(target).answer(bytes)))
        .as("stored %s", quoted)
        .isEqualTo(expected);
    for (Translator called : others(target)) {
      TranslatedStreams.Read read =
          streamed
              ? read(called, translated(open(called, target), bytes, bytes.length, null))
              : TranslatedStreams.Read.of(
                  called.readAnswer(
                      JsonValue.parse(answered(open(called, target), bytes)),
                      "maker",
                      new CallIds()));
      assertThat(Said.of(read)).as("told %s", quoted).isEqualTo(expected);
      TranslatedStreams.Read other =
          streamed
              ? TranslatedStreams.Read.of(gathered(open(called, target), bytes).answer())
              : read(called, told(open(called, target), bytes));
      assertThat(Said.of(other)).as("in the other shape %s", quoted).isEqualTo(expected);
    }
  }

  private static String event(String type, int index, String members) {
    return "data: {'type':'response.%s','output_index':%d,%s}\n\n".formatted(type, index, members);
  }

  static List<Translator> others(Translator target) {
    return TranslationPairsTest.ALL.stream().filter(called -> called != target).toList();
  }

  static String json(String quoted) {
    return quoted.replace('\'', '"').replace("^", "\\\"");
  }
}
