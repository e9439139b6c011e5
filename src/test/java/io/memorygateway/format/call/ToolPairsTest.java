package io.memorygateway.format.call;

import static io.memorygateway.format.Calls.render;
import static io.memorygateway.format.Calls.stored;
import static io.memorygateway.format.Calls.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.AnthropicRules;
import io.memorygateway.format.Format;
import io.memorygateway.format.Talk;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** No stored thread, whatever it holds, makes an upstream refuse a call for its tool calls. */
class ToolPairsTest {
  private static final String PARALLEL =
      "{'content':null,'tool_calls':["
          + "{'id':'c','type':'function','function':{'name':'f','arguments':'{}'}},"
          + "{'id':'d','type':'function','function':{'name':'g','arguments':'{}'}}]}";

  private final Format chat = new ChatFormat();
  private final Format messages = new MessagesFormat();
  private final Format responses = new ResponsesFormat();

  @Test
  void closesACallThatNobodyAnsweredAndDropsAResultThatNobodyAskedFor() {
    assertThat(
            render(
                chat,
                Talk.result("lost", "x"),
                Talk.user("a"),
                Talk.call("c"),
                Talk.result("c", "x"),
                Talk.result("c", "again"),
                Talk.call("d")))
        .isEqualTo(
            "{'role':'user','content':'a'},"
                + call("c")
                + ","
                + result("c", "x")
                + ","
                + call("d")
                + ","
                + "{'role':'tool','tool_call_id':'d','content':'No result was recorded.'},");
  }

  /** As of clients that know functions, on servers that call tools. */
  @Test
  void messagesOfFunctionsAnswerTheLastCallsInTheirOrder() {
    StoredMessage calls = stored("assistant", PARALLEL);
    StoredMessage one = stored("tool", "{'name':'f','content':'x'}");
    StoredMessage two = stored("tool", "{'name':'g','content':[{'type':'text','text':'y'}]}");
    assertThat(render(chat, Talk.user("a"), calls, one, two, Talk.answer("b")))
        .isEqualTo(
            "{'role':'user','content':'a'},{'role':'assistant',"
                + PARALLEL.substring(1)
                + ",{'role':'tool','tool_call_id':'c','name':'f','content':'x'},"
                + "{'role':'tool','tool_call_id':'d','name':'g','content':[{'type':'text','text':'y'}]},"
                + "{'role':'assistant','content':'b'},");
    String call = "{'role':'function','name':'f','content':'x'}]}";
    assertThat(
            write(
                chat,
                "{'model':'x','messages':[" + call,
                null,
                List.of(Talk.user("a"), Talk.call("c")),
                0))
        .isEqualTo(
            "{'model':'m','messages':[{'role':'user','content':'a'}," + call("c") + "," + call);
  }

  /** As of clients that leave it null; the first time it goes up as it came. */
  @Test
  void resultsWithoutAnIdAnswerTheLastCallsInTheirOrder() {
    StoredMessage calls = stored("assistant", PARALLEL);
    String null1 = "{'tool_call_id':null,'content':'x'}";
    String null2 = "{'tool_call_id':null,'content':'y'}";
    String expected =
        "{'role':'assistant',"
            + PARALLEL.substring(1)
            + ","
            + result("c", "x")
            + ","
            + result("d", "y")
            + ",";
    assertThat(
            render(
                chat,
                Talk.call("old"),
                Talk.user("a"),
                calls,
                stored("tool", null1),
                stored("tool", null2)))
        .endsWith(expected);
    assertThat(
            write(
                chat,
                "{'model':'m','messages':[{'role':'tool','tool_call_id':null,'content':'x'}]}",
                null,
                List.of(Talk.call("c")),
                0))
        .endsWith(call("c") + ",{'role':'tool','tool_call_id':null,'content':'x'}]}");
  }

  @Test
  void aResultWithoutAnIdLeavesTheCallThatALaterOneNames() {
    StoredMessage calls = stored("assistant", PARALLEL);
    StoredMessage nameless = stored("tool", "{'tool_call_id':null,'content':'x'}");
    String expected =
        "{'role':'assistant',"
            + PARALLEL.substring(1)
            + ","
            + result("d", "x")
            + ","
            + result("c", "y")
            + ",";
    assertThat(render(chat, calls, nameless, Talk.result("c", "y"))).isEqualTo(expected);
    assertThat(render(chat, calls, nameless, Talk.user("a"), Talk.result("c", "y")))
        .isEqualTo(expected + "{'role':'user','content':'a'},");
  }

