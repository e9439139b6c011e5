package io.memorygateway.format.call;

import static io.memorygateway.format.Calls.render;
import static io.memorygateway.format.Calls.stored;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Format;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

  @ParameterizedTest
  @ValueSource(strings = {"'name':'',", "'name':' ',", "'name':null,", ""})
  void ofOtherFormats(String name) {
    String use = "[{'type':'tool_use','id':'t'," + name + "'input':{}}]";
    assertThat(render(CHAT, stored("assistant", use))).contains("'name':'unknown_tool'");
    assertThat(render(RESPONSES, stored("assistant", use))).contains("'name':'unknown_tool'");
    String call = "{'type':'function_call','call_id':'c'," + name + "'arguments':'{}'}";
    assertThat(render(MESSAGES, stored("assistant", call))).contains("'name':'unknown_tool'");
  }
}
