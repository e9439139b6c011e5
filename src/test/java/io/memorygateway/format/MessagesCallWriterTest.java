package io.memorygateway.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.call.Roles;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.format.translation.Effort;
import io.memorygateway.format.translation.OutputFormat;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.ToolChoice;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Calls of Chat and Responses written as calls of Messages. */
class MessagesCallWriterTest extends CallOfMessages {
  @Test
  void writesTheLeastThatIsTaken() throws Exception {
    assertThat(chat(ASKED).write())
        .isEqualTo(
            "{'model':'up','max_tokens':8192,'messages':[{'role':'user','content':'Q'}],"
                + "'stream':true}");
    assertThat(dropped.names()).isEmpty();
  }

  @Test
  void joinsLeadingSystemMessagesAndLeavesLaterOnesInPlace() throws Exception {
    chat(
        "{'role':'system','content':'A'}",
        "{'role':'developer','content':[{'type':'text','text':'B'},{'type':'text','text':'C'}]}",
        ASKED,
        "{'role':'developer','content':'D'}",
        "{'role':'assistant','content':'a'}",
        "{'role':'system','content':'E'}",
        ASKED,
        "{'role':'system','content':'F'}");

    assertThat(write())
        .contains("'system':'A\\n\\nB\\n\\nC'")
        .contains(
            "'messages':[{'role':'user','content':'Q'},"
                + "{'role':'system','content':[{'type':'text','text':'D'}]},"
                + "{'role':'assistant','content':'a'},"
                + "{'role':'user','content':[{'type':'text',"
                + "'text':'<system-message>E</system-message>'},{'type':'text','text':'Q'}]},"
                + "{'role':'system','content':[{'type':'text','text':'F'}]}]");
  }

  @Test
  void beginsWithTheUserAndEndsAPrefillWithoutBlanks() throws Exception {
    chat("{'role':'assistant','content':'So '}");

    assertThat(write())
        .contains(
            "'messages':[{'role':'user','content':'(continued)'},"
                + "{'role':'assistant','content':[{'type':'text','text':'So'}]}]");
  }

  /** Older models of Anthropic refuse the role, newer ones an answer that is begun. */
  @Test
  void writesTheRolesThatAModelTakes() throws Exception {
    chat(ASKED, "{'role':'system','content':'D'}", "{'role':'assistant','content':'So'}");
    String begun = "{'role':'assistant','content':[{'type':'text','text':'So'}]}]";
    String asked = "{'type':'text','text':'<system-message>D</system-message>'}]},";

    model = model.in(Roles.STRICT);
    assertThat(write()).doesNotContain("'role':'system'").contains(asked + begun);
    model = model.in(Roles.OF_MISTRAL);
    assertThat(write())
        .contains(
            asked + "{'role':'assistant','content':'So'},{'role':'user','content':'(continued)'}]");
    model = Calls.model("mistral-large");
    assertThat(write()).as("has refused nothing").contains(asked + begun);
  }

  @Test
  void asksForAnAnswerToTheSystemPromptAlone() throws Exception {
    assertThat(chat("{'role':'system','content':'A'}").write())
        .contains("'system':'A','messages':[{'role':'user','content':'(continued)'}]");
  }

  @Test
  void writesCallsAndResultsWholeAndInOrder() throws Exception {
    chat(
        ASKED,
        "{'role':'assistant','content':null,'tool_calls':["
            + "{'id':'c.1','type':'function','function':{'name':'f','arguments':'{\\\"x\\\":1}'}},"
            + "{'id':'c2','type':'custom','custom':{'name':'g','input':'raw'}}]}"
                .replace("\\\"", "\\\""),
        "{'role':'tool','tool_call_id':'c.1','content':[{'type':'text','text':'one'},"
            + "{'type':'image_url','image_url':{'url':'data:image/png;base64,AA=='}},"
            + "{'type':'text','text':'two'}]}",
        "{'role':'tool','tool_call_id':'c2','content':'done'}");

    assertThat(write())
        .contains("'name':'g','input':{'input':'raw'}")
        .contains(
            "'content':[{'type':'text','text':'one'},{'type':'image','source':{'type':'base64',"
                + "'media_type':'image/png','data':'AA=='}},{'type':'text','text':'two'}]")
        .contains("'tool_use_id':'c2','content':'done'")
        .as("tools of calls are declared")
        .contains("'tools':[{'name':'f'")
        .contains("'tool_choice':{'type':'none'}");
  }

