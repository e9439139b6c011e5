package io.memorygateway.format.call;

import static io.memorygateway.format.Calls.render;
import static io.memorygateway.format.Calls.stored;
import static io.memorygateway.format.Calls.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Format;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Contract §7: a call goes up with a name and an object of arguments, whatever a model gave in
 * their place; providers refuse any other, and with it every later call of the thread.
 */
class WholeCallsTest {
  private static final Format CHAT = new ChatFormat();
  private static final Format MESSAGES = new MessagesFormat();
  private static final Format RESPONSES = new ResponsesFormat();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "'name':'f','arguments':'{}'|'name':'f','arguments':'{}'",
        "'name':'','arguments':'{}'|'name':'unknown_tool','arguments':'{}'",
        "'name':null,'arguments':'{}'|'name':'unknown_tool','arguments':'{}'",
        "'arguments':'{}'|'name':'unknown_tool','arguments':'{}'",
        "'name':'f'|'arguments':'{}','name':'f'",
        "'name':'f','arguments':null|'name':'f','arguments':'{}'",
        "'name':'f','arguments':{}|'name':'f','arguments':'{}'",
        "'name':'f','arguments':'{}','name':''|'name':'unknown_tool','arguments':'{}'",
        "'name':'f','arguments':7|'name':'f','arguments':'{\\'arguments\\':7}'",
        "'name':7,'arguments':'x'|'name':'unknown_tool','arguments':'{\\'arguments\\':\\'x\\'}'",
      })
  void ofChatAndResponses(String given, String goesUp) {
    assertThat(
            render(
                CHAT,
                stored(
                    "assistant",
                    "{'content':null,'tool_calls':[{'id':'c','type':'function','function':{"
                        + given
                        + "}}]}"),
                stored("tool", "{'tool_call_id':'c','content':'r'}")))
        .contains("'function':{" + goesUp + "}}]}");
    assertThat(
            render(
                RESPONSES,
                stored(
                    "assistant", "{'type':'function_call','id':'i','call_id':'c'," + given + "}"),
                stored("tool", "{'type':'function_call_output','call_id':'c','output':'r'}")))
        .contains(goesUp.split(",", -1)[0])
        .contains(goesUp.split(",", -1)[1]);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "'name':'f','input':{}|'name':'f','input':{}",
        "'name':'','input':{}|'name':'unknown_tool','input':{}",
        "'input':{}|'name':'unknown_tool','type':'tool_use','id':'t','input':{}",
        "'name':'f','input':null|'name':'f','input':{}",
        "'name':'f','input':[1]|'name':'f','input':{'arguments':[1]}",
        "'name':'f','input':'{'|'name':'f','input':{'arguments':'{'}",
        "'name':'f'|'input':{},'type':'tool_use','id':'t','name':'f'",
      })
  void ofMessages(String given, String goesUp) {
    assertThat(
            render(
                MESSAGES,
                stored("assistant", "[{'type':'tool_use','id':'t'," + given + "}]"),
                stored("user", "[{'type':'tool_result','tool_use_id':'t','content':'r'}]")))
        .contains(goesUp + "}");
  }

  /** As servers write them that leave out what they take for granted. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "'function':{'name':'f','arguments':'{}'}|'type':'function','id':'c','function':{'name':'f','arguments':'{}'}",
        "'type':null,'function':{'name':'f','arguments':'{}'}|"
            + "'id':'c','type':'function','function':{'name':'f','arguments':'{}'}",
        "'type':'','function':{'name':'f','arguments':'{}'}|"
            + "'id':'c','type':'function','function':{'name':'f','arguments':'{}'}",
        "'custom':{'name':'f','input':'x'}|'type':'custom','id':'c','custom':{'name':'f','input':'x'}",
        "'type':'function','name':'f','arguments':'{}'|"
            + "'function':{'name':'f','arguments':'{}'},'id':'c','type':'function'",
        "'type':'function'|"
            + "'function':{'arguments':'{}','name':'unknown_tool'},'id':'c','type':'function'",
      })
  void ofChatWithoutWhatItsEndpointDemands(String given, String goesUp) {
    StoredMessage call =
        stored("assistant", "{'content':null,'tool_calls':[{'id':'c'," + given + "}]}");
    StoredMessage result = stored("tool", "{'tool_call_id':'c','content':'r'}");
    assertThat(render(CHAT, call, result)).contains("[{" + goesUp);
    if (!given.equals("'type':'function'")) {
      assertThat(render(MESSAGES, call, result)).contains("'id':'c','name':'f','input':");
    }
  }

  @Test
  void aCallThatLeavesOutItsIdGetsOneAsOneOfAnEmptyIdDoes() {
    for (String id : List.of("", "'$':'',")) {
      assertThat(
              render(
                  CHAT,
                  stored(
                      "assistant",
                      "{'content':null,'tool_calls':[{"
                          + id.replace("$", "id")
                          + "'type':'function','function':{'name':'f','arguments':'{}'}}]}"),
                  stored("tool", "{'tool_call_id':null,'content':'r'}")))
          .contains("'id':'call_cbf29ce484222325'", "'tool_call_id':'call_cbf29ce484222325'");
      assertThat(
              render(
                  MESSAGES,
                  stored(
                      "assistant",
                      "[{'type':'tool_use'," + id.replace("$", "id") + "'name':'f','input':{}}]"),
                  stored("user", "[{'type':'tool_result','content':'r'}]")))
          .contains("'id':'call_cbf29ce484222325'", "'tool_use_id':'call_cbf29ce484222325'");
      assertThat(
              render(
                  RESPONSES,
                  stored(
                      "assistant",
                      "{'type':'function_call',"
                          + id.replace("$", "call_id")
                          + "'name':'f','arguments':'{}'}"),
                  stored("tool", "{'type':'function_call_output','output':'r'}")))
          .containsPattern(
              "'call_id':'call_cbf29ce484222325'.*'call_id':'call_cbf29ce484222325'.*'output':'r'|"
                  + "'call_id':'call_cbf29ce484222325'.*'output':'r'.*'call_id':'call_cbf29ce484222325'");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"'name':'',", "'name':' ',", "'name':null,", ""})
  void ofOtherFormats(String name) {
    String use = "[{'type':'tool_use','id':'t'," + name + "'input':{}}]";
    assertThat(render(CHAT, stored("assistant", use))).contains("'name':'unknown_tool'");
    assertThat(render(RESPONSES, stored("assistant", use))).contains("'name':'unknown_tool'");
    String call = "{'type':'function_call','call_id':'c'," + name + "'arguments':'{}'}";
    assertThat(render(MESSAGES, stored("assistant", call))).contains("'name':'unknown_tool'");
  }

  /** Calls of {@code $} and their results, as each of the endpoints stores them. */
  private static final List<List<StoredMessage>> CALLS =
      List.of(
          List.of(
              stored(
                  "assistant",
                  "{'content':'t','tool_calls':[{'id':'c','type':'function','function':{'name':'$','arguments':'{}'}},"
                      + "{'id':'d','type':'custom','custom':{'name':'$','input':'x'}}]}"),
              stored("tool", "{'tool_call_id':'c','content':'r'}"),
              stored("tool", "{'tool_call_id':'d','content':'r'}")),
          List.of(
              stored("assistant", "[{'type':'tool_use','id':'c','name':'$','input':{}}]"),
              stored("user", "[{'type':'tool_result','tool_use_id':'c','content':'r'}]")),
          List.of(
              stored(
                  "assistant",
                  "{'type':'function_call','call_id':'c','name':'$','arguments':'{}'}"),
              stored("tool", "{'type':'function_call_output','call_id':'c','output':'r'}"),
              stored(
                  "assistant", "{'type':'custom_tool_call','call_id':'d','name':'$','input':'x'}"),
              stored("tool", "{'type':'custom_tool_call_output','call_id':'d','output':'r'}")));

  /** A declaration of {@code $} in the words of each format. */
  private static final Map<Format, String> TOOLS =
      Map.of(
          CHAT,
          "{'type':'function','function':{'name':'$'}}",
          MESSAGES,
          "{'name':'$','input_schema':{'type':'object'}}",
          RESPONSES,
          "{'type':'namespace','name':'n','tools':[{'type':'function','name':'$'}]}");

  static Stream<Arguments> pairs() {
    return TOOLS.keySet().stream()
        .flatMap(format -> CALLS.stream().map(calls -> Arguments.of(format, calls)));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void aNameThatProvidersRefuseGoesUpInAFormThatTheyTake(Format format, List<StoredMessage> calls) {
    for (String name :
        List.of("a b", "functions.read", "x<|channel|>y", "f\u00fc", "y".repeat(300))) {
      Set<String> sent = sent(format, "other", calls, name);
      assertThat(sent).hasSize(1).allMatch(one -> one.matches("[a-zA-Z0-9_-]{1,128}"));
      assertThat(format.equals(MESSAGES) || sent.iterator().next().length() <= 64).isTrue();
    }
    assertThat(sent(format, "other", calls, "a b"))
        .isNotEqualTo(sent(format, "other", calls, "a.b"));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void aNameThatTheyTakeOrThatTheCallDeclaresGoesUpAsItIs(
      Format format, List<StoredMessage> calls) {
    for (String name : List.of("read_file-2", "functions.read", "y".repeat(300))) {
      assertThat(sent(format, name, calls, name)).containsExactly(name);
    }
    assertThat(sent(format, "other", calls, "read_file-2")).containsExactly("read_file-2");
  }

  @Test
  void theCallersOwnNewMessagesGoUpAsTheyAre() {
    assertThat(
            write(
                CHAT,
                "{'model':'m','messages':[{'role':'assistant','content':null,'tool_calls':[{'id':'c',"
                    + "'type':'function','function':{'name':'a b','arguments':'{}'}}]}]}",
                null,
                List.of(stored("user", "'q'")),
                0))
        .contains("'name':'a b'");
  }

  /** The names under which a stored call goes up. */
  private static Set<String> sent(
      Format format, String declared, List<StoredMessage> calls, String name) {
    List<StoredMessage> named =
        calls.stream()
            .map(call -> StoredMessage.of(call.role(), call.content().replace("$", name)))
            .toList();
    String tools = "'tools':[" + TOOLS.get(format).replace("$", declared) + "],";
    String member = format.equals(RESPONSES) ? "input" : "messages";
    String body = "{'model':'m'," + tools + "'" + member + "':[{'role':'user','content':'next'}]}";
    String upstream = write(format, body, null, named, 0).replace(tools, "");
    return Pattern.compile("'name':'([^']*)'")
        .matcher(upstream)
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toSet());
  }
}
