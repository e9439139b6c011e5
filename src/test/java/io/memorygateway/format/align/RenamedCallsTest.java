package io.memorygateway.format.align;

import static io.memorygateway.format.Calls.json;
import static io.memorygateway.format.Talk.forms;
import static io.memorygateway.format.Talk.talk;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Answers;
import io.memorygateway.format.Calls;
import io.memorygateway.format.Format;
import io.memorygateway.format.Talk;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MemoryContext;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** An echo of a call is told by its place, its name and its arguments. */
class RenamedCallsTest {
  enum Endpoint {
    CHAT(
        new ChatFormat(),
        "messages",
        "{'role':'assistant','content':null,'tool_calls':[{'id':'%s','type':'function','function':{'name':'f','arguments':'{}'}}]}",
        "{'role':'tool','tool_call_id':'%s','content':'x'}"),
    MESSAGES(
        new MessagesFormat(),
        "messages",
        "{'role':'assistant','content':[{'type':'tool_use','id':'%s','name':'f','input':{}}]}",
        "{'role':'user','content':[{'type':'tool_result','tool_use_id':'%s','content':'x'}]}"),
    RESPONSES(
        new ResponsesFormat(),
        "input",
        "{'type':'function_call','call_id':'%s','name':'f','arguments':'{}'}",
        "{'type':'function_call_output','call_id':'%s','output':'x'}");

    @SuppressWarnings("ImmutableEnumChecker") // formats are stateless
    private final Format format;

    private final String member;
    private final String call;
    private final String result;

    Endpoint(Format format, String member, String call, String result) {
      this.format = format;
      this.member = member;
      this.call = call;
      this.result = result;
    }

    private String list(String id, boolean answered) {
      String question = "{'role':'user','content':'go'},";
      return json(question + call.formatted(id) + (answered ? "," + result.formatted(id) : ""));
    }

    private Conversation read(String id, boolean answered) {
      String start = json("{'model':'m','tools':[{}],'" + member + "':[");
      return Calls.read(format, start + list(id, answered) + "]}");
    }
  }

