package io.memorygateway.format;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.MessageWriters;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.format.messages.MessagesTranslator;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Effort;
import io.memorygateway.format.translation.OutputFormat;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.Terms;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.ToolChoice;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls of Chat and Responses written as calls of Messages. */
class MessagesCallWriterTest {
  private static final String ASKED = "{'role':'user','content':'Q'}";

  private final Translator messages = new MessagesTranslator();
  private final Dropped dropped = new Dropped();
  private final Map<String, Request.Shared> shared = new LinkedHashMap<>();
  private final List<Tool> tools = new ArrayList<>();
  private final List<Utterance> said = new ArrayList<>();
  private final List<String> stop = new ArrayList<>();
  private ToolChoice choice;
  private Boolean parallel;
  private OutputFormat output;
  private Effort effort;
  private Long budget;
  private Long maxOutput;
  private String user;
  private boolean budgets;

  private static JsonValue json(String quoted) {
    return JsonValue.of(quoted.replace('\'', '"'));
  }

  private MessagesCallWriterTest chat(String... all) {
    for (String message : all) {
      StoredMessage stored = StoredMessage.ofMessage(json(message), Shape.CHAT);
      said.add(
          stored.role().equals("developer")
              ? Utterance.of("system", stored.utterance().parts())
              : stored.utterance());
    }
    return this;
  }

  private boolean remembered;

  private String write() throws MalformedBodyException {
    Request request =
        new Request(
            MessageWriters.paired(said, messages.ids(), result -> {}),
            tools,
            choice,
            parallel,
            output,
            effort,
            budget,
            maxOutput,
            stop,
            user,
            true,
            shared);
    Terms terms =
        new Terms(Calls.model("up"), "maker", 8192, "max_tokens", budgets, null, remembered);
    String body = new String(messages.write(request, terms, messages, dropped), UTF_8);
    assertThat(new MessagesRequestChecker().faults(body)).as(body).isEmpty();
    return body.replace('"', '\'');
  }

  private void share(String name, String value) {
    shared.put(name, new Request.Shared(name, json(value)));
  }

