package io.memorygateway.format.answer;

import static io.memorygateway.format.Answers.bytes;
import static io.memorygateway.format.Assembled.ENOUGH;
import static io.memorygateway.format.Assembled.answer;
import static io.memorygateway.format.Assembled.blockDelta;
import static io.memorygateway.format.Assembled.contents;
import static io.memorygateway.format.Assembled.delta;
import static io.memorygateway.format.Assembled.event;
import static io.memorygateway.format.Assembled.feed;
import static io.memorygateway.format.Assembled.start;
import static io.memorygateway.format.Calls.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.figures.Figure;
import io.memorygateway.format.Format;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.sse.SseSplitter;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Contract §7: nothing of a stream is lost that names the places of its pieces in odd ways. */
class OddStreamsTest {
  private static final String TEXT = "'type':'text','text':''";
  private static final String CALL = "'type':'tool_use','id':'t','name':'f','input':{}";

  private final Format chat = new ChatFormat();
  private final Format messages = new MessagesFormat();
  private final Format responses = new ResponsesFormat();

  @Test
  void aWholeMessageOfChatStandsInPlaceOfDeltas() {
    String message = "{'role':'assistant','content':'ab','tool_calls':[%s]}";
    String call = "{'id':'c','type':'function','function':{'name':'f','arguments':'{}'}}";
    String chunk =
        "data: {'choices':[{'message':%s,'finish_reason':'stop'}]}\n\n"
            .formatted(message.formatted(call));

    assertThat(contents(chat, chunk))
        .containsExactly("assistant mixed {'content':'ab','tool_calls':[" + call + "]}");
    assertThat(contents(chat, delta("'role':'assistant','content':'','refusal':null") + chunk))
        .as("behind a delta that says nothing")
        .containsExactly("assistant mixed {'content':'ab','tool_calls':[" + call + "]}");
    assertThat(contents(chat, delta("'content':'ab'") + chunk))
        .as("not beside them")
        .containsExactly("assistant text 'ab'");
  }

  @Test
  void ofSeveralChoicesOfChatTheFirstByItsIndexIsKept() {
    String first = "{'index':0,'%1$s':{'role':'assistant','content':'a'},'finish_reason':'stop'}";
    String second =
        "{'index':1,'%1$s':{'role':'assistant','content':'b'},'finish_reason':'length'}";
    for (String choices : List.of(first + "," + second, second + "," + first)) {
      assertThat(answer(chat, "{'choices':[" + choices.formatted("message") + "]}"))
          .containsExactly("assistant text 'a'");
      assertThat(contents(chat, "data: {'choices':[" + choices.formatted("delta") + "]}\n\n"))
          .containsExactly("assistant text 'a'");
    }
    String chunks =
        List.of(second, first, second).stream()
            .map(choice -> "data: {'choices':[" + choice.formatted("delta") + "]}\n\n")
            .collect(Collectors.joining());

    assertThat(contents(chat, chunks)).containsExactly("assistant text 'a'");
    assertThat(feed(chat, chunks, ENOUGH, ENOUGH).metadata()).contains("\"stop\"");
    assertThat(answer(chat, "{'choices':[" + second.formatted("message") + "]}"))
        .as("another one, if it is the only one")
        .isEqualTo(contents(chat, "data: {'choices':[" + second.formatted("delta") + "]}\n\n"))
        .containsExactly("assistant text 'b'");
  }

  @Test
  void aWholeCallOfChatGetsWhatComesLateBesidesArguments() {
    String first = "'tool_calls':[{'index':0,'id':'c','function':{'name':'f','arguments':'{}'}}]";
    String again = first.replace("}}]", "},'extra_content':{'s':1}}]");

    assertThat(contents(chat, delta(first) + delta(again)))
        .containsExactly(
            "assistant tool-call {'content':null,'tool_calls':[{'id':'c','type':'function',"
                + "'function':{'name':'f','arguments':'{}'},'extra_content':{'s':1}}]}");
  }

  @Test
  void blocksOfOneIndexAreAllKept() {
    String result = "'type':'web_search_tool_result','tool_use_id':'s','content':[]";
    String use = "'type':'server_tool_use','id':'s','name':'web_search','input':{}";
    String stream =
        start(0, use)
            + blockDelta(0, "'type':'input_json_delta','partial_json':'{\\'q\\':1}'")
            + stop(0)
            + start(1, result)
            + stop(1)
            + start(1, TEXT)
            + blockDelta(1, "'type':'text_delta','text':'a'")
            + stop(1)
            + start(1, TEXT)
            + blockDelta(1, "'type':'text_delta','text':'b'")
            + stop(1);

    assertThat(contents(messages, stream))
        .containsExactly(
            "assistant mixed [{'type':'server_tool_use','id':'s','name':'web_search',"
                + "'input':{'q':1}},{%s},{'type':'text','text':'a'},{'type':'text','text':'b'}]"
                    .formatted(result));
  }

