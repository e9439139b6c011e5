package io.memorygateway.format.call;

import static io.memorygateway.format.Calls.read;
import static io.memorygateway.format.Calls.render;
import static io.memorygateway.format.Calls.stored;
import static io.memorygateway.format.Calls.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.format.Format;
import io.memorygateway.format.Talk;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.messages.MessagesFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MessagesConversationTest {
  private static final String BODY = "{'model':'x',%s'messages':[{'role':'user','content':'b'}]}";

  private final Format messages = new MessagesFormat();

  @Test
  void whatAnAnswerOfChatSaysAloudIsItsTranscript() {
    assertThat(
            render(
                new MessagesFormat(),
                stored("user", "'a'"),
                stored("assistant", "{'content':null,'audio':{'id':'i','transcript':'spoken'}}")))
        .contains("{'role':'assistant','content':[{'type':'text','text':'spoken'}]}");
  }

  @Test
  void readsMessagesAsTheyAreSpelt() {
    Conversation conversation =
        read(
            messages,
            "{'system':'s','model':'x','messages':[{'role':'user','content':[ {'type':'text','text':'a'}]},"
                + "{'content':'b','role':'assistant'}]}");

    assertThat(conversation.messages())
        .containsExactly(
            stored("user", "[ {'type':'text','text':'a'}]"), stored("assistant", "'b'"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "''|'system':[LOG],",
        "~'system':'s\\u0020',~|'system':[{'type':'text','text':'s\\u0020'},LOG],",
        "~'system':[ {'type':'text', 'text':'s','cache_control':{}} ],~"
            + "|'system':[ {'type':'text', 'text':'s','cache_control':{}} ,LOG],",
        "~'system':[],~|'system':[LOG],",
        "~'system':null,~|'system':[LOG],",
        "~'system':'',~|'system':[LOG],",
      })
  void putsObservationsBehindTheSystemPrompt(String system, String upstream) {
    String body = BODY.formatted(system.equals("''") ? "" : system);

    assertThat(write(messages, body, "o", List.of(), 0))
        .isEqualTo(
            "{'model':'m',"
                + upstream.replace(
                    "LOG", "{'type':'text','text':'o','cache_control':{'type':'ephemeral'}}")
                + "'messages':[{'role':'user','content':'b'}]}");
  }

  @Test
  void sendsItsOwnMessagesAsTheyWereButForCacheMarks() {
    assertThat(
            render(
                messages,
                stored("user", "[ {'type':'text', 'text':'a'} ]"),
                stored(
                    "assistant",
                    "[{'type':'thinking','thinking':'t','signature':'s'}, {'type':'server_tool_use','id':'x'},"
                        + "{'type':'web_search_tool_result','tool_use_id':'x','content':[]},"
                        + "{'type':'tool_use','id':'c','name':'f','input':{'n':1.0}}]"),
                stored("user", "[{'type':'tool_result', 'tool_use_id':'c','content':'x'}]"),
                stored(
                    "assistant",
                    "[{'type':'text','text':'b','citations':[1],'cache_control':{'type':'ephemeral'}}]")))
        .isEqualTo(
            "{'role':'user','content':[ {'type':'text', 'text':'a'} ]},"
                + "{'role':'assistant','content':[{'type':'thinking','thinking':'t','signature':'s'}, "
                + "{'type':'server_tool_use','id':'x'},"
                + "{'type':'web_search_tool_result','tool_use_id':'x','content':[]},"
                + "{'type':'tool_use','id':'c','name':'f','input':{'n':1.0}}]},"
                + "{'role':'user','content':[{'type':'tool_result', 'tool_use_id':'c','content':'x'}]},"
                + "{'role':'assistant','content':[{'type':'text','text':'b','citations':[1]}]},");
  }

  /** Anthropic's API refuses the file of a cited document, which its own answers name. */
  @Test
  void whatOnlyAnswersSayOfACitationIsNotSent() {
    String place = "'type':'char_location','cited_text':'a','document_index':0,'end_char_index':1";
    String text = "{'type':'text','text':'b','citations':[{%s}]}";
    String cited = text.formatted(place + ",'file_id':null") + "," + text.formatted(place);
    String made = "{'type':'container_upload','file_id':'f'}";
    String result = "{'type':'mcp_tool_result','tool_use_id':'x','content':[%s]}";
    assertThat(
            render(
                messages,
                stored("user", "'a'"),
                stored(
                    "assistant",
                    "["
                        + cited.replace("null", "'f'")
                        + ","
                        + made
                        + ",{'type':'mcp_tool_use','id':'x'},"
                        + result.formatted(cited)
                        + "]")))
        .isEqualTo(
            "{'role':'user','content':'a'},{'role':'assistant','content':["
                + text.formatted(place)
                + ","
                + text.formatted(place)
                + ","
                + made
                + ",{'type':'mcp_tool_use','id':'x'},"
                + result.formatted(text.formatted(place) + "," + text.formatted(place))
                + "]},");
  }

  @Test
  void spellsMessagesOfChatAnew() {
    assertThat(
            render(
                messages,
                stored(
                    "user",
                    "[{'type':'text','text':'a'},{'type':'image_url','image_url':{'url':"
                        + "'data:image/png;base64,AA','detail':'low'}},{'type':'image_url','image_url':"
                        + "{'url':'http://x'}},{'type':'file','file':{'filename':'p','file_data':"
                        + "'data:application/pdf;base64,BB'}}]"),
                stored(
                    "assistant",
                    "{'content':'b','tool_calls':[{'id':'c','type':'function','function':{'name':'f',"
                        + "'arguments':'{\\u0022n\\u0022:1.0}'}},{'id':'d','type':'function','function':"
                        + "{'name':'g','arguments':''}}]}"),
                stored("tool", "{'tool_call_id':'c','content':'x'}"),
                stored("tool", "{'tool_call_id':'d','content':''}"),
                stored("assistant", "'done'")))
        .isEqualTo(
            "{'role':'user','content':[{'type':'text','text':'a'},{'type':'image','source':"
                + "{'type':'base64','media_type':'image/png','data':'AA'}},{'type':'image','source':"
                + "{'type':'url','url':'http://x'}},{'type':'document','source':{'type':'base64',"
                + "'media_type':'application/pdf','data':'BB'},'title':'p'}]},"
                + "{'role':'assistant','content':[{'type':'text','text':'b'},"
                + "{'type':'tool_use','id':'c','name':'f','input':{'n':1.0}},"
                + "{'type':'tool_use','id':'d','name':'g','input':{}}]},"
                + "{'role':'user','content':[{'type':'tool_result','tool_use_id':'c','content':'x'},"
                + "{'type':'tool_result','tool_use_id':'d'}]},"
                + "{'role':'assistant','content':'done'},");
  }

  @Test
  void takesRolesInTurnWithTheUserFirstAndNothingEmpty() {
    String turns =
        write(
            messages,
            "{'model':'x','messages':[{'role':'user','content':'c'},{'role':'assistant','content':'p '}]}",
            null,
            List.of(
                stored("system", "'be kind'"),
                stored("assistant", "'a'"),
                stored("assistant", "[{'type':'text','text':' '}]"),
                stored("assistant", "[{'type':'thinking','thinking':'cut off'}]"),
                stored("assistant", "'b'"),
                stored("user", "''"),
                stored("user", "'u'")),
            0);

    assertThat(turns)
        .isEqualTo(
            "{'model':'m','system':[{'type':'text','text':'be kind'}],'messages':["
                + "{'role':'user','content':'(The conversation goes on.)'},"
                + "{'role':'assistant','content':[{'type':'text','text':'a'},{'type':'text','text':'b'}]},"
                + "{'role':'user','content':[{'type':'text','text':'u'},{'type':'text','text':'c'}]},"
                + "{'role':'assistant','content':'p '}]}");
  }

  @Test
  void putsResultsFirstAndKeepsTheBlocksOfTheCaller() {
    assertThat(
            write(
                messages,
                "{'model':'x','messages':[{'role':'user','content':[{'type':'tool_result', 'tool_use_id':"
                    + "'d','content':'y'},{'type':'text','text':'t','cache_control':{}}]}]}",
                null,
                List.of(
                    stored("user", "'a'"),
                    stored(
                        "assistant",
                        "[{'type':'tool_use','id':'c','name':'f','input':{}},"
                            + "{'type':'tool_use','id':'d','name':'f','input':{}}]"),
                    stored(
                        "user",
                        "[{'type':'text','text':'z'},"
                            + "{'type':'tool_result','tool_use_id':'c','content':'x'}]")),
                0))
        .isEqualTo(
            "{'model':'m','messages':[{'role':'user','content':[{'type':'text','text':'a'},"
                + "{'type':'text','text':'z'}]},"
                + "{'role':'assistant','content':[{'type':'tool_use','id':'c','name':'f','input':{}},"
                + "{'type':'tool_use','id':'d','name':'f','input':{}}]},"
                + "{'role':'user','content':[{'type':'tool_result','tool_use_id':'c','content':'x'},"
                + "{'type':'tool_result', 'tool_use_id':'d','content':'y'},"
                + "{'type':'text','text':'t','cache_control':{}}]}]}");
  }

  @Test
  void cutsTheWhiteSpaceOfALastStoredAnswer() {
    assertThat(
            write(
                messages,
                "{'model':'x','messages':[{'role':'user','content':'a'},{'role':'assistant','content':'p '}]}",
                null,
                List.of(stored("user", "'a'"), stored("assistant", "'p '")),
                2))
        .isEqualTo(
            "{'model':'m','messages':[{'role':'user','content':'a'},"
                + "{'role':'assistant','content':[{'type':'text','text':'p'}]}]}");
  }

  @Test
  void leavesOutWhatWouldBeRefused() {
    assertThat(
            render(
                messages,
                stored(
                    "user",
                    "[{'type':'input_audio','input_audio':{}},{'type':'input_text','text':'a'},"
                        + "{'type':'input_image','file_id':'f'},{'type':'image_url','image_url':"
                        + "{'url':'data:image/tiff;base64,AA'}}]"),
                stored("assistant", "{'type':'reasoning','id':'r','summary':[{'text':'s'}]}"),
                stored("assistant", "{'content':null,'refusal':'no'}")))
        .isEqualTo(
            "{'role':'user','content':[{'type':'text','text':'a'}]},"
                + "{'role':'assistant','content':[{'type':'text','text':'no'}]},");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'type':'thinking','thinking':'t','signature':'s'}",
        "{'type':'redacted_thinking','data':'d'},{'type':'thinking','thinking':'t','signature':'s'}",
        "{'type':'thinking','thinking':'t','signature':'s'},{'type':'server_tool_use','id':'s','name':'web_search','input':{}}",
      })
  void noAnswerEndsWithAThought(String thought) {
    String text = "{'type':'text','text':'b'}";

    assertThat(
            render(
                messages,
                Talk.user("a"),
                stored("assistant", "[" + text + "," + thought + "]"),
                Talk.user("c")))
        .contains("{'role':'assistant','content':[" + text + "]},");
  }

  /** A tool that was found may be gone in a later call, or be another client's. */
  @Test
  void whatRefersToToolsThatTheCallLacksIsLeftOut() {
    String late = "{'type':'tool_reference','tool_name':'late'}";
    String find = "{'type':'tool_reference','tool_name':'find'}";
    String result = "{'type':'tool_result','tool_use_id':'c','content':[%s]}";
    String search =
        "{'type':'tool_search_tool_result','tool_use_id':'s','content':"
            + "{'type':'tool_search_tool_search_result','tool_references':[%s]}}";
    String searched =
        "{'type':'server_tool_use','id':'s','name':'tool_search_tool_regex','input':{}},";
    String use = ",{'type':'tool_use','id':'c','name':'find','input':{}}";
    List<StoredMessage> thread =
        List.of(
            Talk.user("a"),
            stored("assistant", "[" + searched + search.formatted(late + "," + find) + use + "]"),
            stored("user", "[" + result.formatted(late) + "]"),
            Talk.answer("found"));
    String gone = "{'type':'text','text':'No longer there: late'}";

    assertThat(write(messages, BODY.formatted("'tools':[{'name':'find'}],"), null, thread, 0))
        .contains(search.formatted(find), result.formatted(gone));
    assertThat(write(messages, BODY.formatted("'tools':[{'name':'late'}],"), null, thread, 0))
        .contains(search.formatted(late), result.formatted(late));
    assertThat(
            write(
                messages,
                BODY.formatted("'mcp_servers':[{}],'tools':[{'type':'mcp_toolset'}],"),
                null,
                thread,
                0))
        .contains(search.formatted(late + "," + find), result.formatted(late));
  }

  @Test
  void namesAttachmentsThatItCannotHold() {
    assertThat(
            render(
                messages,
                stored(
                    "user",
                    "[{'type':'input_audio','input_audio':{}},"
                        + "{'type':'file','file':{'file_id':'f','filename':'a.pdf'}}]"),
                stored("assistant", "'b'")))
        .isEqualTo(
            "{'role':'user','content':[{'type':'text','text':'[audio] [a.pdf]'}]},"
                + "{'role':'assistant','content':'b'},");
  }

  @Test
  void declaresTheToolsOfStoredCallsWhereTheCallerHasNone() {
    List<StoredMessage> stored =
        List.of(
            stored("user", "'a'"),
            stored("assistant", "[{'type':'tool_use','id':'c','name':'f','input':{'n':1.0}}]"),
            stored("user", "[{'type':'tool_result','tool_use_id':'c','content':'x'}]"),
            stored("assistant", "'done'"));
    String declared =
        "'tools':[{'name':'f','description':'Was used earlier in this conversation.',"
            + "'input_schema':{'type':'object'}}],'tool_choice':{'type':'none'}";

    assertThat(write(messages, BODY.formatted(""), null, stored, 0))
        .contains(declared, "'tool_use'", "'tool_result'");
    assertThat(write(messages, BODY.formatted("'tools':[],"), null, stored, 0)).contains(declared);
    assertThat(write(messages, BODY.formatted("'tools':[{}],"), null, stored, 0))
        .contains("'tool_use'", "'tool_result'")
        .doesNotContain("tool_choice");
    assertThat(write(messages, BODY.formatted(""), null, stored.subList(0, 1), 0))
        .doesNotContain("tools");
  }

  @Test
  void refusesASystemPromptItCannotAddTo() {
    assertThatThrownBy(() -> read(messages, BODY.formatted("'system':1,")))
        .hasCauseInstanceOf(MalformedBodyException.class);
  }
}
