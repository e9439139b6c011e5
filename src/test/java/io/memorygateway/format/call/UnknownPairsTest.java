package io.memorygateway.format.call;

import static io.memorygateway.format.Calls.render;
import static io.memorygateway.format.Calls.stored;
import static io.memorygateway.format.Calls.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Calls;
import io.memorygateway.format.Format;
import io.memorygateway.format.Talk;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls and results of every type are told by their ids; JSON in single quotes. */
class UnknownPairsTest {
  private static final String NONE = "No result was recorded.";
  private static final String SEARCH =
      "{'type':'server_tool_use','id':'s','name':'web_search','input':{}}";
  private static final String FOUND =
      "{'type':'web_search_tool_result','tool_use_id':'s','content':[]}";
  private static final String SAID = "{'type':'text','text':'Found.'}";
  private static final String ASKS =
      "{'type':'mcp_approval_request','id':'mcpr','server_label':'s','name':'f','arguments':'{}'}";
  private static final String ALLOWS =
      "{'type':'mcp_approval_response','approval_request_id':'mcpr','approve':true}";

  private final Format chat = new ChatFormat();
  private final Format messages = new MessagesFormat();
  private final Format responses = new ResponsesFormat();

  /** One row of the table: what a call without a result gets; nothing, if it is left out. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "'type':'function_call','name':'f','arguments':'{}' | 'type':'function_call_output','call_id':'c','output':'%'",
        "'type':'custom_tool_call','name':'f','input':'x' | 'type':'custom_tool_call_output','call_id':'c','output':'%'",
        "'type':'local_shell_call','action':{} | 'type':'local_shell_call_output','id':'c','output':'%'",
        "'type':'shell_call','action':{} | 'type':'shell_call_output','call_id':'c','output':[{'stdout':'','stderr':'%','outcome':{'type':'exit','exit_code':1}}]",
        "'type':'apply_patch_call','operation':{} | 'type':'apply_patch_call_output','call_id':'c','status':'failed','output':'%'",
        "'type':'tool_search_call','execution':'client','arguments':{} | 'type':'tool_search_output','call_id':'c','execution':'client','tools':[]",
        "'type':'computer_call','action':{} | ",
      })
  void aCallWithoutAResultIsClosedInItsOwnTypeOrLeftOut(String call, String closing) {
    String item = "{" + call + ",'call_id':'c'}";
    String up = render(responses, Talk.user("a"), stored("assistant", item), Talk.user("b"));
    String pair = closing == null ? "" : item + ",{" + closing.replace("%", NONE) + "},";

    assertThat(up)
        .isEqualTo("{'role':'user','content':'a'}," + pair + "{'role':'user','content':'b'},");
  }

  @Test
  void aResultOfAnotherEndpointIsWrittenInTheTypeOfItsCall() {
    String call = "{'type':'custom_tool_call','call_id':'c','name':'f','input':'x'}";

    assertThat(
            render(responses, Talk.user("a"), stored("assistant", call), Talk.result("c", "$1 r")))
        .endsWith(call + ",{'type':'custom_tool_call_output','call_id':'c','output':'$1 r'},");
  }

  /** What a program of the model calls comes before what the program gives. */
  @Test
  void aProgramKeepsItsPlaceAndIsLeftOutIfTheUserWentOnWithoutItsEnd() {
    String program = "{'type':'program','id':'p','call_id':'pc','code':'x','fingerprint':'f'}";
    String call =
        "{'type':'function_call','call_id':'c','name':'f','arguments':'{}',"
            + "'caller':{'type':'program','caller_id':'pc'}}";
    String output = "{'type':'program_output','id':'o','call_id':'pc','result':'1'}";
    StoredMessage result = Talk.result("c", "r");

    assertThat(
            render(
                responses,
                Talk.user("a"),
                stored("assistant", program),
                stored("assistant", call),
                result,
                stored("assistant", output)))
        .containsSubsequence(program, call, "'function_call_output'", output);
    assertThat(
            render(
                responses,
                Talk.user("a"),
                stored("assistant", program),
                stored("assistant", call),
                Talk.user("b")))
        .isEqualTo("{'role':'user','content':'a'},{'role':'user','content':'b'},");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{'type':'widget_call','call_id':'w','of':1.0} | {'type':'widget_call_output','call_id':'w','is':1.0}",
        "{'type':'widget','call_id':'w','of':1.0} | {'type':'gadget','call_id':'w','is':1.0}",
        "{'type':'widget','id':'w','of':1.0} | {'type':'gadget_output','call_id':'w','is':1.0}",
        "{'type':'widget','call_id':'w','of':1.0} | {'type':'function_call_output','call_id':'w','output':'x'}",
        "{'type':'function_call','call_id':'w','name':'f','arguments':'{}'} | {'type':'gadget','call_id':'w','is':1.0}",
      })
  void anUnknownCallGoesBackWithItsResultDirectlyBehind(String call, String result) {
    StoredMessage[] thread = {
      Talk.user("a"),
      stored("assistant", call),
      Talk.user("b"),
      Talk.answer("b"),
      stored("tool", result),
      Talk.answer("a")
    };

    assertThat(render(responses, thread)).containsOnlyOnce(call + "," + result + ",");
    assertThat(render(responses, thread)).doesNotContain(NONE);
  }

  @Test
  void anItemBehindTheCallOfItsIdIsItsResultWhateverItsType() {
    String call = "{'type':'widget','call_id':'w'}";
    String result = "{'type':'gadget','call_id':'w'}";
    String body = "{'model':'m','input':[" + call + "," + result + "]}";

    assertThat(Calls.read(responses, body).messages())
        .extracting(StoredMessage::role)
        .containsExactly("assistant", "tool");
  }

  @Test
  void unknownBlocksOfAnthropicGoBackAsAPairToo() {
    String call = "{'type':'newest_use','id':'n','of':1.0}";
    String result = "{'type':'newest_answer','tool_use_id':'n','is':1.0}";
    String up =
        render(
            messages,
            Talk.user("a"),
            stored("assistant", "[" + call + "]"),
            Talk.user("b"),
            Talk.answer("b"),
            stored("user", "[" + result + "]"));

    assertThat(up)
        .contains(
            "{'role':'assistant','content':[{'type':'text','text':'b'},"
                + call
                + "]},"
                + "{'role':'user','content':["
                + result);
  }

  @Test
  void anUnknownCallWithoutAResultIsNeitherClosedNorLeftOut() {
    String call = "{'type':'widget_call','call_id':'w','of':1.0}";

    assertThat(render(responses, Talk.user("a"), stored("assistant", call), Talk.user("b")))
        .contains(call)
        .doesNotContain(NONE);
    assertThat(render(chat, Talk.user("a"), stored("assistant", call), Talk.user("b")))
        .isEqualTo("{'role':'user','content':'a'},{'role':'user','content':'b'},");
  }

  /** Anthropic goes on with its own tool once the caller's results are there, and nothing else. */
  @ParameterizedTest
  @CsvSource({"'',true", "',{''type'':''text'',''text'':''Stop.''}',false"})
  void wordsBesideResultsLeaveAToolOfTheProvider(String words, boolean isSent) {
    String use = "{'type':'tool_use','id':'c','name':'f','input':{}}";
    String body =
        "{'model':'m','tools':[{'name':'f'}],'messages':[{'role':'user','content':["
            + "{'type':'tool_result','tool_use_id':'c','content':'r'}"
            + words
            + "]}]}";
    List<StoredMessage> thread =
        List.of(Talk.user("a"), stored("assistant", "[" + SEARCH + "," + use + "]"));
    String up = write(messages, body, null, thread, 0);

    assertThat(up).contains(use);
    assertThat(up.contains(SEARCH)).isEqualTo(isSent);
  }

  @Test
  void anUnknownResultBeforeItsCallStaysInItsPlace() {
    String call = "{'type':'widget','call_id':'w','of':1.0}";
    String result = "{'type':'gadget_output','call_id':'w','is':1.0}";

    assertThat(render(responses, stored("tool", result), Talk.user("a"), stored("assistant", call)))
        .isEqualTo(result + ",{'role':'user','content':'a'}," + call + ",");
  }

  @Test
  void whatAProviderRanItselfGoesBackWhole() {
    String both = "[" + SEARCH + "," + FOUND + "," + SAID + "]";

    assertThat(render(messages, Talk.user("a"), stored("assistant", both))).contains(both);
    assertThat(
            render(
                messages,
                Talk.user("a"),
                stored("assistant", "[" + SEARCH + "]"),
                stored("assistant", "[" + FOUND + "," + SAID + "]")))
        .as("a turn that paused")
        .contains(both);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        SEARCH,
        "{'type':'mcp_tool_use','id':'s','name':'f','server_name':'s','input':{}}",
        SEARCH + "," + SEARCH,
        FOUND,
        FOUND + "," + SEARCH,
        "{'type':'newest_tool_result','tool_use_id':'s'}"
      })
  void whatAProviderRanItselfIsLeftOutWithoutItsOtherHalf(String blocks) {
    StoredMessage answer = stored("assistant", "[" + SAID + "," + blocks + "]");

    assertThat(render(messages, Talk.user("a"), answer, Talk.user("b")))
        .doesNotContain("'s'")
        .contains("Found.");
  }

  @Test
  void aCallOfTheProviderWhoseResultCameToAnotherQuestionIsLeftOutWithIt() {
    StoredMessage paused = stored("assistant", "[" + SEARCH + "]");
    StoredMessage rest = stored("assistant", "[" + FOUND + "," + SAID + "]");

    assertThat(render(messages, Talk.user("a"), paused, Talk.user("b"), Talk.answer("b"), rest))
        .doesNotContain("web_search")
        .contains("Found.");
  }

  /** The caller's own tool is answered first, and then the provider goes on. */
  @Test
  void aCallOfTheProviderWaitsForResultsOfTheCaller() {
    String use = "{'type':'tool_use','id':'t','name':'f','input':{}}";
    StoredMessage called = stored("assistant", "[" + SEARCH + "," + use + "]");
    String result = "{'role':'user','content':[{'type':'tool_result','tool_use_id':'t'}]}";
    String body = "{'model':'m','tools':[{}],'messages':[" + result + "]}";

    assertThat(write(messages, body, null, List.of(Talk.user("a"), called), 0)).contains(SEARCH);
  }

  @Test
  void whatAProgramHasCalledIsLeftOutWithIt() {
    String use =
        "{'type':'tool_use','id':'t','name':'f','input':{},'caller':{'type':'c','tool_id':'s'}}";
    StoredMessage called = stored("assistant", "[" + SAID + "," + SEARCH + "," + use + "]");

    assertThat(render(messages, Talk.user("a"), called, Talk.user("b")))
        .doesNotContain("'s'", "'t'")
        .contains("Found.");
  }

  @Test
  void aTurnThatPausedIsContinuedFromWhereItIs() {
    String body = "{'model':'m','messages':[]}";
    List<StoredMessage> thread = List.of(Talk.user("a"), stored("assistant", "[" + SEARCH + "]"));

    assertThat(write(messages, body, null, thread, 0)).contains(SEARCH);
  }

  @Test
  void aQuestionForApprovalGoesUpWithItsAnswerOnly() {
    StoredMessage asks = stored("assistant", ASKS);

    assertThat(render(responses, Talk.user("a"), asks, stored("user", ALLOWS), Talk.answer("b")))
        .contains(ASKS + "," + ALLOWS);
    assertThat(render(responses, Talk.user("a"), asks)).doesNotContain("mcpr");
    assertThat(
            write(
                responses,
                "{'model':'m','input':[" + ALLOWS + "]}",
                null,
                List.of(Talk.user("a"), asks),
                0))
        .contains(ASKS + "," + ALLOWS);
  }
}