  private void assertRefused(String member) {
    assertThatThrownBy(this::write)
        .isInstanceOf(MalformedBodyException.class)
        .hasMessageStartingWith(member);
  }

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
        .contains("'system':'A\\n\\nBC'")
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
  void refusesFilesOfAnotherProviderAndAudio() {
    chat("{'role':'user','content':[{'type':'file','file':{'file_id':'f1'}}]}");
    assertRefused("messages.source.file_id");
    said.clear();
    chat("{'role':'user','content':[{'type':'input_audio','input_audio':{'data':'A'}}]}");
    assertRefused("messages.audio");
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
  void reducesSchemasToWhatIsTaken() throws Exception {
    tools.add(
        new Tool.Function(
            "f",
            "d",
            json(
                "{'$schema':'s','anyOf':[{'properties':{'a':{},'b':{}},'required':['a','b']},"
                    + "{'properties':{'a':{},'c':{}},'required':['a']}],'required':['z']}"),
            true,
            null));
    tools.add(new Tool.Function("g", null, json("{'properties':{}}"), false, null));
    tools.add(
        new Tool.Custom(
            "patch",
            "Patches.",
            json("{'type':'grammar','syntax':'lark','definition':'start: x'}")));

    assertThat(chat(ASKED).write())
        .contains(
            "'input_schema':{'type':'object','properties':{'a':{},'b':{},'c':{}},"
                + "'required':['z','a'],'$schema':'s'}}")
        .contains("{'name':'g','input_schema':{'type':'object','properties':{}}}")
        .contains("Patches.\\n\\nThe input must follow this grammar (lark):\\nstart: x")
        .contains("'properties':{'input':{'type':'string'}},'required':['input']");
    assertThat(dropped.names()).containsExactly("tools.strict");
  }

  @Test
  void asksForStrictToolsWhereTheirSchemasAreTaken() throws Exception {
    String closed =
        "{'type':'object','properties':{'a':{'type':'string','format':'uri'}},'required':[],"
            + "'additionalProperties':false";
    tools.add(
        new Tool.Function(
            "f", null, json("{'$schema':'s'," + closed.substring(1) + "}"), true, null));
    assertThat(chat(ASKED).write())
        .contains("{'name':'f','input_schema':" + closed + "},'strict':true}");
    assertThat(dropped.names()).isEmpty();

    tools.set(
        0,
        new Tool.Function(
            "f", null, json(closed.replace("'format':'uri'", "'maxLength':10") + "}"), true, null));
    assertThat(write()).contains("'maxLength':10").doesNotContain("'strict'");
    assertThat(dropped.names()).containsExactly("tools.strict");
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
  void asksForAFormOfTheAnswer() throws Exception {
    chat(ASKED);
    String schema = "{'type':'object','properties':{},'additionalProperties':false}";
    output = new OutputFormat(json(schema), "n", null, true);
    assertThat(write())
        .contains("'output_config':{'format':{'type':'json_schema','schema':" + schema + "}}");
    assertThat(dropped.names()).isEmpty();
    for (String any :
        List.of("{'type':'object'}", "{}", "{'type':'object','additionalProperties':{}}")) {
      output = new OutputFormat(json(any), "n", null, true);
      assertThat(write()).doesNotContain("output_config");
    }
    output = OutputFormat.JSON;
    assertThat(write()).doesNotContain("output_config");
    assertThat(dropped.names()).containsExactly("output_config.format");
  }

  /** Closed, they could not be fitted: neither has the members of the other. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "'allOf':[{'$ref':'#/$defs/A'},{'type':'object','properties':{'b':{}}}]",
        "'type':'object','properties':{'k':{}},'allOf':[{'properties':{'b':{}}}]",
        "'type':'object','properties':{'k':{}},'oneOf':[{'properties':{'b':{}}},{'type':'null'}]",
        "'type':'array','items':{'properties':{'k':{}},'anyOf':[{'$ref':'#/$defs/A'}]}",
      })
  void aFormOfObjectsThatFitTogetherIsNamed(String schema) throws Exception {
    chat(ASKED);
    output = new OutputFormat(json("{" + schema + "}"), "n", null, true);
    assertThat(write()).doesNotContain("output_config");
    assertThat(dropped.names()).containsExactly("output_config.format");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'allOf':[{'$ref':'#/$defs/A'}],'description':'d'",
        "'anyOf':[{'$ref':'#/$defs/A'},{'properties':{'b':{}}}]",
        "'type':'object','properties':{'k':{}},'anyOf':[{'required':['k']}]",
      })
  void aFormOfOneObjectAtATimeIsAskedFor(String schema) throws Exception {
    chat(ASKED);
    output = new OutputFormat(json("{" + schema + "}"), "n", null, true);
    assertThat(write()).contains("output_config");
    assertThat(dropped.names()).isEmpty();
  }

  @Test
  void saysInWordsToWhatOfAFormNoModelIsHeld() throws Exception {
    chat(ASKED);
    output =
        new OutputFormat(
            json(
                "{'$schema':'s','$defs':{'P':{'type':'object','properties':{'m':{'type':'object',"
                    + "'additionalProperties':{'type':'string'}}}}},'type':'object','properties':{"
                    + "'name':{'type':'string','maxLength':10,'description':'Who','pattern':'^a'},"
                    + "'n':{'type':'integer','minimum':0,'maximum':1e1},"
                    + "'tags':{'type':'array','items':{'type':'string','format':'hex'},'minItems':2},"
                    + "'one':{'type':'array','minItems':1},'e':{'enum':['a',1,null]},"
                    + "'p':{'oneOf':[{'$ref':'#/$defs/P'},{'type':['null','string']}]},"
                    + "'maximum':true},'required':['n']}"),
            "n",
            null,
            true);
    assertThat(write())
        .contains(
            "'schema':{'$defs':{'P':{'type':'object','properties':{'m':{'type':'object',"
                + "'additionalProperties':false}},'additionalProperties':false}},'type':'object',"
                + "'properties':{"
                + "'name':{'type':'string','description':'Who\\n\\n{maxLength: 10, pattern: \\'^a\\'}'},"
                + "'n':{'type':'integer','description':'{minimum: 0, maximum: 1e1}'},"
                + "'tags':{'type':'array','items':{'type':'string','description':'{format: \\'hex\\'}'},"
                + "'description':'{minItems: 2}'},"
                + "'one':{'type':'array','minItems':1},'e':{'enum':['a',1,null]},"
                + "'p':{'anyOf':[{'$ref':'#/$defs/P'},{'type':['null','string']}]},"
                + "'maximum':true},'required':['n'],'additionalProperties':false}");
    assertThat(dropped.names()).containsExactly("output_config.format.additionalProperties");
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
