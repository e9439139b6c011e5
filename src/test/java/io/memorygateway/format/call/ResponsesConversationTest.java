package io.memorygateway.format.call;

import static io.memorygateway.format.Answers.text;
import static io.memorygateway.format.Calls.read;
import static io.memorygateway.format.Calls.render;
import static io.memorygateway.format.Calls.stored;
import static io.memorygateway.format.Calls.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.format.Answers;
import io.memorygateway.format.Calls;
import io.memorygateway.format.Format;
import io.memorygateway.format.Talk;
import io.memorygateway.format.align.NormalForm;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResponsesConversationTest {
  private static final String REASONING = "{'type':'reasoning','id':'rs','summary':[]}";
  private static final String ENCRYPTED =
      "{'type':'reasoning','id':'rs','encrypted_content':'e','summary':[]}";
  private static final String ANSWER =
      "{'type':'message','id':'msg','role':'assistant','content':[{'type':'output_text','text':'b'}]}";

  private static final String NEXT = "{'model':'m','input':[{'role':'user','content':'n'}]}";

  private final Format responses = new ResponsesFormat();

  /** An answer says what tools a search has given to the model; the caller gives some itself. */
  @Test
  void toolsOfAnAnswerGoUpOnce() {
    String search =
        "{'type':'tool_search_call','id':'tsc_1','execution':'server'},"
            + "{'type':'tool_search_output','id':'tso_1','execution':'server','tools':[]},";
    String tools = "{'type':'additional_tools','id':'at_1','role':'developer','tools':[{'n':1}]}";
    String own = "{'type':'additional_tools','role':'developer','tools':[{'n':2}]},";
    String said = "," + ANSWER.replace("'id':'msg',", "");
    String asked = "{'role':'user','content':'a'},";
    List<StoredMessage> stored = new ArrayList<>(List.of(stored("user", "'a'")));
    responses
        .answer(Answers.bytes(Calls.json("{'output':[" + search + tools + said + "]}")))
        .forEach(stored::add);
    for (String given : List.of(tools, tools.replace("'id':'at_1',", ""))) {
      for (String first : List.of("", own)) {
        String input = asked + first + search + given + said + "," + asked;
        Conversation call =
            read(responses, "{'model':'x','input':[" + input.replaceFirst(",$", "]}"));
        Conversation.Aligned aligned =
            call.align(stored.stream().map(NormalForm::of).toList(), List.of());
        byte[] sent =
            responses.write(aligned.fresh(), Calls.model("m"), new MemoryContext(null, stored));
        assertThat(text(sent).replace('"', '\''))
            .isEqualTo(
                "{'model':'m','input':["
                    + asked
                    + first
                    + search
                    + given
                    + said
                    + ","
                    + asked.replaceFirst(",$", "]}"));
      }
    }
  }

  /** A result that the provider gave itself is no place at which calls before it are answered. */
  @Test
  void whatTheProviderSearchedForStaysBehindACall() {
    String answer =
        "{'type':'function_call','call_id':'c','name':'f','arguments':'{}'},"
            + "{'type':'tool_search_call','id':'tsc_1','call_id':null,'execution':'server'},"
            + "{'type':'tool_search_output','id':'tso_1','call_id':null,'execution':'server','tools':[]}";
    List<StoredMessage> stored = new ArrayList<>(List.of(stored("user", "'a'")));
    responses.answer(Answers.bytes(Calls.json("{'output':[" + answer + "]}"))).forEach(stored::add);
    String result = "{'type':'function_call_output','call_id':'c','output':'x'}]}";

    assertThat(write(responses, "{'model':'x','input':[" + result, null, stored, 0))
        .isEqualTo("{'model':'m','input':[{'role':'user','content':'a'}," + answer + "," + result);
  }

  @Test
  void readsItemsAsTheyAreSpelt() {
    String message =
        "{'type':'message','role':'user','content':[{'type':'input_text','text':'a'}]}";
    String call = "{'type':'function_call','call_id':'c','name':'f','arguments':'{}'}";
    String result = "{'type':'function_call_output','call_id':'c','output':'x'}";
    Conversation conversation =
        read(
            responses,
            "{'model':'x','instructions':'i','input':[{'role':'developer','content':'d'},"
                + String.join(",", message, REASONING, call, result)
                + ",{'role':'user','content':'b'}]}");

    assertThat(conversation.messages())
        .containsExactly(
            stored("user", message),
            stored("assistant", REASONING),
            stored("assistant", call),
            stored("tool", result),
            stored("user", "'b'"));
    assertThat(conversation.messages().stream().map(StoredMessage::type))
        .containsExactly("text", "reasoning", "tool-call", "tool-result", "text");
    assertThat(conversation.upstreamHoldsHistory()).isFalse();
  }

  @Test
  void takesAPlainStringForTheUsersMessage() {
    String body = "{'model':'x','instructions':'i','input': 'a\\u0062'}";

    assertThat(read(responses, body).messages()).containsExactly(stored("user", "'a\\u0062'"));
    assertThat(write(responses, body, null, List.of(), 0))
        .isEqualTo("{'model':'m','instructions':'i','input': 'a\\u0062'}");
    assertThat(write(responses, body, "o", List.of(stored("user", "'x'")), 0))
        .isEqualTo(
            "{'model':'m','instructions':'i','input': [{'role':'system','content':'o'},"
                + "{'role':'user','content':'x'},{'role':'user','content':'a\\u0062'}]}");
  }

  /** OpenAI's schema lets the type of a reference out. */
  @ParameterizedTest
  @ValueSource(strings = {"", "'type':null,", "'type':'item_reference',"})
  void takesAReferenceForTheItemThatItNamesWithAndWithoutAType(String type) {
    String reference = "{" + type + "'id':'msg_1'}";
    String body = "{'model':'x','input':[" + reference + ",{'role':'user','content':'a'}]}";

    assertThat(read(responses, body).messages())
        .containsExactly(
            stored("assistant", "{'type':'item_reference','id':'msg_1'}"), stored("user", "'a'"));
    assertThat(write(responses, body, "o", List.of(), 0)).contains("'id':'msg_1'}");
  }

  @Test
  void aResultWithoutItsTypeIsNoReference() {
    String item = "{'id':'fc_1','call_id':'c','output':'x'}";

    assertThatThrownBy(() -> read(responses, "{'model':'x','input':[" + item + "]}"))
        .hasStackTraceContaining("role");
  }

  @ParameterizedTest
  @ValueSource(strings = {"'previous_response_id':'r'", "'conversation':'c'"})
  void leavesAConversationThatTheUpstreamHoldsToIt(String member) {
    String body = "{'model':'x'," + member + ",'store':true,'input':'a'}";

    assertThat(read(responses, body).upstreamHoldsHistory()).isTrue();
    assertThat(write(responses, body, "o", List.of(stored("user", "'b'")), 0))
        .isEqualTo(body.replace("'x'", "'m'"));
  }

  @Test
  void sendsItsOwnItemsAsTheyWere() {
    String call = "{'type':'function_call','id':'fc','call_id':'c','name':'f','arguments':'{ }'}";
    String result =
        "{'type':'function_call_output',"
            + " 'call_id':'c','output':[{'type':'input_text','text':'x'}]}";
    assertThat(
            render(
                responses,
                stored("user", "[{'type':'input_text', 'text':'a'}]"),
                stored("assistant", REASONING),
                stored("assistant", call),
                stored("tool", result),
                stored("assistant", "{'type':'web_search_call','id':'ws','n':1.0}"),
                stored("assistant", ANSWER)))
        .isEqualTo(
            "{'role':'user','content':[{'type':'input_text', 'text':'a'}]},"
                + String.join(",", REASONING, call, result)
                + ",{'type':'web_search_call','id':'ws','n':1.0},"
                + ANSWER
                + ",");
  }

  @Test
  void sendsReasoningOnlyWhereItCanBeReadAndLedToSomething() {
    String body = "{'model':'m','store':false,'input':[{'role':'user','content':'n'}]}";
    List<StoredMessage> kept = List.of(stored("assistant", ENCRYPTED), stored("assistant", ANSWER));
    List<StoredMessage> lost = List.of(stored("assistant", REASONING), stored("assistant", ANSWER));

    assertThat(write(responses, body, null, kept, 0)).contains(ENCRYPTED + "," + ANSWER);
    assertThat(write(responses, body, null, lost, 0))
        .doesNotContain("reasoning")
        .contains(ANSWER.replace("'id':'msg',", ""));
    assertThat(render(responses, stored("assistant", ENCRYPTED), stored("user", "'a'")))
        .as("broke off behind its reasoning")
        .isEqualTo("{'role':'user','content':'a'},");
    assertThat(render(responses, stored("user", "'a'"), stored("assistant", ENCRYPTED)))
        .as("broke off behind its reasoning, in the last turn")
        .isEqualTo("{'role':'user','content':'a'},");
    assertThat(
            write(
                responses,
                "{'model':'m','input':[" + ANSWER + ",{'role':'user','content':'n'}]}",
                null,
                List.of(stored("assistant", ENCRYPTED)),
                0))
        .as("what it led to is new")
        .contains("[" + ENCRYPTED + "," + ANSWER + ",");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'type':'web_search_call','id':'ws','status':'in_progress'}",
        "{'type':'image_generation_call','id':'ig','status':'generating','result':null}",
        "{'type':'message','id':'msg','role':'assistant','content':[]}",
        "{'type':'message','id':'msg','role':'assistant','content':[{'type':'output_text','text':''}]}"
      })
  void sendsNoReasoningThatLedToWhatIsNotSent(String item) {
    List<StoredMessage> cut = List.of(stored("assistant", ENCRYPTED), stored("assistant", item));

    assertThat(write(responses, NEXT, null, cut, 0)).doesNotContain("reasoning", item);
  }

  @Test
  void sendsItemsWithoutTheirIdsWhereTheirReasoningMayBeLeftOut() {
    String call = "{'type':'function_call','id':'fc','call_id':'c','name':'f','arguments':'{}'}";
    String result = "{'type':'function_call_output','id':'o','call_id':'c','output':'x'}";
    String search = "{'type':'web_search_call','id':'ws','status':'completed'}";
    List<StoredMessage> rest =
        List.of(
            stored("assistant", search),
            stored("assistant", call),
            stored("tool", result),
            stored("assistant", ENCRYPTED),
            stored("assistant", search),
            stored("assistant", ANSWER));
    Conversation conversation =
        read(responses, "{'model':'x','input':[{'role':'user','content':'n'}]}");

    for (MemoryContext context :
        List.of(
            new MemoryContext("o", rest),
            new MemoryContext(null, 1, 0, rest),
            new MemoryContext(null, 0, 1, rest))) {
      assertThat(text(responses.write(conversation, Calls.model("m"), context)).replace('"', '\''))
          .contains(
              call.replace("'id':'fc',", "")
                  + ","
                  + String.join(",", result, ENCRYPTED, search, ANSWER))
          .containsOnlyOnce("web_search_call");
    }
  }

  @Test
  void leavesToolsThatAreAddedToTheCaller() {
    String tools = "{'type':'additional_tools','role':'developer','tools':[{'name':'a.b'}]}";
    String call = "{'type':'function_call','call_id':'c','name':'a.b','arguments':'{}'}";
    String result = "{'type':'function_call_output','call_id':'c','output':'x'}";
    String more = "{'type':'additional_tools','tools':[]}";
    String question = "{'role':'user','content':'a'}";
    String input = String.join(",", tools, question, call, result, more, question);
    List<StoredMessage> thread =
        List.of(stored("user", "'a'"), stored("assistant", call), stored("tool", result));

    Conversation.Aligned aligned =
        read(responses, "{'model':'m','input':[" + input + "]}")
            .align(Talk.forms(thread), List.of());

    assertThat(aligned.asked()).containsExactly(stored("user", "'a'"));
    assertThat(
            text(responses.write(
                    aligned.fresh(), Calls.model("m"), new MemoryContext(null, thread)))
                .replace('"', '\''))
        .isEqualTo("{'model':'m','input':[" + input + "]}");
  }

  /** An update is no answer of the model's, and the same one again tells no place in a thread. */
  @Test
  void updatesOfSettingsStayWhereTheyAre() {
    String update = "{'type':'configuration_update','reasoning':{'effort':'low'}}";
    String asked = "{'role':'user','content':'%s'}";
    String input = String.join(",", update, asked.formatted("b"), update);
    List<StoredMessage> thread = List.of(stored("user", "'a'"), stored("assistant", ANSWER));

    Conversation.Aligned aligned =
        read(responses, "{'model':'m','input':[" + input + "]}")
            .align(Talk.forms(thread), List.of());

    assertThat(aligned.fresh().messages()).containsExactly(stored("user", "'b'"));
    assertThat(
            text(responses.write(
                    aligned.fresh(), Calls.model("m"), new MemoryContext(null, thread)))
                .replace('"', '\''))
        .endsWith(String.join(",", ANSWER, asked.formatted("b"), update) + "]}");
  }

  @Test
  void aMessageOfAnotherAgentIsAsked() {
    String message =
        "{'type':'agent_message','author':'/root','recipient':'/root/y','content':["
            + "{'type':'encrypted_content','encrypted_content':'do it'}]}";
    Conversation call = read(responses, "{'model':'m','input':[" + message + "]}");
    List<StoredMessage> thread = List.of(stored("user", "'a'"), stored("assistant", ANSWER));

    assertThat(call.messages()).containsExactly(stored("user", message));
    assertThat(
            text(responses.write(call, Calls.model("m"), new MemoryContext(null, thread)))
                .replace('"', '\''))
        .endsWith(ANSWER + "," + message + "]}");
  }

  @Test
  void sendsNoIdTwiceAndNoEmptyOne() {
    String call = "{'type':'function_call','id':'fc','call_id':'%s','name':'f','arguments':'{}'}";
    String result = "{'type':'function_call_output','call_id':'%s','output':'x'}";

    assertThat(
            render(
                responses,
                stored("assistant", ENCRYPTED),
                stored("assistant", ANSWER),
                stored("assistant", ENCRYPTED),
                stored("assistant", ANSWER),
                stored("assistant", ANSWER.replace("'msg'", "''"))))
        .isEqualTo(
            String.join(
                    ",",
                    ENCRYPTED,
                    ANSWER,
                    ENCRYPTED.replace("'id':'rs',", ""),
                    ANSWER.replace("'id':'msg',", ""),
                    ANSWER.replace("'id':'msg',", ""))
                + ",");
    assertThat(
            render(
                responses,
                stored("assistant", call.formatted("a")),
                stored("assistant", call.formatted("b")),
                stored("tool", result.formatted("a")),
                stored("tool", result.formatted("b"))))
        .startsWith(call.formatted("a") + "," + call.formatted("b").replace("'id':'fc',", ""));
  }

  @Test
  void spellsMessagesOfOthersAnew() {
    assertThat(
            render(
                responses,
                stored(
                    "user",
                    "[{'type':'text','text':'a'},{'type':'image_url','image_url':{'url':'http://x',"
                        + "'detail':'low'}},{'type':'image','source':{'type':'base64','media_type':"
                        + "'image/png','data':'AA'}},{'type':'document','source':{'type':'url','url':'http://d'}}]"),
                stored("developer", "'d'"),
                stored(
                    "assistant",
                    "[{'type':'thinking','thinking':'t','signature':'s'},{'type':'text','text':'b'},"
                        + "{'type':'tool_use','id':'c','name':'f','input':{'n':1.0}}]"),
                stored(
                    "user",
                    "[{'type':'tool_result','tool_use_id':'c','content':[{'type':'text',"
                        + "'text':'x'},{'type':'image','source':{'type':'url','url':'http://y'}}]}]"),
                stored("assistant", "'done'")))
        .isEqualTo(
            "{'role':'user','content':[{'type':'input_text','text':'a'},{'type':'input_image',"
                + "'image_url':'http://x','detail':'low'},{'type':'input_image','image_url':"
                + "'data:image/png;base64,AA','detail':'auto'},{'type':'input_file','file_url':'http://d'}]},"
                + "{'role':'system','content':'d'},"
                + "{'role':'assistant','content':[{'type':'output_text','text':'b'}]},"
                + "{'type':'function_call','call_id':'c','name':'f','arguments':'{\\'n\\':1.0}'},"
                + "{'type':'function_call_output','call_id':'c','output':[{'type':'input_text','text':'x'},"
                + "{'type':'input_image','image_url':'http://y','detail':'auto'}]},"
                + "{'role':'assistant','content':'done'},");
  }

  @Test
  void spellsFilesAnewByTheirDataTheirTextOrTheirUrl() {
    assertThat(
            render(
                responses,
                stored(
                    "user",
                    "[{'type':'document','title':'report','source':{'type':'base64',"
                        + "'media_type':'application/pdf','data':'AA'}},"
                        + "{'type':'document','source':{'type':'base64','data':'BB'}},"
                        + "{'type':'document','source':{'type':'text','data':'words'}},"
                        + "{'type':'file','file':{'file_id':'file-1'}},"
                        + "{'type':'document','source':{'type':'file','file_id':'file-2'}}]")))
        .isEqualTo(
            "{'role':'user','content':[{'type':'input_file','filename':'report.pdf',"
                + "'file_data':'data:application/pdf;base64,AA'},"
                + "{'type':'input_file','filename':'document.pdf',"
                + "'file_data':'data:application/pdf;base64,BB'},"
                + "{'type':'input_text','text':'words'},"
                + "{'type':'input_file','file_id':'file-1'}]},");
  }

  @Test
  void aResultOfNothingIsAnEmptyOne() {
    assertThat(
            render(
                responses,
                Talk.call("c"),
                stored("tool", "{'type':'function_call_output','call_id':'c','output':null}")))
        .endsWith("{'type':'function_call_output','call_id':'c','output':''},");
  }

  @ParameterizedTest
  @ValueSource(strings = {"incomplete", "in_progress"})
  void aCallThatWasCutIsNoneUnderWayOnceItHasAResult(String status) {
    assertThat(
            render(
                responses,
                stored("user", "'a'"),
                stored(
                    "assistant",
                    "{'type':'function_call','call_id':'c','name':'f','arguments':'{','status':'%s'}"
                        .formatted(status))))
        .contains("'call_id':'c'", "'status':'completed'", "function_call_output")
        .doesNotContain(status);
  }

  @Test
  void namesAttachmentsThatItCannotHold() {
    assertThat(
            render(
                responses,
                stored("user", "[{'type':'image','source':{'type':'file','file_id':'f'}}]"),
                stored("assistant", "'b'")))
        .isEqualTo("{'role':'user','content':'[image]'},{'role':'assistant','content':'b'},");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'type':'local_shell_call','id':'l','call_id':'c','action':{'command':['ls']}} & "
            + "{'type':'function_call_output','call_id':'c','output':'x'}",
        "{'type':'local_shell_call','id':'l','call_id':'c','action':{'command':['ls']}} & "
            + "{'type':'local_shell_call_output','id':'c','output':'x'}",
        "{'type':'apply_patch_call','id':'a','call_id':'c','operation':{'type':'delete_file'}} & "
            + "{'type':'apply_patch_call_output','call_id':'c','output':'x'}",
        "{'type':'computer_call','id':'k','call_id':'c','action':{'type':'click'}} & "
            + "{'type':'computer_call_output','call_id':'c','output':{'type':'computer_screenshot'}}"
      })
  void keepsCallsOfTheProvidersOwnToolsTogetherWithTheirResults(String pair) {
    String[] items = pair.split(" & ", -1);
    StoredMessage call = stored("assistant", items[0]);
    StoredMessage result = stored("tool", items[1]);

    assertThat(call.type()).isEqualTo("tool-call");
    assertThat(result.type()).isEqualTo("tool-result");
    assertThat(call.callIds()).containsExactly("c");
    assertThat(result.resultIds()).containsExactly("c");
    assertThat(render(responses, call, stored("user", "'meanwhile'"), result))
        .isEqualTo("{'role':'user','content':'meanwhile'}," + items[0] + "," + items[1] + ",");
    assertThat(render(new MessagesFormat(), stored("user", "'a'"), call, result))
        .contains("'type':'tool_use','id':'c'")
        .contains("'type':'tool_result','tool_use_id':'c'");
  }

  @Test
  void worksWithoutAnInput() {
    assertThat(read(responses, "{'model':'x','prompt':{}}").messages()).isEmpty();
    assertThat(
            write(responses, "{'model':'x','prompt':{}}", null, List.of(stored("user", "'a'")), 0))
        .isEqualTo("{'model':'m','input':[{'role':'user','content':'a'}],'prompt':{}}");
    assertThat(write(responses, "{'model':'x','input':null}", "o", List.of(), 0))
        .isEqualTo("{'model':'m','input':[{'role':'system','content':'o'}]}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'model':'x','input':1}",
        "{'model':'x','input':[1]}",
        "{'model':'x','input':[{}]}"
      })
  void refusesAnInputThatItCannotRead(String body) {
    assertThatThrownBy(() -> read(responses, body))
        .hasCauseInstanceOf(MalformedBodyException.class);
  }
}