  @Test
  void aBlockThatIsBegunAgainGoesOn() {
    String a = blockDelta(0, "'type':'text_delta','text':'a'");

    assertThat(contents(messages, start(0, TEXT) + a + start(0, TEXT) + a))
        .containsExactly("assistant text [{'type':'text','text':'aa'}]");
    assertThat(contents(messages, start(0, CALL) + stop(0) + start(0, CALL)))
        .containsExactly("assistant tool-call [{%s}]".formatted(CALL));
  }

  @Test
  void aDeltaBehindTheEndOfItsBlockIsStillOfIt() {
    String thought = "'type':'thinking','thinking':''";
    String stream =
        start(0, thought)
            + blockDelta(0, "'type':'thinking_delta','thinking':'t'")
            + stop(0)
            + blockDelta(0, "'type':'signature_delta','signature':'s'")
            + start(1, TEXT)
            + blockDelta(1, "'type':'text_delta','text':'a'")
            + stop(1)
            + blockDelta(1, "'type':'text_delta','text':'b'")
            + blockDelta(1, "'citation':{'n':1}");

    assertThat(contents(messages, stream))
        .containsExactly(
            "assistant mixed [{'type':'thinking','thinking':'t','signature':'s'},"
                + "{'type':'text','text':'ab','citations':[{'n':1}]}]");
  }

  @Test
  void aMessageMayBeginWithBlocks() {
    String begun = event("message_start", "'message':{'content':%s}");
    String more = blockDelta(0, "'text':'b'");
    for (String content : List.of("'a'", "['a']", "[{'type':'text','text':'a'}]")) {
      assertThat(contents(messages, begun.formatted(content) + start(0, TEXT) + more))
          .as(content)
          .containsExactly("assistant text [{'type':'text','text':'ab'}]");
    }
  }

  @Test
  void aNameThatIsNoneDoesNotHideTheType() throws IOException {
    String stream =
        start(0, TEXT)
            + blockDelta(0, "'type':'text_delta','text':'a'")
            + event("message_stop", "'x':1");
    for (String name : List.of("message", "")) {
      String named = stream.replaceAll("event: .*", "event: " + name);
      AnswerStream watched = messages.openStream();
      byte[] bytes = bytes(json(named));
      new SseSplitter(ENOUGH).feed(bytes, 0, bytes.length, watched::accept);

      assertThat(contents(messages, named))
          .containsExactly("assistant text [{'type':'text','text':'a'}]");
      assertThat(watched.complete()).isTrue();
    }
  }

  @Test
  void aDeltaIsOfTheBlockThatItFits() {
    String stream =
        start(0, CALL)
            + blockDelta(0, "'type':'input_json_delta','partial_json':'{\\'n\\':'")
            + blockDelta(0, "'type':'text_delta','text':'a'")
            + blockDelta(0, "'type':'input_json_delta','partial_json':'1}'")
            + start(1, TEXT)
            + blockDelta(1, "'type':'thinking_delta','thinking':'t'")
            + blockDelta(1, "'type':'signature_delta','signature':'s'")
            + blockDelta(1, "'type':'text_delta','text':'b'");

    assertThat(contents(messages, stream))
        .containsExactly(
            "assistant mixed [{'type':'tool_use','id':'t','name':'f','input':{'n':1}},"
                + "{'type':'text','text':'a'},"
                + "{'type':'thinking','thinking':'t','signature':'s'},{'type':'text','text':'b'}]");
  }

  @Test
  void argumentsMayComeBeforeTheirCall() {
    String input = blockDelta(0, "'type':'input_json_delta','partial_json':'{}'");

    assertThat(contents(messages, input + blockDelta(0, "'partial_json':null") + start(0, CALL)))
        .containsExactly("assistant tool-call [{%s}]".formatted(CALL));
  }

  @Test
  void aPieceOfAnotherKindTakesNothingAway() {
    String call = "'tool_calls':[{'index':0,'id':'c','function':{'name':'f','arguments':'{}'}}]";

    assertThat(
            contents(
                chat,
                delta("'content':'a'")
                    + delta("'content':7")
                    + delta(call)
                    + delta("'tool_calls':[{'index':0,'function':1}]")))
        .isEqualTo(contents(chat, delta("'content':'a'") + delta(call)));
  }

