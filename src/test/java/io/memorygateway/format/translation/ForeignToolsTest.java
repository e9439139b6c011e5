package io.memorygateway.format.translation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.format.Calls;
import io.memorygateway.format.StrictProvider;
import io.memorygateway.format.chat.ChatTranslator;
import io.memorygateway.format.messages.MessagesTranslator;
import io.memorygateway.format.responses.ResponsesTranslator;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What becomes of tools that models of one maker know by their type, with models of another one.
 */
class ForeignToolsTest {
  private static final Translator CHAT = new ChatTranslator();
  private static final Translator MESSAGES = new MessagesTranslator();
  private static final Translator RESPONSES = new ResponsesTranslator();

  /** Anthropic's: its models call them without a schema, and the caller runs them. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'type':'bash_20250124','name':'bash'|{'command':'ls','restart':true}",
        "'type':'text_editor_20250728','name':'str_replace_based_edit_tool','max_characters':9|"
            + "{'command':'view','path':'/a','view_range':[1,2]}",
        "'type':'text_editor_20250124','name':'str_replace_editor'|"
            + "{'command':'undo_edit','path':'/a'}",
        "'type':'memory_20250818','name':'memory'|{'command':'rename','old_path':'a','new_path':'b'}",
        "'type':'computer_20251124','name':'computer','display_width_px':1024,"
            + "'display_height_px':768,'enable_zoom':true|"
            + "{'action':'left_click','coordinate':[1,2],'scroll_direction':'up'}"
      })
  void thatTheCallerRunsAreFunctionsWithTheMembersOfTheirCalls(String tool, String input)
      throws Exception {
    for (Translator target : List.of(CHAT, RESPONSES)) {
      Translation sent = translated(MESSAGES, target, "'tools':[{" + tool + "}]");

      String body = new String(sent.body(), UTF_8);
      assertThat(StrictProvider.faults(path(target), body)).as(body).isEmpty();
      assertThat(sent.dropped().header()).isNull();
      Tool.Function function =
          (Tool.Function) target.read(JsonValue.of(body), new Dropped()).tools().get(0);
      assertThat(function.name()).isEqualTo(json("{" + tool + "}").text("name"));
      JsonValue properties = function.schema().get("properties");
      for (JsonValue.Field member : json(input).fields()) {
        assertThat(properties.get(member.name())).as(member.name()).isNotNull();
        String said = member.value().isString() ? member.value().text() : "";
        JsonValue values = properties.get(member.name()).get("enum");
        assertThat(values == null || values.raw().contains("\"" + said + "\"")).isTrue();
      }
      assertThat(function.description())
          .contains(tool.contains("1024") ? List.of("1024", "768") : List.of("."));
    }
  }

  @Test
  void thatTheCallerRunsMayBeDemanded() throws Exception {
    String tool = "'tools':[{'type':'bash_20250124','name':'bash'}],";
    Translation sent =
        translated(MESSAGES, CHAT, tool + "'tool_choice':{'type':'tool','name':'bash'}");
    assertThat(new String(sent.body(), UTF_8)).contains("\"tool_choice\"");
  }

  /** All deferred tools reach the target; the search that found some tells which. */
  @Test
  void thatWereFoundAreToldByTheirNames() throws Exception {
    String call =
        """
        {'model':'m','max_tokens':9,'tools':[{'name':'search','input_schema':{'type':'object'}},
        {'name':'late','input_schema':{'type':'object'},'defer_loading':true}],
        'messages':[{'role':'user','content':'Q'},
        {'role':'assistant','content':[{'type':'tool_use','id':'c1','name':'search','input':{}}]},
        {'role':'user','content':[{'type':'tool_result','tool_use_id':'c1','content':[
        {'type':'tool_reference','tool_name':'late'},{'type':'tool_reference','tool_name':'two'}]}]}]}""";
    for (Translator target : List.of(CHAT, RESPONSES)) {
      Translation sent = translation(MESSAGES, target, call.replace('\'', '"'));

      Request read = target.read(JsonValue.of(new String(sent.body(), UTF_8)), new Dropped());
      assertThat(read.tools()).extracting(Tool::name).containsExactly("search", "late");
      assertThat(new String(sent.body(), UTF_8)).contains("can be called now: late", "now: two");
      assertThat(sent.dropped().header()).isEqualTo("tools.defer_loading");
    }
  }

  /** Those that messages add are there from the beginning, and those that they remove are not. */
  @Test
  void thatMessagesAddOrRemoveAreThoseOfTheCall() throws Exception {
    String added =
        "{'type':'tool_addition','tool':{'type':'tool_definition','definition':"
            + "{'name':'%s','description':'%s','input_schema':{'type':'object'}}}}";
    String named = "{'type':'tool_%s','tool':{'type':'tool_reference','name':'%s'}}";
    String changes =
        String.join(
            ",",
            added.formatted("new", "old one"),
            added.formatted("new", "newer"),
            named.formatted("removal", "first"),
            named.formatted("removal", "second"),
            named.formatted("addition", "second"));
    String call =
        """
        {'model':'m','max_tokens':9,'tools':[{'name':'first','input_schema':{'type':'object'}},
        {'name':'second','input_schema':{'type':'object'}}],'messages':[{'role':'user','content':'Q'},
        {'role':'system','content':[%s]},
        {'role':'system','content':[{'type':'tool_removal','tool':{'type':'mcp_tool_reference',
        'name':'second','server_name':'s'}}]}]}"""
            .formatted(changes);
    for (Translator target : List.of(CHAT, RESPONSES)) {
      Translation sent = translation(MESSAGES, target, call.replace('\'', '"'));

      Request read = target.read(JsonValue.of(new String(sent.body(), UTF_8)), new Dropped());
      assertThat(read.tools()).extracting(Tool::name).containsExactlyInAnyOrder("second", "new");
      assertThat(read.messages()).hasSize(1);
      assertThat(new String(sent.body(), UTF_8)).contains("newer").doesNotContain("old one");
      assertThat(sent.dropped().header()).isEqualTo("messages.tool_removal");
    }
  }