  @Test
  void aResultOfACustomToolMayHaveNoId() {
    String call = "{'type':'custom_tool_call','call_id':'c','name':'f','input':'x'}";
    String result = "{'type':'custom_tool_call_output',%s'output':'y'}";
    assertThat(render(responses, stored("assistant", call), stored("tool", result.formatted(""))))
        .contains("'call_id':'c'", "'output':'y'")
        .doesNotContain("No result");
  }

  @Test
  void theLastCallsMayBeSeveralMessages() {
    String nameless = "{'tool_call_id':null,'content':'%s'}";
    assertThat(
            render(
                chat,
                Talk.call("c"),
                Talk.call("d"),
                stored("tool", nameless.formatted("x")),
                stored("tool", nameless.formatted("y"))))
        .endsWith(result("c", "x") + "," + result("d", "y") + ",");
  }

  /** Gemini gave all calls an empty id. */
  @Test
  void resultsOfAlikeIdsAnswerTheCallsOfOneMessageInTheirOrder() {
    String alike = PARALLEL.replace("'id':'c'", "'id':'x'").replace("'id':'d'", "'id':'x'");
    StoredMessage calls = StoredMessage.of("assistant", alike.replace('\'', '"'));
    String expected =
        "{'role':'assistant',"
            + alike
                .substring(1)
                .replace(
                    "'id':'x','type':'function','function':{'name':'g'",
                    "'id':'x_2','type':'function','function':{'name':'g'")
            + ","
            + result("x", "one")
            + ","
            + result("x_2", "two")
            + ",";

    assertThat(render(chat, calls, Talk.result("x", "one"), Talk.result("x", "two")))
        .isEqualTo(expected);
    assertThat(
            render(
                chat,
                calls,
                Talk.result("x", "one"),
                Talk.result("x", "two"),
                Talk.call("x"),
                Talk.result("x", "three")))
        .as("and one of a later step its own")
        .endsWith(result("x_3", "three") + ",");
  }

  /** Of Responses each call is an item of its own. */
  @Test
  void resultsOfAlikeIdsAnswerTheItemsOfOneAnswerInTheirOrder() {
    String call = "{'type':'function_call','call_id':'x','name':'%s','arguments':'{}'}";
    String result = "{'type':'function_call_output','call_id':'x','output':'%s'}";
    String f = call.formatted("f");
    String g = call.formatted("g");
    String one = result.formatted("one");
    String two = result.formatted("two");
    String second = "'call_id':'x_2'";
    String renamed = f + "," + one + "," + (g + "," + two).replace("'call_id':'x'", second) + ",";
    assertThat(
            render(
                responses,
                stored("assistant", f),
                stored("assistant", g),
                stored("tool", one),
                stored("tool", two)))
        .as("stored")
        .isEqualTo(renamed);
    String results = "{'model':'m','input':[" + one + "," + two + "]}";
    List<StoredMessage> calls = List.of(stored("assistant", f), stored("assistant", g));
    assertThat(write(responses, results, null, calls, 0))
        .as("the results new")
        .contains(renamed.substring(0, renamed.length() - 1));
  }

  @Test
  void movesACallDownToItsResultsPastAnotherCallersTurn() {
    assertThat(
            render(
                chat,
                Talk.user("a"),
                Talk.call("c"),
                Talk.user("b"),
                Talk.answer("b"),
                Talk.result("c", "x"),
                Talk.answer("a")))
        .isEqualTo(
            "{'role':'user','content':'a'},{'role':'user','content':'b'},"
                + "{'role':'assistant','content':'b'},"
                + call("c")
                + ","
                + result("c", "x")
                + ",{'role':'assistant','content':'a'},");
  }

  @Test
  void movesACallDownToAResultThatComesWithTheRequest() {
    String body = "{'model':'m','messages':[{'role':'tool','tool_call_id':'c', 'content':'x'}]}";

    assertThat(
            write(
                chat,
                body,
                null,
                List.of(Talk.user("a"), Talk.call("c"), Talk.user("b"), Talk.answer("b")),
                0))
        .isEqualTo(
            "{'model':'m','messages':[{'role':'user','content':'a'},{'role':'user','content':'b'},"
                + "{'role':'assistant','content':'b'},"
                + call("c")
                + ",{'role':'tool','tool_call_id':'c', 'content':'x'}]}");
  }