  @Test
  void oneEntryOrATextStandsForAListOfThem() {
    String a = "{'type':'text','text':'a'}";
    for (String content : List.of(a, "['a']")) {
      assertThat(contents(chat, delta("'content':" + content) + delta("'content':'b'")))
          .as(content)
          .containsExactly("assistant text [{'type':'text','text':'ab'}]");
      assertThat(contents(chat, delta("'content':'b'") + delta("'content':" + content)))
          .containsExactly("assistant text [{'type':'text','text':'ba'}]");
      assertThat(answer(chat, "{'choices':[{'message':{'content':" + content + "}}]}"))
          .containsExactly("assistant text [" + a + "]");
    }
    String call = "{'id':'c','type':'function','function':{'name':'f','arguments':'{}'}}";
    String list = "assistant tool-call {'content':null,'tool_calls':[" + call + "]}";
    String members = "'content':null,'tool_calls':" + call;

    assertThat(contents(chat, delta(members))).containsExactly(list);
    assertThat(answer(chat, "{'choices':[{'message':{" + members + "}}]}")).containsExactly(list);

    // An empty list, as Lua and PHP write it.
    String none = "'content':'x','tool_calls':{}";
    assertThat(answer(chat, "{'choices':[{'message':{" + none + "}}]}"))
        .containsExactly("assistant text {" + none + "}");
  }

  @Test
  void callsAreInTheOrderOfTheirIndices() {
    String call =
        "{'index':%d,'id':'%s','type':'function','function':{'name':'f','arguments':'{}'}}";
    String a = "'tool_calls':[" + call.formatted(0, "a") + "]";
    String b = "'tool_calls':[" + call.formatted(1, "b") + "]";

    assertThat(contents(chat, delta(b) + delta(a))).isEqualTo(contents(chat, delta(a) + delta(b)));
  }

  @Test
  void callsWithoutIndicesOfTheirOwnAreInTheOrderOfTheirComing() {
    String call = "{%s'id':'%s','type':'function','function':{'name':'f','arguments':'{}'}}";
    String ab = call.formatted("", "a") + "," + call.formatted("", "b");
    String inOrder = ab + "," + call.formatted("", "c");
    for (String index : List.of("", "'index':0,")) {
      String c = call.formatted(index, "c");
      assertThat(
              contents(
                  chat, delta("'tool_calls':[" + ab + "]") + delta("'tool_calls':[" + c + "]")))
          .isEqualTo(contents(chat, delta("'tool_calls':[" + inOrder + "]")));
    }
  }

  @Test
  void ofAMemberThatStandsTwiceTheLastCounts() {
    String said = delta("'content':'a'") + delta("'content':'n','content':'b'");
    String call =
        delta("'tool_calls':[{'index':0,'id':'c','function':{'name':'f','arguments':'{'}}]")
            + delta("'tool_calls':[{'index':0,'function':{'arguments':'n','arguments':'}'}}]");

    assertThat(contents(chat, said + call))
        .isEqualTo(contents(chat, delta("'content':'ab'") + call.replace("'n','arguments':", "")));
    assertThat(
            contents(
                messages,
                start(0, TEXT) + blockDelta(0, "'type':'text_delta','text':'n','text':'a'")))
        .containsExactly("assistant text [{'type':'text','text':'a'}]");
  }

  @Test
  void argumentsMayComeAsAnObject() {
    String stream =
        start(0, CALL) + blockDelta(0, "'type':'input_json_delta','partial_json':{'n':1}");

    assertThat(contents(messages, stream))
        .containsExactly("assistant tool-call [{%s}]".formatted(CALL.replace("{}", "{'n':1}")));
  }

  @Test
  void blocksWithoutIndicesAreInTheirOrder() {
    String stream =
        start(0, TEXT)
            + blockDelta(0, "'type':'text_delta','text':'a'")
            + stop(0)
            + start(0, CALL)
            + blockDelta(0, "'type':'input_json_delta','partial_json':'{}'")
            + stop(0);

    assertThat(contents(messages, stream.replace("'index':0,", "").replace(",'index':0", "")))
        .containsExactly("assistant mixed [{'type':'text','text':'a'},{%s}]".formatted(CALL));
  }