  @Test
  void carriesImagesAndFilesThatAreGivenWhole() throws Exception {
    chat(
        "{'role':'user','content':["
            + "{'type':'image_url','image_url':{'url':'https://x/i.png'}},"
            + "{'type':'image_url','image_url':{'url':'data:image/bmp;base64,AA=='}},"
            + "{'type':'file','file':{'filename':'a.pdf','file_data':'data:application/pdf;base64,AA=='}},"
            + "{'type':'file','file':{'filename':'a.txt','file_data':'data:text/plain;base64,aGk='}}]}");

    assertThat(write())
        .contains("{'type':'image','source':{'type':'url','url':'https://x/i.png'}}")
        .contains("'media_type':'image/bmp'")
        .contains("'media_type':'application/pdf','data':'AA=='},'title':'a.pdf'")
        .contains("{'type':'text','media_type':'text/plain','data':'hi'},'title':'a.txt'");
  }

  @Test
  void leavesOutCitationsThatWereTranslated() throws Exception {
    String location = "'citations':[{'type':'web_search_result_location','encrypted_index':'";
    chat(
        ASKED,
        "{'role':'assistant','content':[{'type':'text','text':'a'," + location + "'}]}]}",
        ASKED,
        "{'role':'assistant','content':[{'type':'text','text':'b'," + location + "x'}]}]}",
        ASKED);

    assertThat(write()).contains("{'type':'text','text':'a'}", "'text':'b'," + location + "x'}]");
  }

  @Test
  void keepsTheLatestFourCacheMarks() throws Exception {
    tools.add(new Tool.Function("f", null, null, null, json("{'type':'ephemeral'}")));
    chat(
        "{'role':'system','content':[{'type':'text','text':'S','cache_control':{'type':'ephemeral','ttl':'1h'}}]}");
    for (int i = 0; i < 3; i++) {
      chat(
          "{'role':'user','content':[{'type':'text','text':'u',"
              + "'prompt_cache_breakpoint':{'mode':'explicit'}}]}",
          "{'role':'assistant','content':'a'}");
    }
    chat(ASKED);

    String body = write();

    assertThat(body.split("cache_control", -1)).hasSize(5);
    assertThat(body)
        .contains(
            "'system':[{'type':'text','text':'S','cache_control':{'type':'ephemeral','ttl':'1h'}}]")
        .contains("{'type':'text','text':'u','cache_control':{'type':'ephemeral'}}")
        .contains("'tools':[{'name':'f','input_schema':{'type':'object'}}]");
  }

  @Test
  void marksWhatRecursOfACallOfAThreadThatHasNoMarks() throws Exception {
    remembered = true;
    chat("{'role':'system','content':'S'}", "{'role':'system','content':'log'}");
    chat("{'role':'user','content':'u'}", "{'role':'assistant','content':'a'}");
    chat("{'role':'user','content':'quoted'}", ASKED);

    assertThat(write())
        .contains(
            "'system':[{'type':'text','text':'S\\n\\nlog','cache_control':{'type':'ephemeral'}}]",
            "'content':[{'type':'text','text':'a','cache_control':{'type':'ephemeral'}}]}",
            "'content':[{'type':'text','text':'quoted'},{'type':'text','text':'Q'}]");

    chat("{'role':'user','content':[{'type':'text','text':'m','cache_control':{}}]}");
    assertThat(write()).containsOnlyOnce("cache_control");
  }

  @Test
  void leavesOutHostedToolsUnlessOneIsDemanded() throws Exception {
    tools.add(new Tool.Hosted("web_search", json("{'type':'web_search'}")));
    chat(ASKED);

    assertThat(write()).doesNotContain("tools");
    assertThat(dropped.names()).containsExactly("tools.web_search");
    choice = ToolChoice.named("web_search");
    assertRefused("tool_choice");
    choice = ToolChoice.of(ToolChoice.Mode.REQUIRED);
    assertRefused("tool_choice");
  }

  @Test
  void saysWhichToolsMayBeCalled() throws Exception {
    tools.add(new Tool.Function("f", null, null, null, null));
    chat(ASKED);
    parallel = false;
    assertThat(write()).contains("'tool_choice':{'type':'auto','disable_parallel_tool_use':true}");
    choice = ToolChoice.named("f");
    assertThat(write()).contains("'tool_choice':{'type':'tool','name':'f','disable_par");
    choice = ToolChoice.of(ToolChoice.Mode.NONE);
    assertThat(write()).contains("'tool_choice':{'type':'none'}");
    parallel = null;
    choice = ToolChoice.of(ToolChoice.Mode.REQUIRED);
    assertThat(write()).contains("'tool_choice':{'type':'any'}");
  }

