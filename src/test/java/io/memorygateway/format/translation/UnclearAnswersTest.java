package io.memorygateway.format.translation;

import static io.memorygateway.format.translation.OddAnswersTest.assertSays;
import static io.memorygateway.format.translation.OddAnswersTest.json;
import static io.memorygateway.format.translation.OddAnswersTest.others;
import static io.memorygateway.format.translation.TranslatedStreams.check;
import static io.memorygateway.format.translation.TranslatedStreams.gathered;
import static io.memorygateway.format.translation.TranslatedStreams.open;
import static io.memorygateway.format.translation.TranslatedStreams.translated;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.figures.Figure;
import io.memorygateway.json.JsonValue;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Contract §14: answers that say nothing, or not plainly to what they belong. */
class UnclearAnswersTest {
  private static final Translator CHAT = TranslationPairsTest.ALL.get(0);
  private static final Translator MESSAGES = TranslationPairsTest.ALL.get(1);
  private static final Translator RESPONSES = TranslationPairsTest.ALL.get(2);

  private static final List<String> NOTHING =
      List.of("{}", "{'choices':[]}", "{'choices':[{'message':{'role':'assistant'}}]}");

  /** Events of streams in which nothing is said, by target; some come to their end. */
  private static final List<List<List<String>>> SILENT =
      List.of(
          List.of(
              List.of("[DONE]"),
              List.of("{'choices':[{'delta':{'role':'assistant'}}]}", "[DONE]"),
              List.of("{}")),
          List.of(
              List.of("{'type':'message_stop'}"),
              List.of(
                  "{'type':'message_start','message':{'usage':{'input_tokens':0}}}",
                  "{'type':'message_stop'}"),
              List.of("{'type':'ping'}")),
          List.of(
              List.of("{'type':'response.completed','response':{}}"),
              List.of(
                  "{'type':'response.created','response':{'id':'a'}}",
                  "{'type':'response.completed','response':{'output':[]}}"),
              List.of("{'type':'keepalive'}")));

  @Test
  void anAnswerThatSaysNothingIsNone() throws Exception {
    for (Translator target : TranslationPairsTest.ALL) {
      for (Translator called : others(target)) {
        for (String answer : target == CHAT ? NOTHING : List.<String>of()) {
          assertThat(open(called, target).read(json(answer).getBytes(UTF_8)).saysNothing())
              .as(answer)
              .isTrue();
        }
        for (List<String> events : SILENT.get(TranslationPairsTest.ALL.indexOf(target))) {
          String stream = "data: " + String.join("\n\ndata: ", events) + "\n\n";
          byte[] bytes = json(stream).getBytes(UTF_8);
          byte[] told = translated(open(called, target), bytes, bytes.length, null);

          assertThat(check(called, told) || new String(told, UTF_8).contains("event: error"))
              .as(stream + " " + new String(told, UTF_8))
              .isTrue();
          Fault fault = gathered(open(called, target), bytes).fault();
          assertThat(fault != null && fault.isBroken()).as(stream).isTrue();
        }
      }
    }
  }

  @Test
  void anEmptyAnswerIsGood() throws Exception {
    List<String> answers =
        List.of("{'choices':[{'finish_reason':'stop'}]}", "{'content':[]}", "{'output':[]}");
    for (Translator target : TranslationPairsTest.ALL) {
      String answer = json(answers.get(TranslationPairsTest.ALL.indexOf(target)));
      for (Translator called : others(target)) {
        assertThat(open(called, target).read(answer.getBytes(UTF_8)).saysNothing()).isFalse();
      }
    }
  }

  @Test
  void theFirstChoiceIsToldWheneverItComes() throws Exception {
    String said = "data: {'choices':[{'index':%d,'delta':{'content':'%s'}}]}\n\n";
    String end = "data: {'choices':[{'index':%d,'delta':{},'finish_reason':'stop'}]}\n\n";
    String other = said.formatted(1, "b");
    String first = said.formatted(0, "a");
    for (String stream :
        List.of(
            other + first + end.formatted(0),
            other + end.formatted(1) + first + end.formatted(0),
            first + other + end.formatted(1) + first.replace("'a'", "''") + end.formatted(0))) {
      assertSays(CHAT, stream, new Said("a", "", Map.of()));
    }
    assertSays(CHAT, other + other + end.formatted(1), new Said("bb", "", Map.of()));
  }

  @Test
  void whatIsHeldForTheFirstChoiceCounts() throws Exception {
    String delta = "x".repeat(60 << 10);
    byte[] held =
        json("data: {'choices':[{'index':1,'delta':{'content':'" + delta + "'}}]}\n\n")
            .getBytes(UTF_8);
    Gathered whole = new Gathered();
    StreamTranslation stream = open(RESPONSES, CHAT).openWhole(whole, defect -> {}, bytes -> false);

    stream.feed(held, 0, held.length, event -> {});
    assertThat(whole.fault()).isNull();
    stream.feed(held, 0, held.length, event -> {});
    assertThat(whole.fault()).isEqualTo(Fault.FULL);
  }