  @Test
  void thatACompactionHasKeptAreThoseOfTheCall() throws Exception {
    String call =
        """
        {'model':'m','max_tokens':9,'tools':[{'name':'first','input_schema':{'type':'object'}}],'messages':[
        {'role':'assistant','content':[{'type':'compaction','content':'S','tool_changes':[
        {'type':'tool_addition','tool':{'type':'tool_definition','definition':{'name':'kept','input_schema':{'type':'object'}}}},
        {'type':'tool_removal','tool':{'type':'tool_reference','name':'first'}}]}]},{'role':'user','content':'Q'}]}""";
    String again =
        call.replace("'tool_changes':[", "'tool_changes':[{'type':'compaction','tool_changes':[")
            .replace("]}]},{'role'", "]}]}]},{'role'");
    for (Translator target : List.of(CHAT, RESPONSES)) {
      for (String each : List.of(call, again)) {
        Translation sent = translation(MESSAGES, target, each.replace('\'', '"'));

        Request read = target.read(JsonValue.of(new String(sent.body(), UTF_8)), new Dropped());
        assertThat(read.tools()).extracting(Tool::name).containsExactly("kept");
      }
    }
  }

  /** In a call of Messages they are no text, and may not make it too deep to be read. */
  @Test
  void argumentsThatWouldMakeTheCallTooDeepAreKeptAsText() throws Exception {
    for (int levels : new int[] {400, 495, 496, 500, 501}) {
      String arguments = "{\"a\":" + "[".repeat(levels - 1) + "]".repeat(levels - 1) + "}";
      String call =
          "{\"model\":\"m\",\"messages\":[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\","
              + "\"function\":{\"name\":\"f\",\"arguments\":"
              + JsonWriter.quote(arguments)
              + "}}]},{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"r\"}]}";

      JsonValue sent = JsonValue.parse(translation(CHAT, MESSAGES, call).body());

      JsonValue message =
          sent.at("messages").items().stream()
              .filter(each -> each.text("role").equals("assistant"))
              .findFirst()
              .orElseThrow();
      JsonValue input = message.at("content").items().get(0).at("input");
      assertThat(input.get("a") != null).isEqualTo(levels <= 495);
      assertThat(input.text("arguments")).isEqualTo(levels <= 495 ? "" : arguments);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "web_search_20260318",
        "web_fetch_20250910",
        "code_execution_20250825",
        "advisor_20260301",
        "tool_search_tool_regex_20251119",
        "tool_search_tool_bm25",
        "mcp_toolset"
      })
  void thatAnthropicRunsAreNamed(String type) throws Exception {
    String tools =
        "'tools':[{'type':'%s','name':'n'}],'mcp_servers':[{'name':'s'}]".formatted(type);
    for (Translator target : List.of(CHAT, RESPONSES)) {
      Translation sent = translated(MESSAGES, target, tools);
      assertNamed(sent, type);
      assertThat(sent.dropped().names()).contains("mcp_servers");
      assertThatThrownBy(
              () -> translated(MESSAGES, target, tools + ",'tool_choice':{'type':'any'}"))
          .hasMessageContaining("tool_choice");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "web_search",
        "web_search_preview",
        "file_search",
        "code_interpreter",
        "mcp",
        "image_generation",
        "computer_use_preview",
        "computer",
        "tool_search"
      })
  void thatOpenAiRunsAreNamed(String type) throws Exception {
    String tools = "'tools':[{'type':'%s','server_label':'s'}]".formatted(type);
    for (Translator caller : List.of(RESPONSES, CHAT)) {
      for (Translator target : List.of(CHAT, MESSAGES, RESPONSES)) {
        if (target != caller) {
          assertNamed(translated(caller, target, tools), type);
          String both =
              tools.replace("]", ",{'type':'function','function':{'name':'f'},'name':'f'}]");
          String choice = ",'tool_choice':{'type':'" + type + "'}";
          for (String demand : List.of(tools + ",'tool_choice':'required'", both + choice)) {
            assertThatThrownBy(() -> translated(caller, target, demand))
                .hasMessageContaining("tool_choice");
          }
        }
      }
    }
  }

  private static void assertNamed(Translation sent, String type) {
    String name = type.split("_20", 2)[0];
    assertThat(sent.dropped().names()).contains("tools." + name);
    assertThat(new String(sent.body(), UTF_8)).doesNotContain(name);
  }

  private static Translation translated(Translator caller, Translator target, String members)
      throws Exception {
    String call =
        caller == RESPONSES
            ? "{'model':'m','input':'Q',"
            : "{'model':'m','max_tokens':9,'messages':[{'role':'user','content':'Q'}],";
    return translation(caller, target, (call + members + "}").replace('\'', '"'));
  }

  private static Translation translation(Translator caller, Translator target, String call)
      throws Exception {
    Terms terms = new Terms(Calls.model("up"), "maker", 100_000, "max_tokens", false, "key");
    return Translation.of(
        caller,
        target,
        call.getBytes(UTF_8),
        () -> call.getBytes(UTF_8),
        terms,
        null,
        () -> 1,
        String::length);
  }

  private static String path(Translator target) {
    return target == CHAT ? "/chat/completions" : "/responses";
  }

  private static JsonValue json(String text) {
    return JsonValue.of(text.replace('\'', '"'));
  }
}
