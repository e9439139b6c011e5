package io.memorygateway.format.chat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.MessageWriters;
import io.memorygateway.format.call.ProviderTraits;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Effort;
import io.memorygateway.format.translation.OutputFormat;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.format.translation.Terms;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.ToolChoice;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §14: calls of the other formats as calls of Chat; {@code '} stands for quotes. */
class ChatCallWriterTest {
  private static final String HI = "{'model':'m','messages':[{'role':'user','content':'hi'}]";
  private static final Tool F =
      new Tool.Function("f", "does", JsonValue.of("{\"type\":\"object\"}"), null, null);

  private final ChatTranslator chat = new ChatTranslator();
  private final Dropped dropped = new Dropped();
  private final Map<String, Request.Shared> shared = new LinkedHashMap<>();
  private List<Utterance> messages = new ArrayList<>(List.of(said("user", "'hi'")));
  private List<Tool> tools = List.of();
  private @Nullable ToolChoice choice;
  private @Nullable Boolean parallel;
  private @Nullable OutputFormat output;
  private @Nullable Effort effort;
  private @Nullable Long budget;
  private @Nullable Long limit;
  private boolean stream;
  private String model = "m";
  private @Nullable String cacheKey;
  private @Nullable String endUser;
  private ProviderTraits traits = ProviderTraits.ALL;
  private Shape called = Shape.MESSAGES;

  @Test
  void joinsTheLeadingSystemMessagesAndKeepsThePlaceOfLaterOnes() throws Exception {
    messages =
        List.of(
            said("system", "[{'type':'text','text':'a'},{'type':'text','text':' '}]"),
            said("system", "'b'"),
            said("user", "'hi'"),
            said("assistant", "'yes'"),
            said("system", "'c'"),
            said("user", "'on'"));
    assertThat(messages())
        .isEqualTo(
            "[{'role':'system','content':'a\\n\\nb'},{'role':'user','content':'hi'},"
                + "{'role':'assistant','content':'yes'},{'role':'system','content':'c'},"
                + "{'role':'user','content':'on'}]");
  }

  @Test
  void writesContentsInItsOwnWords() throws Exception {
    messages =
        List.of(
            said(
                "user",
                "[{'type':'text','text':'see','cache_control':{'type':'ephemeral'}},"
                    + "{'type':'text','text':''},"
                    + "{'type':'image','source':{'type':'base64','media_type':'image/gif','data':'AA'}},"
                    + "{'type':'document','title':'r.pdf','source':{'type':'base64',"
                    + "'media_type':'application/pdf','data':'BB'}},"
                    + "{'type':'search_result','title':'t','source':'s','content':"
                    + "[{'type':'text','text':'found'}]}]"),
            said("assistant", "[{'type':'text','text':'a'},{'type':'text','text':'b'}]"),
            said(
                "user",
                "[{'type':'input_text','text':'hear'},"
                    + "{'type':'input_audio','input_audio':{'data':'CC','format':'wav'}},"
                    + "{'type':'input_image','image_url':'http://x','detail':'low'},"
                    + "{'type':'input_file','file_id':'file-1'}]"));
    assertThat(messages())
        .isEqualTo(
            "[{'role':'user','content':[{'type':'text','text':'see'},"
                + "{'type':'image_url','image_url':{'url':'data:image/gif;base64,AA'}},"
                + "{'type':'file','file':{'filename':'r.pdf',"
                + "'file_data':'data:application/pdf;base64,BB'}},"
                + "{'type':'text','text':'t\\ns\\nfound'}]},"
                + "{'role':'assistant','content':'ab'},"
                + "{'role':'user','content':[{'type':'text','text':'hear'},"
                + "{'type':'input_audio','input_audio':{'data':'CC','format':'wav'}},"
                + "{'type':'image_url','image_url':{'url':'http://x','detail':'low'}},"
                + "{'type':'file','file':{'file_id':'file-1'}}]}]");
    assertThat(dropped.names()).containsExactly("its_cache_marks");
  }

  @Test
  void keepsResultsWholeAndInOrderBehindTheirCalls() throws Exception {
    messages =
        List.of(
            said("user", "'hi'"),
            said(
                "assistant",
                "[{'type':'text','text':'go'},{'type':'tool_use','id':'c1','name':'f','input':{'a':1}},"
                    + "{'type':'tool_use','id':'c2','name':'f','input':{}}]"),
            said(
                "user",
                "[{'type':'tool_result','tool_use_id':'c1','content':[{'type':'text','text':'x'},"
                    + "{'type':'image','source':{'type':'url','url':'http://x'}},"
                    + "{'type':'text','text':'y'}]},"
                    + "{'type':'tool_result','tool_use_id':'c2','is_error':true,'content':'no'},"
                    + "{'type':'text','text':'well'}]"));
    assertThat(messages())
        .isEqualTo(
            "[{'role':'user','content':'hi'},{'role':'assistant','content':'go','tool_calls':["
                + "{'id':'c1','type':'function','function':{'name':'f','arguments':'{\\'a\\':1}'}},"
                + "{'id':'c2','type':'function','function':{'name':'f','arguments':'{}'}}]},"
                + "{'role':'tool','tool_call_id':'c1','content':"
                + "'x\\n[image 1: shown in the next message]\\ny'},"
                + "{'role':'tool','tool_call_id':'c2','content':'Error:\\nno'},"
                + "{'role':'user','content':[{'type':'text','text':'[image 1 of the result of call c1]'},"
                + "{'type':'image_url','image_url':{'url':'http://x'}},{'type':'text','text':'well'}]}]");
  }

  @Test
  void writesTheItemsOfAnAnswerAsOneMessage() throws Exception {
    Seal seal =
        new Seal(
            "vllm", Shape.CHAT, json("{'reasoning_content':'hm','reasoning_details':[{'a':1}]}"));
    messages =
        List.of(
            said("user", "'hi'"),
            Utterance.of("assistant", List.of(seal.part())),
            said("assistant", "[{'type':'output_text','text':'I look.'}]"),
            said(
                "assistant", "{'type':'function_call','call_id':'c1','name':'f','arguments':'{}'}"),
            said(
                "assistant", "{'type':'custom_tool_call','call_id':'c2','name':'p','input':'raw'}"),
            said("tool", "{'type':'function_call_output','call_id':'c1','output':'1'}"),
            said("tool", "{'type':'custom_tool_call_output','call_id':'c2','output':'2'}"),
            said("assistant", "'one'"),
            said("assistant", "'two'"),
            said("assistant", "{'type':'web_search_call','id':'ws','status':'completed'}"));
    called = Shape.RESPONSES;
    assertThat(messages())
        .isEqualTo(
            "[{'role':'user','content':'hi'},{'role':'assistant','content':'I look.',"
                + "'reasoning_content':'hm','reasoning_details':[{'a':1}],'tool_calls':["
                + "{'id':'c1','type':'function','function':{'name':'f','arguments':'{}'}},"
                + "{'id':'c2','type':'function','function':{'name':'p',"
                + "'arguments':'{\\'input\\':\\'raw\\'}'}}]},"
                + "{'role':'tool','tool_call_id':'c1','content':'1'},"
                + "{'role':'tool','tool_call_id':'c2','content':'2'},"
                + "{'role':'assistant','content':'one'},{'role':'assistant','content':'two'}]");
    assertThat(dropped.names()).containsExactly("input.web_search_call");
  }

  @Test
  void leavesOutReasoningThatTheProviderDoesNotTakeBack() throws Exception {
    traits = new ProviderTraits(Set.of(), false, false);
    stream = true;
    messages =
        List.of(
            Utterance.of(
                "assistant",
                List.of(
                    new Seal("m", Shape.CHAT, json("{'reasoning_content':'hm'}")).part(),
                    said("assistant", "'a'").parts().get(0))));
    assertThat(write())
        .isEqualTo("{'model':'m','messages':[{'role':'assistant','content':'a'}],'stream':true}");
  }

  @Test
  void strictRolesHaveOneMessageOfTheSystemAndNoTwoOfTheUserInARow() throws Exception {
    traits = ProviderTraits.ALL.withStrictRoles(true);
    messages =
        List.of(
            said("system", "'a'"),
            said("user", "'hi'"),
            said("user", "[{'type':'text','text':'there'}]"),
            said("assistant", "'yes'"),
            said("developer", "'c'"),
            said("user", "'on'"),
            said("system", "'last'"));
    assertThat(messages())
        .isEqualTo(
            "[{'role':'system','content':'a'},{'role':'user','content':[{'type':'text','text':'hi'},"
                + "{'type':'text','text':'there'}]},{'role':'assistant','content':'yes'},"
                + "{'role':'user','content':'<system-message>c</system-message>\\n\\non\\n\\n"
                + "<system-message>last</system-message>'}]");
  }

  @Test
  void strictRolesBeginWithTheUserAndAlternate() throws Exception {
    traits = ProviderTraits.ALL.withStrictRoles(true);
    messages =
        List.of(
            said("assistant", "'a'"),
            said("assistant", "[{'type':'text','text':'b'}]"),
            said("user", "'c'"),
            said("assistant", "'d'"),
            said("assistant", "[{'type':'tool_use','id':'c1','name':'f','input':{}}]"));
    assertThat(messages())
        .startsWith(
            "[{'role':'user','content':'(continued)'},{'role':'assistant','content':'a\\n\\nb'},"
                + "{'role':'user','content':'c'},{'role':'assistant','content':'d','tool_calls':[");
  }

  @Test
  void strictRolesJoinTheUsersWordsAroundAnAnswerOfThoughtsAlone() throws Exception {
    traits = new ProviderTraits(Set.of(), false, false).withStrictRoles(true);
    messages =
        List.of(
            said("user", "'hi'"),
            said("assistant", "[{'type':'thinking','thinking':'hm','signature':'s'}]"),
            said("user", "'there'"));
    assertThat(messages()).isEqualTo("[{'role':'user','content':'hi\\n\\nthere'}]");
  }

  @Test
  void modelsOfMistralAnswerResultsBeforeTheUserSpeaks() throws Exception {
    model = "devstral-2";
    messages =
        List.of(
            said("user", "'hi'"),
            said("assistant", "[{'type':'tool_use','id':'c1','name':'f','input':{}}]"),
            said(
                "user",
                "[{'type':'tool_result','tool_use_id':'c1','content':'1'},{'type':'text','text':'so'}]"),
            said("assistant", "[{'type':'tool_use','id':'c2','name':'f','input':{}}]"),
            said("user", "[{'type':'tool_result','tool_use_id':'c2','content':'2'}]"),
            said("assistant", "'ok'"),
            said("user", "'thanks'"));
    assertThat(messages())
        .contains(
            "'content':'1'},{'role':'assistant','content':'I have read the results.'},"
                + "{'role':'user','content':'so'}",
            "'content':'2'},{'role':'assistant','content':'ok'},{'role':'user','content':'thanks'}");

    List<Utterance> called = messages.subList(0, 2);
    messages = List.of(said("user", "'hi'"), said("assistant", "'{'"));
    assertThat(messages()).endsWith("{'role':'assistant','content':'{','prefix':true}]");

    traits = ProviderTraits.ALL.withStrictRoles(true);
    messages = new ArrayList<>(called);
    messages.add(said("tool", "{'tool_call_id':'c1','content':'1'}"));
    messages.add(said("system", "'now'"));
    assertThat(messages())
        .endsWith(
            "'content':'1'},{'role':'assistant','content':'I have read the results.'},"
                + "{'role':'user','content':'<system-message>now</system-message>'}]");
  }

  @Test
  void metadataGoesWithCallsThatAreStored() throws Exception {
    cacheKey = "thread";
    shared.put("metadata", new Request.Shared("metadata", JsonValue.of("{}")));
    assertThat(write()).doesNotContain("metadata");
    assertThat(dropped.header()).isEqualTo("metadata");
    shared.put("store", new Request.Shared("store", JsonValue.of("true")));
    assertThat(write()).contains("'metadata':{}", "'store':true");
  }

  @Test
  void whatOpenAiAloneHasStaysAwayFromWhoRefusesIt() throws Exception {
    for (String name : List.of("prompt_cache_key", "safety_identifier", "store")) {
      shared.put(name, new Request.Shared(name, JsonValue.of("true")));
    }
    assertThat(write()).isEqualTo(HI + "}");
    assertThat(dropped.header().split(", "))
        .containsExactlyInAnyOrder("prompt_cache_key", "safety_identifier", "store");
  }

  @Test
  void aToolIsStrictWhereItsSchemaIsClosed() throws Exception {
    String open = json("{'type':'object','properties':{'a':{'type':'string'}}}");
    String closed = json("{'type':'object','properties':{},'additionalProperties':false}");
    tools =
        List.of(
            new Tool.Function("f", null, JsonValue.of(open), true, null),
            new Tool.Function("g", null, JsonValue.of(closed), true, null));
    assertThat(write()).containsOnlyOnce("'strict':true");
    assertThat(dropped.header()).isEqualTo("tools.strict");
  }

  @Test
  void offersFunctionsAndTextsOfOneTool() throws Exception {
    tools =
        List.of(
            new Tool.Function("g", null, null, true, JsonValue.of("{}")),
            F,
            new Tool.Custom(
                "patch",
                "Patches.",
                JsonValue.of(json("{'type':'grammar','syntax':'lark','definition':'start: A'}"))),
            new Tool.Hosted("web_search", JsonValue.of("{}")));
    choice = ToolChoice.named("patch");
    parallel = false;
    cacheKey = "thread";
    assertThat(write())
        .isEqualTo(
            HI
                + ",'tools':[{'type':'function','function':{'name':'g','parameters':"
                + "{'type':'object','properties':{}}}},"
                + "{'type':'function','function':{'name':'f','description':'does',"
                + "'parameters':{'type':'object','properties':{}}}},"
                + "{'type':'function','function':{'name':'patch','description':"
                + "'Patches.\\n\\nThe input must match this grammar (lark):\\nstart: A',"
                + "'parameters':{'type':'object','properties':{'input':{'type':'string'}},"
                + "'required':['input'],'additionalProperties':false}}}],"
                + "'tool_choice':{'type':'function','function':{'name':'patch'}},"
                + "'parallel_tool_calls':false,'prompt_cache_key':'thread'}");
    assertThat(dropped.header()).isEqualTo("tools.strict, tools.web_search");
  }

  @Test
  void refusesAHostedToolThatIsDemandedAndFilesOfOtherProviders() {
    Tool search = new Tool.Hosted("web_search", JsonValue.of("{}"));
    tools = List.of(F, search);
    choice = ToolChoice.named("web_search");
    assertThatThrownBy(this::write)
        .isInstanceOf(MalformedBodyException.class)
        .hasMessageContaining("its_tool_choice");
    tools = List.of(search);
    choice = ToolChoice.of(ToolChoice.Mode.REQUIRED);
    assertThatThrownBy(this::write).hasMessageContaining("its_tool_choice");
  }

  @Test
  void saysNothingOfToolsWhereNoneIsLeft() throws Exception {
    tools = List.of(new Tool.Hosted("web_search", JsonValue.of("{}")));
    choice = ToolChoice.AUTO;
    parallel = true;
    assertThat(write()).isEqualTo(HI + "}");
  }

  @Test
  void writesLimitsFormatsEffortAndWhatFormatsShare() throws Exception {
    output = new OutputFormat(JsonValue.of("{\"type\":\"object\"}"), null, null, true);
    budget = 3000L;
    limit = 7L;
    stream = true;
    shared.put("temperature", new Request.Shared("temperature", JsonValue.of("0.50")));
    shared.put("top_logprobs", new Request.Shared("top_logprobs", JsonValue.of("2")));
    shared.put("prompt_cache_key", new Request.Shared("prompt_cache_key", JsonValue.of("\"k\"")));
    shared.put("top_k", new Request.Shared("top_k", JsonValue.of("3")));
    cacheKey = "thread";
    assertThat(write())
        .isEqualTo(
            HI
                + ",'response_format':{'type':'json_schema','json_schema':{'name':'answer',"
                + "'schema':{'type':'object'},'strict':true}},'reasoning_effort':'medium',"
                + "'max_tokens':7,'temperature':0.50,'top_logprobs':2,'prompt_cache_key':'k','logprobs':true,"
                + "'stream':true,'stream_options':{'include_usage':true}}");
    assertThat(dropped.names()).containsExactly("top_k");
    output = OutputFormat.JSON;
    effort = Effort.XHIGH;
    shared.clear();
    assertThat(write())
        .contains("'response_format':{'type':'json_object'},'reasoning_effort':'xhigh'")
        .contains("'prompt_cache_key':'thread'");
  }

  @Test
  void whatOpenAiAloneHasIsLeftOutAndNamedWhereItIsRefused() throws Exception {
    endUser = "u";
    shared.put("verbosity", new Request.Shared("text.verbosity", JsonValue.of("\"low\"")));
    assertThat(write()).isEqualTo(HI + "}");
    assertThat(dropped.names()).containsExactly("its_user", "text.verbosity");
    cacheKey = "thread";
    assertThat(write()).contains("'user':'u'").contains("'verbosity':'low'");
  }

  @Test
  void marksCachedPrefixesForModelsThatTakeMarks() throws Exception {
    model = "gpt-5.6-mini";
    messages =
        List.of(
            said(
                "system",
                "[{'type':'text','text':'a','cache_control':{'type':'ephemeral'}},"
                    + "{'type':'text','text':'b'}]"),
            said(
                "user",
                "[{'type':'input_text','text':'hi','prompt_cache_breakpoint':{'mode':'explicit','ttl':'12h'}}]"));
    assertThat(messages())
        .isEqualTo(
            "[{'role':'system','content':[{'type':'text','text':'a',"
                + "'prompt_cache_breakpoint':{'mode':'explicit'}},{'type':'text','text':'b'}]},"
                + "{'role':'user','content':[{'type':'text','text':'hi',"
                + "'prompt_cache_breakpoint':{'mode':'explicit','ttl':'12h'}}]}]");
    assertThat(dropped.names()).isEmpty();
  }

  @Test
  void aCallWithoutMessagesIsTakenToTryTheModel() throws Exception {
    messages = List.of();
    assertThat(messages()).isEqualTo("[{'role':'user','content':'(continued)'}]");
  }

  @ParameterizedTest
  @CsvSource({
    "gpt-5.6, true", "gpt-5.6-mini, true", "openai/gpt-6, true", "gpt-5.10, true", "gpt-5.5, false",
    "gpt-5, false", "gpt-4o, false", "gpt-oss-20b, false", "qwen3, false", "gpt-, false"
  })
  void modelsThatTakeMarks(String name, boolean takes) {
    UpstreamModel upstream = new UpstreamModel(name, traits, 0);
    assertThat(new Terms(upstream, "m", 1, "max_tokens", false, null).takesBreakpoints())
        .isEqualTo(takes);
  }

  private String messages() throws MalformedBodyException {
    return JsonValue.of(json(write())).members().get("messages").raw().replace('"', '\'');
  }

  private String write() throws MalformedBodyException {
    Request request =
        new Request(
            MessageWriters.paired(messages, chat.ids(), result -> {}),
            tools,
            choice,
            parallel,
            output,
            effort,
            budget,
            limit,
            List.of(),
            endUser,
            stream,
            shared);
    Terms terms =
        new Terms(new UpstreamModel(model, traits, 0), "vllm", 8192, "max_tokens", false, cacheKey);
    return new String(chat.write(request, terms, new CalledFormat(called), dropped), UTF_8)
        .replace('"', '\'');
  }

  private static Utterance said(String role, String content) {
    return StoredMessage.of(role, json(content)).utterance();
  }

  private static String json(String text) {
    return text.replace('\'', '"');
  }
}