  @Test
  void itemsAreToldByTheirIdsWhereTheIndicesAreMissingOrTheSame() {
    String stream = message("m", "ab") + call("fc_1", "c") + call("fc_2", "d");
    String[] expected = {
      "assistant text {'type':'message','id':'m','role':'assistant',"
          + "'content':[{'type':'output_text','text':'ab'}]}",
      "assistant tool-call {'type':'function_call','id':'fc_1','call_id':'c','arguments':'{}'}",
      "assistant tool-call {'type':'function_call','id':'fc_2','call_id':'d','arguments':'{}'}"
    };

    assertThat(contents(responses, stream)).as("all of index 0").containsExactly(expected);
    assertThat(contents(responses, stream.replace("'output_index':0,", "")))
        .as("no indices")
        .containsExactly(expected);
    assertThat(
            contents(
                responses,
                stream.replace("'output_index':0,", "").replaceAll("'item_id':'\\w*',", "")))
        .as("pieces without ids")
        .containsExactly(expected);
  }

  @Test
  void theLastEventStandsForItemsThatDidNotEnd() {
    String item =
        "{'type':'message','id':'m','role':'assistant','content':[{'type':'output_text','text':'ab'}]}";
    String begun =
        event(
            "response.output_text.delta",
            "'output_index':1,'item_id':'m','content_index':0,'delta':'ab'");

    assertThat(
            contents(
                responses,
                begun + event("response.completed", "'response':{'output':[" + item + "]}")))
        .containsExactly("assistant text " + item);
  }

  @Test
  void theTextOfAResponseMayStandBesideItsItems() {
    String item =
        "{'type':'message','role':'assistant','content':[{'type':'output_text','text':'ab'}]}";
    String reasoning = "{'type':'reasoning','summary':[{'type':'summary_text','text':'t'}]}";
    for (String response :
        List.of("'output_text':'ab'", "'output':[],'output_text':'ab'", "'output':'ab'")) {
      String end = event("response.completed", "'response':{" + response + "}");

      assertThat(answer(responses, "{" + response + "}")).containsExactly("assistant text " + item);
      assertThat(contents(responses, end)).containsExactly("assistant text " + item);
      assertThat(contents(responses, message("m", "ab") + end)).as("only once").hasSize(1);
      assertThat(feed(responses, end, ENOUGH, ENOUGH).metadata()).doesNotContain("output");
    }
    String both = "'output':[" + reasoning + "],'output_text':'ab'";
    assertThat(answer(responses, "{" + both + "}"))
        .isEqualTo(contents(responses, event("response.completed", "'response':{" + both + "}")))
        .containsExactly("assistant reasoning " + reasoning, "assistant text " + item);
  }

  @Test
  void whatComesBehindTheEndOfAnItemTakesNothingFromIt() {
    String late =
        event(
            "response.output_text.delta",
            "'output_index':0,'item_id':'m','content_index':0,'delta':'b'");
    String done = "{'type':'message','id':'m','role':'assistant'%s}";

    assertThat(contents(responses, message("m", "ab") + late))
        .isEqualTo(contents(responses, message("m", "ab")));
    for (String content : List.of(",'content':[]", "")) {
      String end =
          event("response.output_item.done", "'output_index':0,'item':" + done.formatted(content));
      assertThat(contents(responses, late + end))
          .as("an end without the content that came")
          .isEqualTo(contents(responses, end + late))
          .containsExactly(
              "assistant text " + done.formatted(",'content':[{'type':'output_text','text':'b'}]"));
    }
  }

  @Test
  void callsThatHaveOnlyTheIdOfTheirResultsEndTogether() {
    String text =
        "{'type':'message','id':'m','role':'assistant','content':[{'type':'output_text','text':'ab'}]}";
    String c = "{'type':'function_call','call_id':'c','name':'f','arguments':'{}'}";
    String d = c.replace("'c'", "'d'");
    String begun =
        event("response.output_item.added", "'item':" + text.replaceAll("\\[.*]", "[]"))
            + event("response.output_text.delta", "'item_id':'m','delta':'ab'");

    for (List<String> items : List.of(List.of(text, c), List.of(c, d), List.of(text, c, d))) {
      StringBuilder stream = new StringBuilder(items.contains(text) ? begun : "");
      for (String call : items.subList(items.contains(text) ? 1 : 0, items.size())) {
        String id = call.equals(c) ? "c" : "d";
        stream
            .append(event("response.output_item.added", "'item':" + call.replace("{}", "")))
            .append(
                event(
                    "response.function_call_arguments.delta",
                    "'item_id':'" + id + "','delta':'{}'"));
      }
      items.forEach(item -> stream.append(event("response.output_item.done", "'item':" + item)));
      String output = "'response':{'output':[" + String.join(",", items) + "]}";
      String[] expected =
          items.stream()
              .map(item -> "assistant " + (item.equals(text) ? "text " : "tool-call ") + item)
              .toArray(String[]::new);

      assertThat(contents(responses, stream.toString())).containsExactly(expected);
      assertThat(contents(responses, stream + event("response.completed", output)))
          .containsExactly(expected);
    }
  }