  @ParameterizedTest
  @EnumSource
  void theResultIsStoredAndSentUnderTheThreadsId(Endpoint endpoint) {
    List<StoredMessage> thread = endpoint.read("of_thread", false).messages();
    Conversation.Aligned aligned = endpoint.read("of_client", true).align(forms(thread), List.of());
    byte[] up =
        endpoint.format.write(aligned.fresh(), Calls.model("m"), new MemoryContext(null, thread));

    assertThat(aligned.fresh().messages())
        .isEqualTo(endpoint.read("of_thread", true).messages().subList(2, 3));
    assertThat(Answers.text(up)).contains("[" + endpoint.list("of_thread", true) + "]");
  }

  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:a c:x r:x=1              |u:a c:1                   |x=1    |the last call",
        "u:a c:x r:x=1 c:y r:y=2    |u:a c:1 r:1=1 c:2         |x=1 y=2|one after the other",
        "c:y r:y=2                  |u:a c:1 r:1=1 c:2         |y=2    |a window",
        "u:b c:y r:y=2              |u:a c:1 r:1=1 a:c u:b c:2 |y=2    |the same call of a later"
            + " turn",
        "u:a c:1 r:1=1              |u:a c:1                   |''     |its own id",
        "u:b c:x r:x=1              |u:a c:1 r:1=1 a:c         |''     |a turn that went around us",
        "u:a c:1 r:1=1 c:x r:x=2    |u:a c:1 r:1=1             |''     |a step that went around us",
        "u:a c:1 r:1=1 c:x r:x=2    |u:a c:1 r:1=1 c:1         |x=1    |an id that the model gives"
            + " again",
        "u:a c:x r:x=1 c:y r:y=2    |u:a c:1 r:1=1 c:1         |x=1 y=1|under other ids both times",
        "u:a c:1 r:1=1 c:1 c:x r:x=2|u:a c:1 r:1=1 c:1         |''     |as often as the model gave"
            + " it",
        "u:b c:x r:x=1              |u:a c:1                   |x=1    |the user's words are"
            + " altered",
        "u:b c:x r:x=1 u:c          |u:a c:1                   |x=1    |and the user goes on",
        "p:a c:x r:x=1              |p:a+b c:1                 |x=1    |a reminder is gone",
        "u:b c:x r:x=1 c:y r:y=2    |u:a c:1 r:1=1 c:2         |x=1 y=2|before two steps",
        "u:b c:x r:x=1 a:c u:d c:y r:y=2|u:a c:1 r:1=1 a:c u:d c:2|x=1 y=2|in the turn before",
        "u:b c:x r:x=1 c:2 r:2=2    |u:a c:1 r:1=1 c:2         |x=1    |before one with its own id",
        "u:b b:+x+y r:x=1 r:y=2     |u:a b:+1+2                |x=1 y=2|before two calls of one"
            + " answer",
        "u:a u:b                    |u:a c:1                   |''     |no call",
        "u:a c:x r:x=1              |u:a c:                    |x=     |a call without an id",
        "u:a c: r:=1                |u:a c:1                   |''     |an echo without an id",
      })
  void areToldByTheirPlace(String call, String thread, String expected, String why) {
    assertThat(RenamedCalls.of(forms(talk(call)), forms(talk(thread)), List.of()).toString())
        .as(why)
        .isEqualTo("{" + expected.replace(" ", ", ") + "}");
  }

  /** As of a client that has them in the order in which they ended. */
  @Test
  void callsOfOneAnswerMayComeInAnyOrder() {
    StoredMessage thread =
        Calls.stored(
            "assistant",
            "{'content':null,'tool_calls':[%s,%s]}".formatted(call("1", "f"), call("2", "g")));
    StoredMessage client =
        Calls.stored(
            "assistant",
            "{'content':null,'tool_calls':[%s,%s]}".formatted(call("y", "g"), call("x", "f")));

    assertThat(RenamedCalls.of(forms(List.of(client)), forms(List.of(thread)), List.of()))
        .containsExactlyInAnyOrderEntriesOf(Map.of("x", "1", "y", "2"));
  }

  private static String call(String id, String name) {
    return "{'id':'%s','type':'function','function':{'name':'%s','arguments':'{}'}}"
        .formatted(id, name);
  }

  @Test
  void aVeryLongIdIsNotReplaced() {
    String id = "x".repeat(200);

    assertThat(RenamedCalls.of(forms(talk("u:a c:" + id)), forms(talk("u:a c:1")), List.of()))
        .isEmpty();
  }

  /** Of clients that send only what is new. */
  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "r:9=x          |u:a c:1            |{9=1}",
        "r:8=x r:9=y u:b|u:a b:look+1 c:2   |{}",
        "r:fc_b=x r:fc_a=y|u:a b:look+fc-a+fc-b|{fc_a=fc-a, fc_b=fc-b}",
        "r:a1=x r:b1=y  |u:a b:look+call_a1+call_b1|{a1=call_a1, b1=call_b1}",
        "r:call_a_fc_x=x|u:a b:look+call_a+call_b|{call_a_fc_x=call_a}",
        "r:a=x r:b=y    |u:a b:look+a1+a2   |{}",
        "r:--=x r:9=y   |u:a b:look+1+2     |{}",
        "r:9=x          |u:a c:1 a:b        |{}",
        "r:2=y r:9=x    |u:a c:1 c:2        |{9=1}",
        "r:9=y          |u:a c:1 r:1=x c:2  |{9=2}",
        "r:9=x          |u:a c:1 c:2        |{}",
        "r:9=x          |u:a c:1 r:1=x      |{}",
        "r:9=x          |u:a c:1 u:b        |{}",
        "r:1=x          |u:a c:1            |{}",
      })
  void resultsWithoutTheirCallsAreThoseOfTheLastOnes(String call, String stored, String ids) {
    assertThat(new TreeMap<>(RenamedCalls.of(forms(talk(call)), forms(talk(stored)), List.of())))
        .hasToString(ids);
  }

  @Test
  void aCallThatWasLeftGetsNoResult() {
    List<Left> left = List.of(new Left(NormalForm.of(Talk.call("2")), 2));

    assertThat(RenamedCalls.of(forms(talk("r:9=x")), forms(talk("u:a c:1")), left))
        .hasToString("{9=1}");
  }
}
