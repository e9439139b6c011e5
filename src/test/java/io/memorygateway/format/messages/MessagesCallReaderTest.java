package io.memorygateway.format.messages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Effort;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.ToolChoice;
import io.memorygateway.json.JsonValue;
import io.memorygateway.testing.Runs;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MessagesCallReaderTest {
  private static final String BODY =
      """
      {"model":"m","max_tokens":100,"stream":true,"temperature":0.5,"top_k":3,"service_tier":"auto",
       "metadata":{"user_id":"u1","team":"blue"},"stop_sequences":["END",""],"thread":null,
       "system":[{"type":"text","text":"A","cache_control":{"type":"ephemeral"}},
                 {"type":"text","text":"B"}],
       "thinking":{"type":"enabled","budget_tokens":5000},
       "output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}},
       "tools":[{"name":"f","description":"d","input_schema":{"type":"object"},"strict":true,
                 "cache_control":{"type":"ephemeral"},"input_examples":[{}],"defer_loading":false},
                {"type":"web_search_20250305","name":"web_search","max_uses":2}],
       "tool_choice":{"type":"tool","name":"f","disable_parallel_tool_use":true},
       "messages":[
        {"role":"user","content":"Q"},
        {"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},
          {"type":"text","text":"a"},{"type":"tool_use","id":"c1","name":"f","input":{"x":1}},
          {"type":"server_tool_use","id":"s1","name":"web_search","input":{}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","is_error":true,
          "content":[{"type":"text","text":"r"},
            {"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}},
            {"type":"search_result","title":"T","source":"S",
             "content":[{"type":"text","text":"found"}]}]}]},
        {"role":"system","content":"Be brief."}]}
      """;

  private final MessagesTranslator messages = new MessagesTranslator();
  private final Dropped dropped = new Dropped();

  private Request read(String json) throws MalformedBodyException {
    return messages.read(JsonValue.of(json), dropped);
  }

  @Test
  void readsAllThatACallSays() throws Exception {
    Request request = read(BODY);

    assertThat(request.maxOutput()).isEqualTo(100);
    assertThat(request.stream()).isTrue();
    assertThat(request.stop()).containsExactly("END");
    assertThat(request.endUser()).isEqualTo("u1");
    assertThat(request.effort()).isEqualTo(Effort.MEDIUM);
    assertThat(request.reasoningBudget()).isEqualTo(5000);
    assertThat(request.parallelCalls()).isFalse();
    assertThat(request.choice()).isEqualTo(ToolChoice.named("f"));
    assertThat(request.output().schema().raw()).isEqualTo("{\"type\":\"object\"}");
    assertThat(request.shared().get("temperature").value().raw()).isEqualTo("0.5");
    assertThat(request.shared().get("top_k").value().raw()).isEqualTo("3");
    assertThat(request.shared().get("metadata").value().raw()).isEqualTo("{\"team\":\"blue\"}");
    assertThat(dropped.names()).containsExactly("messages.server_tool_use", "tools.input_examples");
  }

  /** A form is enforced by Anthropic, and by OpenAI where it says so. */
  @Test
  void aFormOfTheAnswerIsStrictWhereStrictOutputTakesIt() throws Exception {
    String closed = "'type':'object','required':['a'],'additionalProperties':false,'properties':";
    String def = "'$defs':{'D':{'type':'string','enum':['x']}},";
    assertThat(strict("{" + closed + "{'a':{'type':'array','items':{'type':'string'}}}}")).isTrue();
    assertThat(
            strict("{" + def + closed + "{'a':{'anyOf':[{'$ref':'#/$defs/D'},{'type':'null'}]}}}"))
        .isTrue();
    for (String property :
        List.of(
            "{'type':'string','format':'date'}",
            "{'type':'integer','minimum':0}",
            "{'type':'array'}",
            "{'type':['array','null']}",
            "{'type':['object','null']}",
            "{'type':'string','default':'x'}",
            "{'enum':['x']}",
            "{'allOf':[{'type':'string'}]}",
            "{'type':'array','items':{'type':'object','properties':{}}}",
            "{'$ref':'#/$defs/D','description':'d'}",
            "true")) {
      assertThat(strict("{" + closed + "{'a':" + property + "}}")).as(property).isNull();
    }
    assertThat(strict("{'type':'object'}")).isNull();
    assertThat(strict("{" + closed + "{'b':{'type':'null'}}}")).isNull();
    assertThat(strict("{" + closed + "{'a':{'type':'null'},'b':{'type':'null'}}}")).isNull();
  }

  private Boolean strict(String schema) throws Exception {
    String format = "{'type':'json_schema','schema':" + schema + "}";
    return read(("{'messages':[],'output_config':{'format':" + format + "}}").replace('\'', '"'))
        .output()
        .strict();
  }

  @Test
  void readsToolsByTheirTypesWithoutDates() throws Exception {
    List<Tool> tools = read(BODY).tools();

    assertThat(tools).extracting(Tool::name).containsExactly("f", "web_search");
    Tool.Function function = (Tool.Function) tools.get(0);
    assertThat(function.strict()).isTrue();
    assertThat(function.cacheMark()).isNotNull();
    assertThat(tools.get(1)).isInstanceOf(Tool.Hosted.class);
  }

  @Test
  void readsMessagesInOrderWithTheSystemPromptFirst() throws Exception {
    List<Utterance> all = read(BODY).messages();

    assertThat(all)
        .extracting(Utterance::role)
        .containsExactly("system", "system", "user", "assistant", "user", "system");
    assertThat(all).allMatch(message -> message.verbatim() == null);
    assertThat(all.get(3).parts())
        .hasExactlyElementsOfTypes(Part.Reasoning.class, Part.Text.class, Part.ToolCall.class);
    Part.ToolResult result = (Part.ToolResult) all.get(4).parts().get(0);
    assertThat(result.error()).isTrue();
    assertThat(result.content())
        .hasExactlyElementsOfTypes(Part.Text.class, Part.Image.class, Part.Text.class);
    assertThat(result.text()).isEqualTo("rT\nS\nfound");
  }

  /** As Claude Code begins each call, alone in a block or before other words. */
  @Test
  void whatIsMeantForAnthropicsBillingIsNoneOfThePrompt() throws Exception {
    String line = "x-anthropic-billing-header: cc_version=2.1.177.01c; cch=36ee5;";
    String block = "{\"type\":\"text\",\"text\":\"%s\"%s}";
    String mark = ",\"cache_control\":{\"type\":\"ephemeral\"}";

    assertThat(prompt("[" + block.formatted(line, "") + "," + block.formatted("A", mark) + "]"))
        .containsExactly("A marked");
    assertThat(prompt("\"" + line + "\\nA\\nB\"")).containsExactly("A\nB");
    assertThat(prompt("[" + block.formatted(line + "\\nA", mark) + "]"))
        .containsExactly("A marked");
    assertThat(prompt("\"" + line + "\"")).isEmpty();
    assertThat(prompt("\"Of " + line + "\"")).containsExactly("Of " + line);
    assertThat(dropped.names()).isEmpty();
  }

  private List<String> prompt(String system) throws Exception {
    return read("{\"system\":" + system + ",\"messages\":[]}").messages().stream()
        .map(
            message ->
                Part.textOf(message.parts())
                    + (message.parts().get(0).source().get("cache_control") == null
                        ? ""
                        : " marked"))
        .toList();
  }

  @Test
  void aDocumentSaysItsTitleAndContextAndKeepsItsImages() throws Exception {
    Request request =
        read(
            """
            {"messages":[{"role":"user","content":[
              {"type":"document","title":"T","context":"C","citations":{"enabled":true},
               "source":{"type":"content","content":[{"type":"text","text":"a"},
                 {"type":"image","source":{"type":"url","url":"https://i"}}]}},
              {"type":"document","title":"N","citations":{"enabled":false},
               "source":{"type":"base64","media_type":"application/pdf","data":"AA=="}},
              {"type":"document","title":"U","source":{"type":"text","data":"b"}}]}]}
            """);
    List<Part> parts = request.messages().get(0).parts();
    List<Part> marked =
        read("""
                {"messages":[{"role":"user","content":[
                  {"type":"document","cache_control":{"type":"ephemeral"},
                   "source":{"type":"content","content":[{"type":"text","text":"a"},
                     {"type":"document","source":{"type":"content","content":"b"}}]}}]}]}
                """)
            .messages()
            .get(0)
            .parts();

    assertThat(marked).hasExactlyElementsOfTypes(Part.Text.class, Part.File.class);
    assertThat(marked.get(1).source().get("cache_control")).isNotNull();

    assertThat(parts)
        .hasExactlyElementsOfTypes(
            Part.Text.class,
            Part.Text.class,
            Part.Image.class,
            Part.File.class,
            Part.Text.class,
            Part.File.class);
    assertThat(Part.textOf(parts)).isEqualTo("T\nCaU");
    assertThat(((Part.File) parts.get(3)).name()).isEqualTo("N");
    assertThat(dropped.names()).containsExactly("messages.citations");
  }

  @Test
  void mapsThinkingToEfforts() throws Exception {
    assertThat(effort("\"thinking\":{\"type\":\"disabled\"}")).isEqualTo(Effort.NONE);
    assertThat(effort("\"thinking\":{\"type\":\"adaptive\"}")).isEqualTo(Effort.MEDIUM);
    assertThat(effort("\"output_config\":{\"effort\":\"max\"}")).isEqualTo(Effort.MAX);
    assertThat(
            effort("\"thinking\":{\"type\":\"adaptive\"},\"output_config\":{\"effort\":\"low\"}"))
        .isEqualTo(Effort.LOW);
    assertThat(effort("\"top_p\":1")).isNull();
    assertThat(dropped.names()).isEmpty();
  }

  private Effort effort(String members) throws MalformedBodyException {
    return read("{\"messages\":[]," + members + "}").effort();
  }

  /** Behind new words of the user for the answer to them, elsewhere from the next ones on. */
  @Test
  void systemMessagesSetTheEffort() throws Exception {
    String low = "{'role':'system','content':[],'output_config':{'effort':'low'}},";
    String max = "{'role':'system','output_config':{'effort':'max'}},";
    String user = "{'role':'user','content':'Q'},";
    String model = "{'role':'assistant','content':'A'},";
    String result =
        "{'role':'user','content':[{'type':'tool_result','tool_use_id':'c','content':'r'}]},";
    assertThat(effortBehind(user + model + low + user)).isEqualTo(Effort.LOW);
    assertThat(effortBehind(user + low)).isEqualTo(Effort.LOW);
    assertThat(effortBehind(user + low + model + user + max)).isEqualTo(Effort.MAX);
    assertThat(effortBehind(user + low + model + user + model + result)).isEqualTo(Effort.LOW);
    assertThat(effortBehind(user + max + model + low + result)).isEqualTo(Effort.MAX);
    assertThat(effortBehind(user + model + result + low)).isEqualTo(Effort.HIGH);
    assertThat(dropped.names()).isEmpty();
  }

  private Effort effortBehind(String messages) throws MalformedBodyException {
    Request request = read(calling(messages));
    assertThat(request.messages()).noneMatch(message -> message.role().equals("system"));
    return request.effort();
  }

  private static String calling(String messages) {
    String json = messages.substring(0, messages.length() - 1).replace('\'', '"');
    return "{\"output_config\":{\"effort\":\"high\"},\"messages\":[" + json + "]}";
  }

  @Test
  void aSystemMessageForOneTurnIsNotShownBehindIt() throws Exception {
    String once = "{'role':'system','content':'once','clear_at':'next_user_message'},";
    String user = "{'role':'user','content':'Q'},";
    String model = "{'role':'assistant','content':'A'},";
    assertThat(read(calling(user + once)).messages())
        .extracting(Utterance::role)
        .containsExactly("user", "system");
    assertThat(
            read(calling(user + once + model + user + once.replace("next_user_message", "never")))
                .messages())
        .extracting(Utterance::role)
        .containsExactly("user", "assistant", "user", "system");
  }

  @Test
  void refusesWhatWouldBeAnsweredOtherwise() {
    assertRefused("\"thread\":{\"type\":\"create\"}", "thread");
    assertRefused("\"max_tokens\":0", "max_tokens");
    assertRefused(
        "\"tools\":[{\"type\":\"web_search_20250305\",\"name\":\"w\"}],"
            + "\"tool_choice\":{\"type\":\"tool\",\"name\":\"w\"}",
        "tool_choice");
  }

  @Test
  void refusesMembersOfAnotherType() {
    assertRefused("\"max_tokens\":\"9\"", "max_tokens");
    assertRefused("\"max_tokens\":1.5", "max_tokens");
    assertRefused("\"stream\":1", "stream");
    assertRefused("\"tools\":{}", "tools");
    assertRefused("\"tools\":[{}]", "Each of tools");
    assertRefused("\"tool_choice\":\"auto\"", "tool_choice");
    assertRefused("\"system\":1", "system");
    assertRefused("\"stop_sequences\":[1]", "stop_sequences");
    assertRefused("\"thinking\":true", "thinking");
    assertRefused("\"metadata\":[]", "metadata");
    assertRefused("\"output_config\":{\"format\":{}}", "output_config.format");
    assertThatThrownBy(() -> read("[]")).isInstanceOf(MalformedBodyException.class);
    assertThatThrownBy(() -> read("{}")).isInstanceOf(MalformedBodyException.class);
  }

  private void assertRefused(String members, String member) {
    assertThatThrownBy(() -> read("{\"messages\":[]," + members + "}"))
        .as(members)
        .isInstanceOf(MalformedBodyException.class)
        .hasMessageStartingWith(member);
  }

  @Test
  void namesWhatNoOtherFormatHas() throws Exception {
    read(
        """
        {"messages":[{"role":"user","content":["a",{"type":"image","transformations":{"oversized_image":"error"},
           "source":{"type":"url","url":"https://e.org/a.png"}}]}],
         "container":"c","context_management":{"edits":[]},"mcp_servers":[],
         "speed":"standard","inference_geo":"us","diagnostics":null,"own_member":1,
         "output_config":{"effort":"high","task_budget":{}}}
        """);

    assertThat(dropped.names())
        .containsExactly(
            "container",
            "context_management",
            "inference_geo",
            "messages.transformations",
            "output_config.task_budget");
  }

  @Test
  void neverFailsOtherwise() {
    Random random = new Random(44);
    String[] values = {
      "null",
      "0",
      "-1",
      "1e9",
      "true",
      "\"\"",
      "\"x\"",
      "[]",
      "{}",
      "[null]",
      "[{}]",
      "[[1]]",
      "{\"type\":\"text\"}",
      "[{\"type\":\"tool_use\"}]",
      "[{\"type\":\"tool_result\"}]"
    };
    for (int round = 0; round < Runs.of(20_000); round++) {
      String json = BODY.replace("\n", " ");
      for (int i = random.nextInt(3); i >= 0; i--) {
        int colon = json.indexOf(':', random.nextInt(json.length()));
        int end = colon + 1;
        while (colon > 0 && end < json.length() && ",}]".indexOf(json.charAt(end)) < 0) {
          end++;
        }
        String value = values[random.nextInt(values.length)];
        json = colon < 0 ? json : json.substring(0, colon + 1) + value + json.substring(end);
      }
      try {
        read(json);
      } catch (MalformedBodyException e) {
        assertThat(e.getMessage()).isNotBlank();
      }
    }
  }
}