  @Test
  void theLastEventStandsForItemsThatDoNotSayWhereTheyStand() {
    String item = "{'type':'function_call','call_id':'c','name':'f','arguments':'{}'}";
    String begun = event("response.output_item.added", "'item':" + item.replace("'c'", "'x'"));

    assertThat(
            contents(
                responses,
                begun
                    + begun.replace("'x'", "'y'")
                    + event("response.output_item.done", "'item':" + item)
                    + event("response.completed", "'response':{'output':[" + item + "]}")))
        .containsExactly("assistant tool-call " + item);
  }

  @Test
  void itemsAreToldByTheirIndicesWhereTheIdsAreTheSame() {
    String second = message("msg_0", "b").replace("'output_index':0", "'output_index':1");
    String item =
        "assistant text {'type':'message','id':'msg_0','role':'assistant',"
            + "'content':[{'type':'output_text','text':'%s'}]}";

    assertThat(contents(responses, message("msg_0", "a") + second))
        .containsExactly(item.formatted("a"), item.formatted("b"));
  }

  @Test
  void anItemIsBegunWhereAnotherStandsThatIsNotDone() {
    String begun = "'output_index':0,'item':{'type':'function_call','id':'%1$s','call_id':'%1$s'}";
    String delta = "'output_index':0,'item_id':'%s','delta':'{}'";
    String call = "assistant tool-call {'type':'function_call','id':'%1$s','call_id':'%1$s',";
    String arguments = "response.function_call_arguments.delta";

    assertThat(
            contents(
                responses,
                event("response.output_item.added", begun.formatted("c"))
                    + event("response.output_item.added", begun.formatted("d"))
                    + event(arguments, delta.formatted("c"))
                    + event(arguments, delta.formatted("d"))))
        .containsExactly(
            call.formatted("c") + "'arguments':'{}'}", call.formatted("d") + "'arguments':'{}'}");
  }

  @Test
  void anErrorOfAnotherChoiceOfChatIsNotThatOfTheFirst() throws IOException {
    String chunk = "data: {'choices':[{%s'delta':{},%s,'usage':{'prompt_tokens':3}}]}\n\n";
    for (String error : List.of("'finish_reason':'error'", "'error':{'message':'m'}")) {
      for (String index : List.of("", "'index':0,", "'index':null,", "'index':1,")) {
        AnswerStream stream = chat.openStream();
        byte[] bytes = bytes(json(chunk.formatted(index, error)));
        new SseSplitter(ENOUGH).feed(bytes, 0, bytes.length, stream::accept);

        assertThat(stream.failed()).as(index + error).isEqualTo(!index.contains("1"));
        assertThat(stream.usage().get(Figure.INPUT_TOKENS)).isEqualTo(3);
      }
    }
  }

  private static String stop(int index) {
    return event("content_block_stop", "'index':" + index);
  }

  private static String message(String id, String text) {
    String item = "{'type':'message','id':'%s','role':'assistant','content':[%s]}";
    String part = "{'type':'output_text','text':'" + text + "'}";
    return event("response.output_item.added", "'output_index':0,'item':" + item.formatted(id, ""))
        + event(
            "response.output_text.delta",
            "'output_index':0,'item_id':'%s','content_index':0,'delta':'%s'".formatted(id, text))
        + event("response.output_item.done", "'output_index':0,'item':" + item.formatted(id, part));
  }

  private static String call(String id, String callId) {
    String item = "{'type':'function_call','id':'%s','call_id':'%s','arguments':'%s'}";
    return event(
            "response.output_item.added",
            "'output_index':0,'item':" + item.formatted(id, callId, ""))
        + event(
            "response.function_call_arguments.delta",
            "'output_index':0,'item_id':'" + id + "','delta':'{}'")
        + event(
            "response.output_item.done",
            "'output_index':0,'item':" + item.formatted(id, callId, "{}"));
  }
}