  @Test
  void aFailedAnswerIsNone() throws Exception {
    String failed =
        json("{'choices':[{'index':%d,'message':{'content':'x'},'finish_reason':'error'}]}");
    for (int index = 0; index < 2; index++) {
      byte[] answer = failed.formatted(index).getBytes(UTF_8);
      assertThat(open(RESPONSES, CHAT).read(answer).saysNothing()).isTrue();
    }
  }

  @Test
  void anErrorIsNoBrokenStreamWhateverItsType() throws Exception {
    String error =
        json("data: {'error':{'type':'upstream_error','code':429,'message':'Not now.'}}\n\n");
    Fault fault = gathered(open(RESPONSES, CHAT), error.getBytes(UTF_8)).fault();

    assertThat(fault).extracting(Fault::status, Fault::isBroken).containsExactly(429, false);
  }

  @Test
  void whatAnAnswerCostIsKnownThoughItIsNotToldToItsEnd() throws Exception {
    Translation cut = open(CHAT, MESSAGES);
    String usage = "'model':'n','usage':{'input_tokens':3,'output_tokens':4}";
    cut.openStream(
        cut.read(json("{'content':[]," + usage + "}").getBytes(UTF_8)),
        defect -> {},
        bytes -> true);
    Translation failed = open(CHAT, MESSAGES);
    String stream = json("data: {'type':'message_start','message':{" + usage + "}}\n\n");
    assertThat(gathered(failed, stream.getBytes(UTF_8)).fault()).isNotNull();

    for (Translation translation : List.of(cut, failed)) {
      assertThat(translation.told().get(Figure.INPUT_TOKENS)).isEqualTo(3);
      assertThat(translation.told().get(Figure.OUTPUT_TOKENS)).isEqualTo(4);
      assertThat(translation.told().model()).isEqualTo("n");
    }
  }

  @Test
  void aFragmentIsOfTheCallOfItsId() throws Exception {
    String chunk = "data: {'choices':[{'delta':{'tool_calls':[%s]}}]}\n\n";
    String begun = "{'index':%d,'id':'%s','function':{'name':'f','arguments':''}}";
    String more = "{'index':%d,'id':'%s','function':{'arguments':'%s'}}";
    String end = "data: {'choices':[{'delta':{},'finish_reason':'tool_calls'}]}\n\n";
    Map<String, String> calls = Map.of("c f", "{\"a\":1}", "d f", "{\"b\":2}");
    for (int index = 0; index < 3; index++) {
      StringBuilder stream = new StringBuilder();
      for (String entry :
          List.of(
              begun.formatted(0, "c"),
              begun.formatted(1, "d"),
              more.formatted(1, "c", "{^a^"),
              more.formatted(index, "d", "{^b^"),
              more.formatted(index, "c", ":1}"),
              more.formatted(0, "d", ":2}"))) {
        stream.append(chunk.formatted(entry));
      }
      assertSays(CHAT, stream + end, new Said("", "", calls));
    }
    String named = "{'index':%d,'id':'c','function':{'name':'f','arguments':'%s'}}";
    assertSays(
        CHAT,
        chunk.formatted(named.formatted(0, "{^a^:"))
            + chunk.formatted(named.formatted(1, "1}"))
            + end,
        new Said("", "", Map.of("c f", "{\"a\":1}")));
    String same = begun.formatted(0, "c").replace("''", "'{}'");
    assertSays(
        CHAT,
        chunk.formatted(same)
            + chunk.formatted(begun.formatted(1, "d").replace("''", "'{}'"))
            + end,
        new Said("", "", Map.of("c f", "{}", "d f", "{}")));
  }

