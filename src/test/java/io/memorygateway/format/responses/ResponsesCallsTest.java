package io.memorygateway.format.responses;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Effort;
import io.memorygateway.format.translation.OutputFormat;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.ToolChoice;
import io.memorygateway.json.JsonValue;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls of Responses, read. */
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

  /** Codex gives a sub-agent its task so, as if the provider had encrypted what its model wrote. */
  @Test
  void whatAnotherAgentTellsIsAMessageOfTheUser() throws Exception {
    Request request =
        read(
            """
        {"model":"m","input":[{"role":"user","content":"a"},
          {"type":"function_call","call_id":"c1","name":"spawn_agent","arguments":"{}"},
          {"type":"function_call_output","call_id":"c1","output":"x"},
          {"type":"agent_message","id":"amsg_1","author":"/root","recipient":"/root/y","content":[
            {"type":"input_text","text":"Payload: "},{"type":"encrypted_content","encrypted_content":"do it"}]},
          {"type":"agent_message","author":"/root","recipient":"/root/y","content":[
            {"type":"encrypted_content","encrypted_content":"gAAAAABoX"}]}]}
        """);

    assertEquals("user[Text] assistant[ToolCall] tool[ToolResult] user[Text Text]", shape(request));
    assertEquals("Payload: do it", Part.textOf(request.messages().get(3).parts()));
    assertEquals("input.agent_message", dropped.header());
  }

  @Test
  void whatToolsSayThatNoOtherFormatCanIsNamed() throws Exception {
    read(
        """
        {"model":"m","input":"a","tools":[
          {"type":"function","name":"f","strict":true,"async":false,"output_schema":{"type":"object"},"allowed_callers":["direct"]},
          {"type":"namespace","name":"n","description":"","tools":[{"type":"custom","name":"c","async":true,"defer_loading":null}]}]}
        """);

    assertEquals("tools.async, tools.output_schema", dropped.header());
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

  /** Of each setting the last update is in force, whatever the call itself says. */
  @Test
  void itemsUpdateTheSettings() throws Exception {
    Request request =
        read(
            """
            {"model":"m","reasoning":{"effort":"high"},"text":{"format":{"type":"json_object"}},"input":[
              {"type":"configuration_update","reasoning":{"effort":"low"}},
              {"role":"user","content":"a"},
              {"type":"message","role":"assistant","content":"b"},
              {"type":"configuration_update","id":"cu_1","reasoning":{"effort":"max"},"text":null},
              {"type":"message","role":"assistant","content":"c"},
              {"type":"configuration_update","text":{"format":{"type":"json_schema","name":"s","schema":{"type":"object"}}}},
              {"type":"configuration_update","reasoning":{"summary":"auto"},"text":{"verbosity":"low"}},
              {"role":"user","content":"d"}]}
            """);

    assertEquals(Effort.MAX, request.effort());
    assertEquals("s", output(request).name());
    assertEquals("low", request.shared().get("verbosity").value().text());
    assertEquals("user[Text] assistant[Text Text] user[Text]", shape(request));
    assertEquals(List.of(), List.copyOf(dropped.names()));
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
        "{\"input\":\"x\",\"tools\":[{\"type\":\"web_search\"}],\"tool_choice\":{\"type\":\"web_search\"}}"
      })
  void whatWouldChangeTheQuestionIsRefusedByItsName(String body) {
    MalformedBodyException e = assertThrows(MalformedBodyException.class, () -> read(body));

    String name =
        List.of("background", "previous_response_id", "conversation", "tool_choice").stream()
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
        translator.write(request, ResponsesCallWriterTest.terms(), translator, new Dropped());
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