  @Test
  void keepsParallelCallsTogether() {
    String c = "{'type':'function_call','call_id':'c','name':'f','arguments':'{}'}";
    String d = "{'type':'function_call','call_id':'d','name':'g','arguments':'{}'}";
    String x = "{'type':'function_call_output','call_id':'c','output':'x'}";
    String y = "{'type':'function_call_output','call_id':'d','output':'y'}";
    StoredMessage[] thread = {
      Talk.user("a"),
      stored("assistant", c),
      stored("assistant", d),
      stored("tool", x),
      stored("tool", y)
    };

    assertThat(render(new ResponsesFormat(), thread))
        .isEqualTo("{'role':'user','content':'a'}," + String.join(",", c, d, x, y) + ",");
    assertThat(render(chat, thread))
        .isEqualTo(
            "{'role':'user','content':'a'},{'role':'assistant','content':null,'tool_calls':["
                + "{'id':'c','type':'function','function':{'name':'f','arguments':'{}'}},"
                + "{'id':'d','type':'function','function':{'name':'g','arguments':'{}'}}]},"
                + result("c", "x")
                + ","
                + result("d", "y")
                + ",");
  }

  /** All of them wait for the first result: none of those that come with the request can move. */
  @Test
  void keepsParallelCallsBeforeAllTheirResultsThatComeWithTheRequest() {
    List<StoredMessage> thread = List.of(Talk.user("a"), stored("assistant", PARALLEL));
    String x = "{'role':'tool','tool_call_id':'c', 'content':'x'}";
    String y = "{'role':'tool','tool_call_id':'d', 'content':'y'}";
    String calls = "{'role':'assistant'," + PARALLEL.substring(1);
    String before = "{'model':'m','messages':[{'role':'user','content':'a'}," + calls + ",";

    String both = "{'model':'m','messages':[" + x + "," + y + "]}";
    assertThat(write(chat, both, null, thread, 0)).isEqualTo(before + x + "," + y + "]}");
    assertThat(
            write(
                chat,
                "{'model':'m','messages':[" + y + "]}",
                null,
                List.of(thread.get(0), thread.get(1), Talk.result("c", "x")),
                0))
        .isEqualTo(before + result("c", "x") + "," + y + "]}");
  }

  /** So what an upstream has cached of a call is the beginning of the next one. */
  @Test
  void keepsTheOrderInWhichAClientGaveResults() {
    StoredMessage calls =
        stored(
            "assistant",
            PARALLEL.replace(
                "]}", ",{'id':'e','type':'function','function':{'name':'h','arguments':'{}'}}]}"));
    List<StoredMessage> thread = List.of(Talk.user("a"), calls);
    String y = "{'role':'tool','tool_call_id':'d','content':'y'}";
    String x = "{'role':'tool','tool_call_id':'c','content':'x'}";
    String first = write(chat, "{'model':'m','messages':[" + y + "," + x + "]}", null, thread, 0);
    String next =
        write(
            chat,
            "{'model':'m','messages':[{'role':'user','content':'b'}]}",
            null,
            List.of(thread.get(0), calls, Talk.result("d", "y"), Talk.result("c", "x")),
            0);

    assertThat(first).endsWith(y + "," + x + "]}");
    assertThat(next).startsWith(first.substring(0, first.length() - 2));
  }

  @Test
  void keepsParallelCallsBeforeAllTheirNewResultsInTheOtherFormats() {
    List<StoredMessage> thread = List.of(Talk.user("a"), stored("assistant", PARALLEL));
    String x = "{'type':'function_call_output','call_id':'c', 'output':'x'}";
    String y = "{'type':'function_call_output','call_id':'d', 'output':'y'}";
    assertThat(
            write(
                new ResponsesFormat(),
                "{'model':'m','input':[" + x + "," + y + "]}",
                null,
                thread,
                0))
        .isEqualTo(
            "{'model':'m','input':[{'role':'user','content':'a'},"
                + "{'type':'function_call','call_id':'c','name':'f','arguments':'{}'},"
                + "{'type':'function_call','call_id':'d','name':'g','arguments':'{}'},"
                + x
                + ","
                + y
                + "]}");

    String results =
        "{'role':'user','content':[{'type':'tool_result','tool_use_id':'c','content':'x'}]},"
            + "{'role':'user','content':[{'type':'tool_result','tool_use_id':'d','content':'y'}]}";
    assertThat(
            write(
                messages,
                "{'model':'m','tools':[{}],'messages':[" + results + "]}",
                null,
                thread,
                0))
        .containsSubsequence("'tool_use','id':'c'", "'tool_use','id':'d'", "'tool_use_id':'c'")
        .endsWith("'tool_use_id':'d','content':'y'}]}]}");
  }

