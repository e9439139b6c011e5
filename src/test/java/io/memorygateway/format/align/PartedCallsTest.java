package io.memorygateway.format.align;

import static io.memorygateway.format.Calls.json;
import static io.memorygateway.format.Talk.forms;
import static io.memorygateway.format.Talk.talk;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Answers;
import io.memorygateway.format.Calls;
import io.memorygateway.format.Format;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MemoryContext;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.content.StoredMessage;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls made together come back one by one, each with its result. */
class PartedCallsTest {
  private final Format chat = new ChatFormat();

  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:a c:1 r:1=x c:2 r:2=y         |u:a c:1 c:2         |0 1 3 2 4  |two",
        "c:1 r:1=x c:2 r:2=y c:3 r:3=z   |u:a c:1 c:2 c:3     |0 2 4 1 3 5|three, in a window",
        "u:a c:1 r:1=x a:b c:2 r:2=y     |u:a c:1 a:b c:2     |0 1 3 4 2 5|words between them",
        "u:a c:1 r:1=x c:2 r:2=y u:b     |u:a c:1 c:2         |0 1 3 2 4 5|and the next question",
        "u:a c:1 c:2 r:1=x r:2=y         |u:a c:1 c:2         |''         |together",
        "u:a c:1 r:1=x c:2 r:2=y         |u:a c:1 r:1=x c:2   |''         |one after the other",
        "u:a c:1 r:1=x c:2 r:2=y         |u:a c:1             |''         |a step that went around"
            + " us",
        "u:a c:1 r:1=x u:b c:2 r:2=y     |u:a c:1 u:b c:2     |''         |of two questions",
        "u:a c:1 r:1=x c:2 r:2=y         |u:a                 |''         |a thread without them",
      })
  void resultsGoBehindTheLastOfThem(String call, String thread, String order, String why) {
    assertThat(PartedCalls.order(forms(talk(call)), forms(talk(thread))).toString())
        .as(why)
        .isEqualTo("[" + order.replace(" ", ", ") + "]");
  }

  @Test
  void noResultIsLost() {
    String call = "{'id':'%s','type':'function','function':{'name':'f','arguments':'{}'}}";
    String calls = "{'role':'assistant','content':null,'tool_calls':[%s]}";
    String result = ",{'role':'tool','tool_call_id':'%1$s','content':'of %1$s'}";
    String one = call.formatted("c1");
    String two = call.formatted("c2");
    String question = "{'role':'user','content':'go'},";
    String system = "{'role':'system','content':'s'}";
    String together = calls.formatted(one + "," + two);
    String parted =
        question
            + calls.formatted(one)
            + result.formatted("c1")
            + ("," + system + ",")
            + calls.formatted(two)
            + result.formatted("c2");
    List<StoredMessage> thread = read(question + together).messages();

    Conversation.Aligned aligned = read(parted).align(forms(thread), List.of());
    byte[] up = chat.write(aligned.fresh(), Calls.model("m"), new MemoryContext(null, thread));

    assertThat(aligned.asked()).hasSize(2);
    String onlyNew = parted.substring(parted.indexOf("{'role':'tool'"));
    assertThat(read(onlyNew).align(forms(thread), List.of()).asked()).hasSize(2);
    assertThat(Answers.text(up))
        .contains(
            json(question + system + "," + together)
                + json(result.formatted("c1") + result.formatted("c2") + "]"));
  }

  private Conversation read(String messages) {
    return Calls.read(chat, "{'model':'m','messages':[" + messages + "]}");
  }
}