  @Test
  void anItemThatEndsWithoutItsTypeIsTheOneThatBegan() throws Exception {
    String thought = "'id':'r',%s'summary':[%s]";
    String text = "{'type':'summary_text','text':'t'}";
    String call = "'id':'i',%s'call_id':'c','name':'f','arguments':'%s'";
    for (String type : List.of("", "'type':null,", "'type':'%s',")) {
      String reasoning = type.replace("%s", "reasoning");
      String function = type.replace("%s", "function_call");
      String whole =
          "{%s},{%s}"
              .formatted(
                  thought.formatted("'type':'reasoning',", text),
                  call.formatted("'type':'function_call',", "{}"));
      StringBuilder stream = new StringBuilder();
      for (String event :
          List.of(
              "output_item.added','output_index':0,'item':{"
                  + thought.formatted("'type':'reasoning',", "")
                  + "}",
              "reasoning_summary_text.delta','output_index':0,'item_id':'r','summary_index':0,'delta':'t'",
              "output_item.done','output_index':0,'item':{"
                  + thought.formatted(reasoning, text)
                  + "}",
              "output_item.added','output_index':1,'item':{"
                  + call.formatted("'type':'function_call',", "")
                  + "}",
              "function_call_arguments.delta','output_index':1,'item_id':'i','delta':'{}'",
              "output_item.done','output_index':1,'item':{" + call.formatted(function, "{}") + "}",
              "completed','response':{'output':[" + whole + "]}")) {
        stream.append("data: {'type':'response.").append(event).append("}\n\n");
      }
      assertSays(RESPONSES, stream.toString(), new Said("", "t", Map.of("c f", "{}")));
    }
  }

  /** What an item shows goes before what another one at its index was. */
  @Test
  void anItemWithoutItsTypeIsWhatItsIdOrItsContentSays() throws Exception {
    String event = "data: {'type':'response.%s','output_index':0,'item':{%s}}\n\n";
    String completed = "data: {'type':'response.completed','response':{'output':[%s]}}\n\n";
    String call = "'type':'function_call','id':'r','call_id':'c','name':'f','arguments':'{}'";
    String message =
        "'id':'m','role':'assistant','content':[{'type':'output_text','text':'hello'}]";
    assertSays(
        RESPONSES,
        event.formatted("output_item.done", call)
            + event.formatted("output_item.done", message)
            + completed.formatted(""),
        new Said("hello", "", Map.of("c f", "{}")));

    String thought = "'id':'r','summary':[],'content':[{'type':'reasoning_text','text':'t'}]";
    String repeated =
        event.formatted("output_item.added", "'type':'reasoning','id':'r','summary':[]")
            + completed.formatted("{" + thought + "},{'type':'message'," + message + "}");
    Answer answer = gathered(open(MESSAGES, RESPONSES), json(repeated).getBytes(UTF_8)).answer();
    assertThat(answer.pieces()).hasSize(2);
    assertThat(answer.pieces().get(0)).isNotInstanceOf(Piece.Text.class);
  }

  @Test
  void aBlockWithoutItsTypeIsWhatItsMembersSay() throws Exception {
    String blocks =
        "{'thinking':'t','signature':'s'},{'type':null,'text':'a'},{'id':'c','name':'f','input':{'a':1}}";
    StringBuilder stream = new StringBuilder("data: {'type':'message_start','message':{}}\n\n");
    int index = 0;
    for (JsonValue block : JsonValue.of(json("[" + blocks + "]")).items()) {
      String at = "','index':" + index++;
      stream.append("data: {'type':'content_block_start").append(at).append(",'content_block':");
      stream.append(block.raw()).append("}\n\ndata: {'type':'content_block_stop").append(at);
      stream.append("}\n\n");
    }
    stream.append("data: {'type':'message_stop'}\n\n");
    Said expected = new Said("a", "t", Map.of("c f", "{\"a\":1}"));
    byte[] whole = json("{'content':[" + blocks + "]}").getBytes(UTF_8);
    byte[] streamed = json(stream.toString()).getBytes(UTF_8);
    for (Translator called : others(MESSAGES)) {
      byte[] told = translated(open(called, MESSAGES), streamed, streamed.length, null);

      assertThat(Said.of(TranslatedStreams.read(called, told))).isEqualTo(expected);
      assertThat(Said.of(TranslatedStreams.Read.of(open(called, MESSAGES).read(whole))))
          .isEqualTo(expected);
    }
  }

  @Test
  void aFragmentOfResponsesIsOfTheItemOfItsId() throws Exception {
    String event = "data: {'type':'response.%s','output_index':%d,%s}\n\n";
    String call =
        "'item':{'type':'function_call','id':'%1$s','call_id':'%1$s','name':'f','arguments':''}";
    String delta = "'item_id':'%s','delta':'%s'";
    String more = "function_call_arguments.delta";
    String stream =
        event.formatted("output_item.added", 0, call.formatted("c"))
            + event.formatted("output_item.added", 1, call.formatted("d"))
            + event.formatted(more, 1, delta.formatted("c", "{^a^"))
            + event.formatted(more, 0, delta.formatted("d", "{^b^"))
            + event.formatted(more, 0, delta.formatted("c", ":1}"))
            + event.formatted(more, 0, delta.formatted("d", ":2}"))
            + "data: {'type':'response.completed','response':{'output':[]}}\n\n";

    assertSays(RESPONSES, stream, new Said("", "", Map.of("c f", "{\"a\":1}", "d f", "{\"b\":2}")));
  }
}