  @Test
  void leavesTheCallersOwnMistakesToTheUpstream() {
    String body = "{'model':'m','messages':[{'role':'tool','tool_call_id':'c','content':'x'}]}";

    assertThat(write(chat, body, null, List.of(Talk.user("a")), 0))
        .endsWith("{'role':'tool','tool_call_id':'c','content':'x'}]}");
  }

  @Test
  void givesIdsThatTheUpstreamTakesInBothPlaces() {
    String id = "functions.get:0/" + "x".repeat(60);
    String anthropic = render(messages, Talk.user("a"), Talk.call(id), Talk.result(id, "x"));
    String mapped = anthropic.replaceAll("(?s).*'tool_use','id':'([^']*)'.*", "$1");

    assertThat(mapped).matches("functions_get_0_x+_[0-9a-f]+").hasSizeLessThanOrEqualTo(64);
    assertThat(anthropic).contains("'tool_use_id':'" + mapped + "'").doesNotContain(id);
    assertThat(render(messages, Talk.user("a"), Talk.call(id), Talk.result(id, "x")))
        .isEqualTo(anthropic);
    assertThat(
            write(
                messages,
                "{'model':'m','messages':[{'role':'user','content':"
                    + "[{'type':'tool_result','tool_use_id':'"
                    + id
                    + "','content':'y'}]}]}",
                null,
                List.of(Talk.user("a"), Talk.call(id)),
                0))
        .as("also where the result is the caller's own")
        .contains("{'type':'tool_result','tool_use_id':'" + mapped + "','content':'y'}");
  }

  @Test
  void tellsCallsOfOneIdApart() {
    assertThat(
            render(
                messages,
                Talk.user("a"),
                Talk.call("c"),
                Talk.result("c", "x"),
                Talk.call("c"),
                Talk.result("c", "y")))
        .contains("'id':'c'", "'tool_use_id':'c','content':'x'")
        .contains("'id':'c_2'", "'tool_use_id':'c_2','content':'y'");
  }

  @Test
  void keepsAllElseOfAMessageWhoseIdsChange() {
    String id = "chatcmpl-tool-0123456789abcdef0123456789abcdef";

    assertThat(
            render(
                chat,
                stored(
                    "assistant",
                    "{'content':null,'reasoning':'r','tool_calls':[{'id':'"
                        + id
                        + "','x':1.0,"
                        + "'type':'function','function':{'name':'f','arguments':'{ }'}}]}"),
                stored("tool", "{'tool_call_id':'" + id + "','content':'x','name':'f'}")))
        .matches(
            "\\{'role':'assistant','content':null,'reasoning':'r','tool_calls':\\[\\{'id':'[^']{1,40}',"
                + "'x':1\\.0,'type':'function','function':\\{'name':'f','arguments':'\\{ }'}}]},"
                + "\\{'role':'tool','tool_call_id':'[^']{1,40}','content':'x','name':'f'},");
  }

  /** Random threads of calls, results and words, in the strictest of formats. */
  @RepeatedTest(200)
  void keepsTheRulesOfAnthropicWhateverIsStored(RepetitionInfo repetition) {
    AnthropicRules.check(
        render(messages, AnthropicRules.thread(repetition.getCurrentRepetition())));
    List<StoredMessage> thread =
        new ArrayList<>(List.of(AnthropicRules.thread(repetition.getCurrentRepetition())));
    thread.add(Talk.answer("end "));
    AnthropicRules.check(render(messages, thread.toArray(new StoredMessage[0])));
  }

  private static String call(String id) {
    return "{'role':'assistant'," + Talk.call(id).content().substring(1).replace('"', '\'');
  }

  private static String result(String id, String text) {
    return "{'role':'tool','tool_call_id':'" + id + "','content':'" + text + "'}";
  }
}
