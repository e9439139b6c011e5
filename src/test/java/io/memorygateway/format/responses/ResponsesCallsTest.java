package io.memorygateway.format.responses;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.ProviderTraits;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Effort;
import io.memorygateway.format.translation.OutputFormat;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.Terms;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.ToolChoice;
import io.memorygateway.json.JsonValue;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResponsesCallsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PIXEL = "data:image/png;base64,iVBORw0KGgo=";

  private final ResponsesTranslator translator = new ResponsesTranslator();
  private final Dropped dropped = new Dropped();

  @Test
  void itemsOfARunOfTheModelAreOneMessageAndResultsAreOneBehindIt() throws Exception {
    Request request =
        read(
            """
            {"model":"m","instructions":"Be brief.","input":[
              {"type":"message","role":"developer","content":[{"type":"input_text","text":"Rules"}]},
              {"role":"user","content":[{"type":"input_text","text":"List"},{"type":"input_image","image_url":"%s","detail":"low"}]},
              {"type":"message","role":"assistant","id":"msg_1","status":"completed","content":[{"type":"output_text","text":"I look.","annotations":[]}]},
              {"type":"function_call","id":"fc_1","call_id":"c1","name":"ls","arguments":"{\\"a\\":1}"},
              {"type":"function_call","id":"fc_2","call_id":"c2","name":"create","namespace":"mcp__git","arguments":"{}"},
              {"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"one"},{"type":"input_image","image_url":"%s"}]},
              {"type":"function_call_output","call_id":"c2","output":"two"},
              {"role":"user","content":"Go on"}]}
            """
                .formatted(PIXEL, PIXEL));

    assertEquals(
        "system[Text] system[Text] user[Text Image] assistant[Text ToolCall ToolCall]"
            + " tool[ToolResult ToolResult] user[Text]",
        shape(request));
    Part.ToolCall call = (Part.ToolCall) request.messages().get(3).parts().get(2);
    assertEquals("mcp__git__create", call.name());
    Part.ToolResult result = (Part.ToolResult) request.messages().get(4).parts().get(0);
    assertEquals(2, result.content().size());
  }

  @Test
  void whatCodexOffersBecomesFunctionsByNamesThatAreToldApart() throws Exception {
    Request request =
        read(
            """
            {"model":"m","input":[
              {"type":"tool_search_call","call_id":"s1","execution":"client","arguments":{"query":"mail"}},
              {"type":"tool_search_output","call_id":"s1","execution":"client","status":"completed","tools":[
                {"type":"namespace","name":"mail","description":"","tools":[{"type":"function","name":"send","parameters":{"type":"object"}}]}]}],
             "tools":[
              {"type":"function","name":"exec_command","description":"Runs","strict":false,"parameters":{"type":"object","properties":{}}},
              {"type":"custom","name":"apply_patch","description":"Patch","format":{"type":"grammar","syntax":"lark","definition":"start: x"}},
              {"type":"local_shell"},
              {"type":"tool_search","execution":"client","description":"Finds","parameters":{"type":"object","properties":{"query":{"type":"string"}}}},
              {"type":"namespace","name":"mcp__git__","description":"Of git.","tools":[
                {"type":"function","name":"log","description":"Shows","parameters":{"type":"object"}},
                {"type":"custom","name":"raw","description":"Says"}]},
              {"type":"namespace","name":"functions","description":"","tools":[{"type":"function","name":"plan"}]},
              {"type":"web_search_2025_08_26"},{"type":"image_generation"},{"type":"tool_search","execution":"server"}]}
            """);

    assertEquals(
        List.of(
            "Function exec_command",
            "Custom apply_patch",
            "Function local_shell",
            "Function tool_search",
            "Function mcp__git__log",
            "Custom mcp__git__raw",
            "Function plan",
            "Hosted web_search",
            "Hosted image_generation",
            "Function mail__send"),
        request.tools().stream()
            .map(tool -> tool.getClass().getSimpleName() + " " + tool.name())
            .toList());
    Tool.Function first = (Tool.Function) request.tools().get(4);
    assertEquals("Of git.\n\nShows", first.description());
    Part.ToolResult found = (Part.ToolResult) request.messages().get(1).parts().get(0);
    assertEquals("These tools can be called now: mail__send", found.text());
  }

  @Test
  void parametersAreReadByTheTable() throws Exception {
    Request request =
        read(
            """
            {"model":"m","input":"hi","max_output_tokens":1,"stream":true,"user":"u","parallel_tool_calls":false,
             "reasoning":{"effort":"xhigh","summary":"auto","mode":"pro"},"temperature":0.5,"top_p":0.9,
             "text":{"format":{"type":"json_schema","name":"s","schema":{"type":"object"},"strict":true},"verbosity":"low"},
             "tool_choice":{"type":"function","name":"f"},"tools":[{"type":"function","name":"f"}],"truncation":"auto",
             "store":false,"include":["reasoning.encrypted_content","message.output_text.logprobs"],"metadata":{"a":"b"},"service_tier":"priority",
             "max_tool_calls":3,"prompt":{"id":"p"},"top_logprobs":2,"client_metadata":{"x":"y"},"background":false}
            """);

    assertEquals(Effort.XHIGH, request.effort());
    assertEquals(1L, request.maxOutput());
    assertEquals(ToolChoice.named("f"), request.choice());
    assertEquals(false, request.parallelCalls());
    assertEquals("u", request.endUser());
    assertTrue(request.stream());
    assertEquals("s", output(request).name());
    assertEquals(
        List.of(
            "client_metadata",
            "logprobs",
            "metadata",
            "service_tier",
            "temperature",
            "top_logprobs",
            "top_p",
            "verbosity"),
        request.shared().keySet().stream().sorted().toList());
    assertEquals("max_tool_calls, prompt, reasoning.mode, truncation", dropped.header());
  }

  private static OutputFormat output(Request request) {
    OutputFormat output = request.output();
    if (output == null) {
      throw new AssertionError("no output format");
    }
    return output;
  }

  @Test
  void allowedToolsLeaveOutTheRest() throws Exception {
    Request request =
        read(
            """
            {"model":"m","input":"hi","tools":[{"type":"function","name":"f"},{"type":"function","name":"g"}],
             "tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"g"}]}}
            """);

    assertEquals(List.of("g"), request.tools().stream().map(Tool::name).toList());
    assertEquals(ToolChoice.AUTO, request.choice());
    assertEquals("tool_choice.allowed_tools", dropped.header());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"input\":\"x\",\"background\":true}",
        "{\"input\":\"x\",\"previous_response_id\":\"resp_1\"}",
        "{\"input\":\"x\",\"conversation\":\"conv_1\"}",
        "{\"input\":[{\"type\":\"item_reference\",\"id\":\"msg_1\"}]}",
        "{\"input\":[{\"type\":null,\"id\":\"item_reference\"}]}",
        "{\"input\":[{\"type\":\"compaction_trigger\"}]}",
        "{\"input\":\"x\",\"tools\":[{\"type\":\"web_search\"}],\"tool_choice\":{\"type\":\"web_search\"}}"
      })
  void whatWouldChangeTheQuestionIsRefusedByItsName(String body) {
    MalformedBodyException e = assertThrows(MalformedBodyException.class, () -> read(body));

    String name =
        List.of(
                "background",
                "previous_response_id",
                "conversation",
                "item_reference",
                "compaction_trigger",
                "tool_choice")
            .stream()
            .filter(body::contains)
            .findFirst()
            .orElseThrow();
    assertTrue(String.valueOf(e.getMessage()).startsWith(name), e.getMessage());
  }

  @Test
  void itemsOfTheProviderAreNamed() throws Exception {
    Request request =
        read(
            """
        {"model":"m","input":[{"role":"user","content":"a"},
          {"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"q"}},
          {"type":"compaction","encrypted_content":"x"}]}
        """);

    assertEquals("input.compaction, input.web_search_call", dropped.header());
    // What is missing is said in its place.
    assertEquals("system", request.messages().get(1).role());
    assertTrue(Part.textOf(request.messages().get(1).parts()).contains("compacted"));
  }

  @Test
  void aCallOfMessagesIsWrittenInTheWordsOfResponses() throws Exception {
    String marked =
        "[{\"type\":\"text\",\"text\":\"S\",\"cache_control\":{\"type\":\"ephemeral\"}}]";
    Request request =
        new Request(
            List.of(
                said("system", marked),
                said(
                    "user",
                    "[{\"type\":\"text\",\"text\":\"Hi\"},{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"iVBORw0KGgo=\"}}]"),
                said(
                    "assistant",
                    "[{\"type\":\"text\",\"text\":\"On it\"},{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"run\",\"input\":{\"a\":1}}]"),
                said(
                    "user",
                    "[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"is_error\":true,\"content\":[{\"type\":\"text\",\"text\":\"no\"}]}]"),
                said("system", "\"Later\"")),
            List.of(
                new Tool.Function(
                    "run",
                    "Runs",
                    JsonValue.of(
                        "{\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"integer\"}}}],\"$schema\":\"x\"}"),
                    null,
                    null),
                new Tool.Hosted("web_search", JsonValue.of("{}"))),
            ToolChoice.of(ToolChoice.Mode.REQUIRED),
            false,
            null,
            null,
            3000L,
            4L,
            List.of(),
            "u".repeat(100),
            true,
            Map.of("top_k", new Request.Shared("top_k", JsonValue.of("5"))));

    JsonNode body = write(request);

    assertEquals(
        JSON.readTree(
            """
            {"model":"gpt-5.6-sol","input":[
              {"role":"system","content":[{"type":"input_text","text":"S","prompt_cache_breakpoint":{"mode":"explicit"}}]},
              {"role":"user","content":[{"type":"input_text","text":"Hi"},{"type":"input_image","image_url":"%s","detail":"auto"}]},
              {"role":"assistant","content":[{"type":"output_text","text":"On it"}]},
              {"type":"function_call","call_id":"t1","name":"run","arguments":"{\\"a\\":1}"},
              {"type":"function_call_output","call_id":"t1","output":"Error: no"},
              {"role":"system","content":[{"type":"input_text","text":"Later"}]}],
             "tools":[{"type":"function","name":"run","description":"Runs","parameters":{"type":"object","properties":{"a":{"type":"integer"}},"$schema":"x"},"strict":false}],
             "tool_choice":"required","parallel_tool_calls":false,"reasoning":{"effort":"medium","summary":"auto"},
             "include":["reasoning.encrypted_content"],"max_output_tokens":16,"store":false,"prompt_cache_key":"key","stream":true}
            """
                .formatted(PIXEL)),
        ((ObjectNode) body.deepCopy()).without("user"));
    assertEquals(64, body.path("user").asText().length());
    assertEquals("tools.web_search, top_k", dropped.header());
  }

  @Test
  void leadingWordsOfTheSystemAreTheInstructions() throws Exception {
    JsonNode body =
        write(request(said("system", "\"A\""), said("system", "\"B\""), said("user", "\"C\"")));

    assertEquals("A\n\nB", body.path("instructions").asText());
    assertEquals(1, body.path("input").size());
  }

  @Test
  void reasoningOfResponsesStandsBeforeWhatFollowedFromIt() throws Exception {
    String item =
        "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[],\"encrypted_content\":\"e\"}";
    Utterance thinks =
        Utterance.of(
            "assistant",
            List.of(
                new Part.Reasoning(JsonValue.of(item), Shape.RESPONSES),
                new Part.Text(JsonValue.of("\"So\""), Shape.PLAIN, "So")));

    JsonNode input = write(request(said("user", "\"C\""), thinks)).path("input");

    assertEquals(JSON.readTree(item), input.path(1));
    assertEquals("So", input.path(2).at("/content/0/text").asText());
  }

  @Test
  void customToolsOfChatStayCustom() throws Exception {
    Request base =
        request(
            said("user", "\"C\""),
            said(
                "assistant",
                "{\"content\":null,\"tool_calls\":[{\"id\":\"c1\",\"type\":\"custom\",\"custom\":{\"name\":\"patch\",\"input\":\"*** Begin\"}}]}"),
            said("tool", "{\"tool_call_id\":\"c1\",\"content\":\"done\"}"));
    Tool custom =
        new Tool.Custom(
            "patch",
            null,
            JsonValue.of(
                "{\"type\":\"grammar\",\"grammar\":{\"syntax\":\"lark\",\"definition\":\"d\"}}"));

    JsonNode body = write(withTools(base, custom));

    assertEquals("*** Begin", body.at("/input/1/input").asText());
    assertEquals("custom_tool_call_output", body.at("/input/2/type").asText());
    assertEquals(
        JSON.readTree("{\"type\":\"grammar\",\"syntax\":\"lark\",\"definition\":\"d\"}"),
        body.at("/tools/0/format"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "\"x\"", "[null]", "{\"type\":\"lark\"}"})
  void aGrammarThatSaysNothingIsLeftToTheProvider(String grammar) throws Exception {
    Tool custom =
        new Tool.Custom(
            "c", null, JsonValue.of("{\"type\":\"grammar\",\"grammar\":" + grammar + "}"));

    JsonNode body = write(withTools(request(said("user", "\"C\"")), custom));

    assertEquals(JSON.readTree("{\"type\":\"grammar\"}"), body.at("/tools/0/format"));
  }

  @Test
  void strictIsSaidOnlyOfSchemasThatAreClosed() throws Exception {
    String closed =
        "{\"type\":\"object\",\"properties\":{\"a\":{}},\"required\":[\"a\"],\"additionalProperties\":false}";
    String open = "{\"type\":\"object\",\"properties\":{\"a\":{}},\"required\":[]}";

    JsonNode tools =
        write(
                withTools(
                    request(said("user", "\"C\"")),
                    new Tool.Function("a", null, JsonValue.of(closed), true, null),
                    new Tool.Function("b", null, JsonValue.of(open), true, null)))
            .path("tools");

    assertTrue(tools.path(0).path("strict").asBoolean());
    assertEquals("false", tools.path(1).path("strict").toString());
    assertEquals("tools.strict", dropped.header());
  }

  @Test
  void resultsOfSeveralPartsStayWholeAndInOrder() throws Exception {
    JsonNode body =
        write(
            request(
                said(
                    "user",
                    "[{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":[{\"type\":\"text\",\"text\":\"one\"},{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"https://a\"}},{\"type\":\"text\",\"text\":\"two\"}]}]")));

    assertEquals("one", body.at("/input/0/output/0/text").asText());
    assertEquals("https://a", body.at("/input/0/output/1/image_url").asText());
    assertEquals("two", body.at("/input/0/output/2/text").asText());
  }

  @Test
  void filesOfAnotherProviderSoundAndStopsAreRefused() {
    assertThrows(
        MalformedBodyException.class,
        () ->
            write(
                request(
                    said(
                        "user",
                        "[{\"type\":\"document\",\"source\":{\"type\":\"file\",\"file_id\":\"f\"}}]"))));
    assertThrows(
        MalformedBodyException.class,
        () ->
            write(
                request(
                    said(
                        "user",
                        "[{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"x\",\"format\":\"wav\"}}]"))));
    Request stops =
        new Request(
            List.of(),
            List.of(),
            null,
            null,
            null,
            null,
            null,
            null,
            List.of("x"),
            null,
            false,
            Map.of());
    assertThrows(MalformedBodyException.class, () -> write(stops));
  }

  @Test
  void everyMemberHasOneRow() {
    List<String> names = translator.members().stream().map(member -> member.name()).toList();

    assertEquals(names.stream().distinct().sorted().toList(), names);
  }

  /** Whatever stands in the place of any value, the body is read or refused. */
  @Test
  void anyBodyIsReadOrRefused() throws Exception {
    String body =
        """
        {"model":"m","instructions":"i","input":[{"role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_file","file_data":"x"}]},
          {"type":"reasoning","summary":[{"type":"summary_text","text":"t"}],"encrypted_content":"e"},
          {"type":"local_shell_call","call_id":"a","id":"b","action":{"type":"exec","command":["ls"]}},{"type":"local_shell_call_output","id":"a","output":"o"},
          {"type":"custom_tool_call","call_id":"c","name":"n","input":"i"},{"type":"custom_tool_call_output","call_id":"c","output":"o"},
          {"type":"tool_search_output","call_id":"d","tools":[{"type":"namespace","name":"n","tools":[{"type":"function","name":"f"}]}]}],
         "tools":[{"type":"function","name":"f","parameters":{},"strict":true},{"type":"custom","name":"g","format":{"type":"text"}},{"type":"shell","environment":{"type":"local"}}],
         "tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"f"}]},"reasoning":{"effort":"low"},
         "text":{"format":{"type":"json_schema","schema":{}},"verbosity":"low"},"max_output_tokens":5,"stream":true,"include":["a"],"user":"u","metadata":{"a":"b"}}
        """;
    Random random = new Random(7);
    int read = 0;
    for (int i = 0; i < 3000; i++) {
      JsonNode mutated = Mutations.of(JSON.readTree(body), random);
      try {
        Request request = translator.read(JsonValue.of(mutated.toString()), new Dropped());
        translator.write(request, terms(), translator, new Dropped());
        read++;
      } catch (MalformedBodyException e) {
        assertTrue(String.valueOf(e.getMessage()).endsWith("."), e.getMessage());
      }
    }
    assertTrue(read > 500 && read < 3000, "read " + read);
  }

  private Request read(String body) throws MalformedBodyException {
    return translator.read(JsonValue.of(body), dropped);
  }

  private JsonNode write(Request request) throws MalformedBodyException, JsonProcessingException {
    byte[] json = translator.write(request, terms(), translator, dropped);
    return JSON.readTree(new String(json, UTF_8));
  }

  private static Terms terms() {
    return new Terms(
        new UpstreamModel("gpt-5.6-sol", ProviderTraits.ALL, 0),
        "maker",
        8192,
        "max_tokens",
        false,
        "key");
  }

  private static Utterance said(String role, String content) {
    return Utterance.of(role, StoredMessage.of(role, content).utterance().parts());
  }

  private static Request request(Utterance... messages) {
    return new Request(
        List.of(messages),
        List.of(),
        null,
        null,
        null,
        null,
        null,
        null,
        List.of(),
        null,
        false,
        Map.of());
  }

  private static Request withTools(Request request, Tool... tools) {
    return new Request(
        request.messages(),
        List.of(tools),
        null,
        null,
        null,
        null,
        null,
        null,
        List.of(),
        null,
        false,
        Map.of());
  }

  private static String shape(Request request) {
    return request.messages().stream()
        .map(
            message ->
                message.role()
                    + message.parts().stream()
                        .map(part -> part.getClass().getSimpleName())
                        .collect(Collectors.joining(" ", "[", "]")))
        .collect(Collectors.joining(" "));
  }
}