  @Test
  void asksForReasoningByEffort() throws Exception {
    chat(ASKED);
    effort = Effort.XHIGH;
    share("temperature", "0.2");
    share("top_p", "0.99");
    assertThat(write())
        .contains("'thinking':{'type':'adaptive'},'output_config':{'effort':'xhigh'},'top_p':0.99");
    assertThat(dropped.names()).containsExactly("temperature");
    effort = Effort.MINIMAL;
    assertThat(write()).contains("'effort':'low'");
    effort = Effort.NONE;
    assertThat(write()).contains("'thinking':{'type':'disabled'}").doesNotContain("output_config");
  }

  @Test
  void asksForReasoningByBudget() throws Exception {
    chat(ASKED);
    budgets = true;
    effort = Effort.MEDIUM;
    maxOutput = 20_000L;
    assertThat(write()).contains("'thinking':{'type':'enabled','budget_tokens':8192}");
    effort = Effort.MAX;
    assertThat(write()).contains("'budget_tokens':18976}");
    budget = 100L;
    assertThat(write()).contains("'budget_tokens':1024}");
    assertThat(dropped.names()).isEmpty();
    maxOutput = 1024L;
    assertThat(write()).doesNotContain("thinking");
    assertThat(dropped.names()).containsExactly("thinking");
  }

  @Test
  void doesNotThinkWhereAnAnswerGoesOnWithoutAThought() throws Exception {
    tools.add(new Tool.Function("f", null, null, null, null));
    budgets = true;
    effort = Effort.LOW;
    chat(
        ASKED,
        "{'role':'assistant','tool_calls':[{'id':'c','type':'function',"
            + "'function':{'name':'f','arguments':'{}'}}]}",
        "{'role':'tool','tool_call_id':'c','content':'r'}");
    assertThat(write()).doesNotContain("thinking");
    assertThat(dropped.names()).containsExactly("thinking");
    chat("{'role':'assistant','content':'a'}", ASKED);
    assertThat(write()).contains("'thinking'");
  }

  @Test
  void mendsWhatIsRefused() throws Exception {
    chat(ASKED, "{'role':'assistant','content':' '}", ASKED);
    share("temperature", "1.7");
    share("metadata", "{'user_id':'u','ticket':'7'}");
    share("frequency_penalty", "0.1");
    stop.addAll(List.of("END", " \n"));

    assertThat(write())
        .contains("'temperature':1,")
        .contains("'metadata':{'user_id':'u'}")
        .contains("'stop_sequences':['END']");
    assertThat(dropped.names())
        .containsExactly("frequency_penalty", "metadata", "stop_sequences", "temperature");
    user = "own";
    assertThat(write()).contains("'metadata':{'user_id':'own'}");
  }

  @Test
  void refusesSeveralAnswers() {
    chat(ASKED);
    share("n", "2");
    assertRefused("n cannot");
  }

  @Test
  void readsBackWhatItWrites() throws Exception {
    chat(
        "{'role':'system','content':'A'}",
        ASKED,
        "{'role':'assistant','content':'a','tool_calls':[{'id':'c','type':'function',"
            + "'function':{'name':'f','arguments':'{}'}}]}",
        "{'role':'tool','tool_call_id':'c','content':'r'}");
    String closed = "{'type':'object','properties':{},'additionalProperties':false}";
    tools.add(new Tool.Function("f", "d", json(closed), true, null));
    choice = ToolChoice.of(ToolChoice.Mode.REQUIRED);
    parallel = false;
    effort = Effort.HIGH;
    output = new OutputFormat(json(closed), null, null, null);
    maxOutput = 77L;
    stop.add("END");
    user = "u";
    share("top_p", "0.99");

    Request again = messages.read(json(write()), dropped);

    assertThat(again.messages())
        .extracting(Utterance::role)
        .containsExactly("system", "user", "assistant", "user");
    assertThat(again.choice()).isEqualTo(choice);
    assertThat(again.parallelCalls()).isFalse();
    assertThat(again.effort()).isEqualTo(effort);
    assertThat(again.output().schema().raw()).isEqualTo(json(closed).raw());
    assertThat(again.maxOutput()).isEqualTo(77);
    assertThat(again.stop()).containsExactly("END");
    assertThat(again.endUser()).isEqualTo("u");
    assertThat(again.shared().get("top_p").value().raw()).isEqualTo("0.99");
    assertThat(((Tool.Function) again.tools().get(0)).strict()).isTrue();
    assertThat(dropped.names()).isEmpty();
  }
}
