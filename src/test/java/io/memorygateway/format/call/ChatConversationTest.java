package io.memorygateway.format.call;

import static io.memorygateway.format.Answers.text;
import static io.memorygateway.format.Calls.read;
import static io.memorygateway.format.Calls.render;
import static io.memorygateway.format.Calls.stored;
import static io.memorygateway.format.Calls.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.format.Calls;
import io.memorygateway.format.Format;
import io.memorygateway.format.Talk;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.content.StoredMessage;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChatConversationTest {
  private final Format chat = new ChatFormat();

  @Test
  void readsMessagesAsTheyAreSpeltAndSystemMessagesApart() {
    Conversation conversation =
        read(
            chat,
            """
            {'model':'x','messages':[{'role':'system','content':'s'},
             {'role':'user','content':[ {'type':'text','text':'a\\u0062'} ]},
             {'role':'assistant','content':null,'refusal':null,'tool_calls':[{'id':'c','n':1.10}]},
             {'role':'tool','tool_call_id':'c','content':'x'},
             {'role':'developer','content':'d'},
             {'role':'assistant','content':'y','refusal':null,'annotations':[]}]}\
            """);

    assertThat(conversation.messages())
        .containsExactly(
            stored("user", "[ {'type':'text','text':'a\\u0062'} ]"),
            stored(
                "assistant", "{'content':null,'refusal':null,'tool_calls':[{'id':'c','n':1.10}]}"),
            stored("tool", "{'tool_call_id':'c','content':'x'}"),
            stored("assistant", "'y'"));
    assertThat(conversation.messages().stream().map(StoredMessage::type))
        .containsExactly("text", "tool-call", "tool-result", "text");
  }

  /**
   * What the caller says otherwise of what is not sent any more goes up first, if a user says it.
   */
  @Test
  void answersThatAreNotSentAreNotPutFirst() {
    Map<Integer, StoredMessage> changed =
        Map.of(0, Talk.user("a"), 1, Talk.answer("b"), 2, Talk.user("c"), 4, Talk.user("d"));
    assertThat(new Conversation.Own(List.of(), 0, changed).before(4))
        .containsExactly(Talk.user("a"), Talk.user("c"));
  }

  @Test
  void putsObservationsBehindTheSystemPromptAndTheThreadBeforeWhatIsNew() {
    assertThat(
            write(
                chat,
                "{ 'model':'x','n':1.10, 'messages' : [ {'role':'system', 'content':'s'},"
                    + " {'role':'user','content':'old'}, {'role':'user', 'content':'new'} ],'z':0}",
                "o\"\n",
                List.of(stored("user", "'old'"), stored("assistant", "'a'")),
                1))
        .isEqualTo(
            "{ 'model':'m','n':1.10, 'messages' : [{'role':'system', 'content':'s'},"
                + "{'role':'system','content':'o\\'\\n'},"
                + "{'role':'user','content':'old'},{'role':'assistant','content':'a'},"
                + "{'role':'user', 'content':'new'}],'z':0}");
  }

  @Test
  void keepsTheBodyWhereMemoryAddsNothing() {
    String body = "{'stream':true,'model':'x','messages':[ {'role':'user','content':'a'} ]}";

    assertThat(write(chat, body, null, List.of(), 0))
        .isEqualTo(
            "{'stream':true,'model':'m','stream_options':{'include_usage':true},"
                + "'messages':[ {'role':'user','content':'a'} ]}");
  }

  @Test
  void asksForUsageInAStreamWithMemoryToo() {
    assertThat(
            write(
                chat,
                "{'messages':[{'role':'user','content':'b'}],'stream':true,'model':'x'}",
                null,
                List.of(stored("user", "'a'")),
                0))
        .isEqualTo(
            "{'messages':[{'role':'user','content':'a'},{'role':'user','content':'b'}],"
                + "'stream':true,'model':'m','stream_options':{'include_usage':true}}");
  }

  @Test
  void sendsItsOwnMessagesAsTheyWere() {
    assertThat(
            render(
                chat,
                stored("user", "[{'type':'text', 'text':'a'},{'type':'input_audio','x':1.0}]"),
                stored(
                    "assistant",
                    "{'content':null,'x':1e2,'tool_calls':[ {'id':'c','type':'function',"
                        + "'function':{'name':'f','arguments':'{ }'},'extra_content':{'s':1}} ]}"),
                stored(
                    "tool",
                    "{'tool_call_id':'c','content':[{'type':'text','text':'x'}],'name':'f'}"),
                stored("user", "{'content':'b','name':'bob'}")))
        .isEqualTo(
            "{'role':'user','content':[{'type':'text',"
                + " 'text':'a'},{'type':'input_audio','x':1.0}]},{'role':'assistant','content':null,'x':1e2,'tool_calls':["
                + " {'id':'c','type':'function','function':{'name':'f','arguments':'{"
                + " }'},'extra_content':{'s':1}} ]},"
                + "{'role':'tool','tool_call_id':'c','content':[{'type':'text','text':'x'}],'name':'f'},"
                + "{'role':'user','content':'b','name':'bob'},");
  }

  @Test
  void sendsACallOfAFunctionAndItsResultAsTheyWere() {
    assertThat(
            render(
                chat,
                stored("user", "'a'"),
                stored(
                    "assistant", "{'content':null,'function_call':{'name':'f','arguments':'{}'}}"),
                stored("tool", "{'name':'f','content':'x'}")))
        .isEqualTo(
            "{'role':'user','content':'a'},"
                + "{'role':'assistant','content':null,"
                + "'function_call':{'name':'f','arguments':'{}'}},"
                + "{'role':'function','name':'f','content':'x'},");
  }

  @Test
  void ofACallOfAFunctionThatNobodyAnsweredAMessageOfItsTypeSaysSo() {
    String call = "{'content':null,'function_call':{'name':'f','arguments':'{}'}}";
    assertThat(
            render(chat, stored("user", "'a'"), stored("assistant", call), stored("tool", "'x'")))
        .isEqualTo(
            "{'role':'user','content':'a'},{'role':'assistant',"
                + call.substring(1)
                + ",{'role':'function','name':'f','content':'x'},");
    assertThat(
            render(chat, stored("assistant", call), stored("tool", "{'content':'x','name':'f'}")))
        .endsWith("{'role':'function','content':'x','name':'f'},");
    assertThat(render(chat, stored("assistant", call), stored("user", "'a'")))
        .contains("{'role':'function','name':'f','content':'No result was recorded.'}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'reasoning_content':'r'",
        "'reasoning_details':[{'type':'reasoning.text','text':'r'}]"
      })
  void sendsReasoningOfTheCallersThatTheThreadLacks(String reasoning) {
    List<StoredMessage> without = List.of(Talk.user("a"), Talk.answer("b"));
    List<StoredMessage> with =
        List.of(Talk.user("a"), stored("assistant", "{'content':'b'," + reasoning + "}"));

    assertThat(own(with, without)).isEqualTo(Map.of(1, with.get(1)));
    assertThat(own(without, with)).isEmpty();
    assertThat(own(with, with)).isEmpty();
  }

  /** What of a call goes up in the place of the thread's. */
  private Map<Integer, StoredMessage> own(List<StoredMessage> call, List<StoredMessage> thread) {
    String answer = call.get(1).content();
    String members = answer.startsWith("{") ? answer.substring(1) : "\"content\":" + answer + "}";
    String body =
        "{'model':'m','messages':[{'role':'user','content':'a'},{'role':'assistant',%s,"
                .formatted(members)
            + "{'role':'user','content':'c'}]}";
    return read(chat, body).align(Talk.forms(thread), List.of()).own().changed();
  }

  @Test
  void spellsMessagesOfAnthropicsAnew() {
    assertThat(
            render(
                chat,
                stored(
                    "user",
                    "[{'type':'text','text':'a','cache_control':{'type':'ephemeral'}},{'type':'image',"
                        + "'source':{'type':'base64','media_type':'image/gif','data':'AA'}},"
                        + "{'type':'image','source':{'type':'url','url':'http://x'}}]"),
                stored(
                    "assistant",
                    "[{'type':'thinking','thinking':'t','signature':'s'},{'type':'text','text':'b'},"
                        + "{'type':'tool_use','id':'toolu_1','name':'f','input':{'n':1.0}}]"),
                stored(
                    "user",
                    "[{'type':'tool_result','tool_use_id':'toolu_1','content':[{'type':'text','text':'x'}]},{'type':'text','text':'go"
                        + " on'}]")))
        .isEqualTo(
            "{'role':'user','content':[{'type':'text','text':'a'},{'type':'image_url','image_url':"
                + "{'url':'data:image/gif;base64,AA'}},{'type':'image_url','image_url':{'url':'http://x'}}]},"
                + "{'role':'assistant','content':'b','tool_calls':[{'id':'toolu_1','type':'function',"
                + "'function':{'name':'f','arguments':'{\\'n\\':1.0}'}}]},"
                + "{'role':'tool','tool_call_id':'toolu_1','content':'x'},{'role':'user','content':'go"
                + " on'},");
  }

  @Test
  void spellsFilesAnewByTheirDataTheirTextOrTheirUrl() {
    assertThat(
            render(
                chat,
                stored(
                    "user",
                    "[{'type':'document','title':'report','source':{'type':'base64',"
                        + "'media_type':'application/pdf','data':'AA'}},"
                        + "{'type':'document','source':{'type':'base64','data':'BB'}},"
                        + "{'type':'document','source':{'type':'text','data':'words'}},"
                        + "{'type':'document','source':{'type':'url','url':'http://x'}},"
                        + "{'type':'input_file','file_id':'file-1'},"
                        + "{'type':'document','source':{'type':'file','file_id':'file-2'}},"
                        + "{'type':'document','source':{'type':'text','data':' '}}]")))
        .isEqualTo(
            "{'role':'user','content':[{'type':'file','file':{'filename':'report.pdf',"
                + "'file_data':'data:application/pdf;base64,AA'}},"
                + "{'type':'file','file':{'filename':'document.pdf',"
                + "'file_data':'data:application/pdf;base64,BB'}},"
                + "{'type':'text','text':'words'},{'type':'text','text':'http://x'},"
                + "{'type':'file','file':{'file_id':'file-1'}}]},");
  }

  @Test
  void namesAttachmentsThatItCannotHold() {
    assertThat(
            render(
                chat,
                stored("user", "[{'type':'input_image','file_id':'file-1','detail':'auto'}]"),
                stored("assistant", "[{'type':'tool_use','id':'c','name':'f','input':{}}]"),
                stored(
                    "user",
                    "[{'type':'tool_result','tool_use_id':'c','content':"
                        + "[{'type':'image','source':{'type':'url','url':'http://x'}}]}]")))
        .isEqualTo(
            "{'role':'user','content':'[image]'},"
                + "{'role':'assistant','content':null,'tool_calls':[{'id':'c','type':'function',"
                + "'function':{'name':'f','arguments':'{}'}}]},{'role':'tool','tool_call_id':'c','content':'[image"
                + " 1: shown in the next"
                + " message]'},{'role':'user','content':[{'type':'text','text':'[image 1 of the"
                + " result of call c]'},{'type':'image_url','image_url':{'url':'http://x'}}]},");
  }

  @Test
  void spellsItemsOfResponsesAnew() {
    assertThat(
            render(
                chat,
                stored(
                    "user",
                    "[{'type':'input_text','text':'a'},"
                        + "{'type':'input_image','image_url':'http://x','detail':'low'}]"),
                stored("assistant", "{'type':'reasoning','id':'r','summary':[]}"),
                stored(
                    "assistant",
                    "{'type':'function_call','id':'fc','call_id':'c','name':'f','arguments':'{}'}"),
                stored("tool", "{'type':'function_call_output','call_id':'c','output':'x'}"),
                stored(
                    "assistant",
                    "{'type':'message','role':'assistant','content':[{'type':'output_text','text':'b'}]}")))
        .isEqualTo(
            "{'role':'user','content':[{'type':'text','text':'a'},{'type':'image_url','image_url':"
                + "{'url':'http://x','detail':'low'}}]},"
                + "{'role':'assistant','content':null,'tool_calls':[{'id':'c','type':'function',"
                + "'function':{'name':'f','arguments':'{}'}}]},"
                + "{'role':'tool','tool_call_id':'c','content':'x'},"
                + "{'role':'assistant','content':'b'},");
  }

  @Test
  void theItemsOfOneAnswerAreOneMessage() {
    String call = "{'type':'function_call','id':'fc','call_id':'c','name':'f','arguments':'{}'}";
    assertThat(
            render(
                chat,
                stored(
                    "assistant",
                    "{'type':'message','role':'assistant','content':[{'type':'output_text','text':'b'}]}"),
                stored("assistant", call),
                stored("tool", "{'type':'function_call_output','call_id':'c','output':'x'}")))
        .isEqualTo(
            "{'role':'assistant','content':'b','tool_calls':[{'id':'c','type':'function',"
                + "'function':{'name':'f','arguments':'{}'}}]},"
                + "{'role':'tool','tool_call_id':'c','content':'x'},");
    assertThat(
            render(
                chat,
                stored("assistant", "{'content':'b','reasoning_content':'r'}"),
                stored("assistant", call),
                stored("tool", "{'type':'function_call_output','call_id':'c','output':'x'}")))
        .as("messages of Chat stay as they are")
        .startsWith("{'role':'assistant','content':'b','reasoning_content':'r'},");
  }

  @Test
  void aResultOfNothingIsAnEmptyOneAndNoIdIsKept() {
    assertThat(
            render(
                chat,
                Talk.call("c"),
                stored("tool", "{'tool_call_id':'c','content':null,'name':'f'}")))
        .endsWith("{'role':'tool','tool_call_id':'c','name':'f','content':''},");
    assertThat(
            read(
                    chat,
                    "{'model':'m','messages':[{'role':'tool','tool_call_id':null,'content':'x'}]}")
                .messages())
        .containsExactly(stored("tool", "'x'"));
    assertThat(
            render(
                chat,
                stored("user", "{'content':'a','name':'n','tool_call_id':null}"),
                stored("assistant", "{'content':'b','name':'n','tool_call_id':null}")))
        .as("members that clients leave null say nothing of others")
        .contains("'content':'a','name':'n'", "'content':'b','name':'n'");
  }

  @Test
  void aResultOfAFunctionHasNoId() {
    assertThat(
            read(
                    chat,
                    "{'model':'m','messages':[{'role':'function','name':'f','content':'42',"
                        + "'tool_call_id':null}]}")
                .messages())
        .containsExactly(stored("tool", "{'name':'f','content':'42'}"));
  }

  @Test
  void leavesOutReasoningBetweenACallAndItsResult() {
    assertThat(
            render(
                chat,
                stored("assistant", "[{'type':'tool_use','id':'c','name':'f','input':{}}]"),
                stored("assistant", "{'type':'reasoning','id':'r','summary':[]}"),
                stored("assistant", "'a'"),
                stored("tool", "{'tool_call_id':'c','content':'x'}")))
        .isEqualTo(
            "{'role':'assistant','content':'a','tool_calls':[{'id':'c','type':'function',"
                + "'function':{'name':'f','arguments':'{}'}}]},"
                + "{'role':'tool','tool_call_id':'c','content':'x'},");
  }

  @Test
  void spellsWhateverWasPosted() {
    assertThat(
            render(
                chat,
                stored(
                    "user",
                    "{'format':2,'parts':[{'type':'text','text':'a'},{'type':'odd','text':'b'},"
                        + "{'type':'source-url','url':'u'}]}"),
                stored(
                    "assistant",
                    "{'format':2,'parts':[{'type':'tool-invocation','toolInvocation':{'state':'result',"
                        + "'toolCallId':'c','toolName':'f','args':{'x':1},'result':{'y':2}}},"
                        + "{'type':'text','text':'done'}]}"),
                stored("developer", "'d'"),
                stored("user", "{'foo':1}"),
                stored("tool", "'42'")))
        .isEqualTo(
            "{'role':'user','content':[{'type':'text','text':'a'},{'type':'text','text':'b'}]},"
                + "{'role':'assistant','content':'done','tool_calls':[{'id':'c','type':'function',"
                + "'function':{'name':'f','arguments':'{\\'x\\':1}'}}]},"
                + "{'role':'tool','tool_call_id':'c','content':'{\\'y\\':2}'},"
                + "{'role':'system','content':'d'},");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'model':'x'}",
        "{'model':'x','messages':null}",
        "{'model':'x','messages':{}}",
        "{'model':'x','messages':[1]}",
        "{'model':'x','messages':[{'content':'a'}]}",
        "{'model':'x','messages':[],'messages':[]}"
      })
  void refusesMessagesThatItCannotFind(String body) {
    assertThatThrownBy(() -> read(chat, body)).hasCauseInstanceOf(MalformedBodyException.class);
  }

  /** OpenRouter's answers may be that alone, and the next question is of it. */
  @ParameterizedTest
  @ValueSource(strings = {"''", "null", "'Here:'"})
  void imagesOfTheModelGoBackToAProviderThatTakesThem(String content) {
    String images =
        "'images':[{'type':'image_url','image_url':{'url':'data:image/png;base64,AA'}}]";
    StoredMessage drawn =
        stored("assistant", "{'content':" + content + "," + images + ",'annotations':[]}");

    assertThat(render(chat, Talk.user("a"), drawn))
        .endsWith("{'role':'assistant','content':" + content + "," + images + "},");
    String next = "{'model':'x','messages':[{'role':'user','content':'b'}]}";
    MemoryContext context = new MemoryContext(null, List.of(Talk.user("a"), drawn));
    String strict = text(chat.write(read(chat, next), Calls.strict("m"), context));
    assertThat(strict).doesNotContain("images");
    assertThat(strict.contains("assistant")).isEqualTo(content.contains("Here"));
  }

  /** Makers take {@code prefix} of the last message alone. */
  @Test
  void anAnswerThatTheCallerBeganIsMarkedAsSuchAtTheEndAlone() {
    StoredMessage begun = stored("assistant", "{'content':'It','prefix':true}");
    String again = "{'model':'m','messages':[{'role':'user','content':'a'}]}";

    assertThat(render(chat, Talk.user("a"), begun, Talk.answer("is.")))
        .contains("{'role':'assistant','content':'It'}")
        .doesNotContain("prefix");
    assertThat(write(chat, again, null, List.of(Talk.user("a"), begun), 1))
        .endsWith("{'role':'assistant','content':'It','prefix':true}]}");
  }
}
