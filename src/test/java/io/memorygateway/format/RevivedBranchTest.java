package io.memorygateway.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MemoryContext;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Contract §7: what goes up of a branch that another window has left is what a provider takes. */
class RevivedBranchTest {
  private static final String BEGINNING =
      "{'role':'user','content':'hi'},{'role':'assistant','content':'ho'},";
  private static final String QUESTION = "{'role':'user','content':'one'}";
  private static final String NEXT = "{'role':'user','content':'two'}";
  private static final String THOUGHT =
      "{'id':'rs_1','type':'reasoning','summary':[],'encrypted_content':'enc'}";
  private static final String SEARCH =
      "{'id':'ws_1','type':'web_search_call','status':'completed','action':{'type':'search'}}";
  private static final String CALL =
      "{'id':'fc_1','type':'function_call','call_id':'c1','name':'f','arguments':'{}'}";
  private static final String RESULT =
      "{'type':'function_call_output','call_id':'c1','output':'res'}";
  private static final String ANSWER = answer("msg_1", "ans");

  private final Format format = Wire.RESPONSES.format();
  private final BranchedThread thread = new BranchedThread();

  private static String answer(String id, String text) {
    return "{'id':'%s','type':'message','role':'assistant','content':[{'type':'output_text','text':'%s'}]}"
        .formatted(id, text);
  }

  /** Sends a call behind the beginning; returns what goes up, with single quotes. */
  private String send(String items, String... answer) {
    Conversation call =
        Calls.read(format, "{'store':false,'model':'m','input':[" + BEGINNING + items + "]}");
    Conversation.Aligned aligned = thread.align(call);
    MemoryContext context =
        new MemoryContext(null, thread.live().subList(0, aligned.alignment().storedTo()));
    byte[] up = format.write(aligned.fresh(), Calls.model("m"), context);
    thread.store(aligned, Stream.of(answer).map(item -> Calls.stored("assistant", item)).toList());
    return Answers.text(up).replace('"', '\'');
  }

  private static void isTaken(String up) {
    Map<String, String> reasoningOf = Map.of("fc_1", "rs_1", "ws_1", "rs_1", "msg_1", "rs_1");

    assertThat(new ResponsesRequestChecker(reasoningOf, Set.of()).faults(Calls.json(up))).isEmpty();
  }

  private void leave() {
    send("{'role':'user','content':'other'}", answer("msg_9", "other"));
  }

  @Test
  void itemsWhoseReasoningTheClientLeavesOutGoUpWithoutTheirIds() {
    send(QUESTION, THOUGHT, CALL);
    leave();

    String up = send(QUESTION + "," + CALL + "," + RESULT);

    assertThat(up).contains("'call_id':'c1'", "'output':'res'").doesNotContain("other");
    isTaken(up);
  }

  @Test
  void whatTheProvidersToolDidIsLeftOutWithItsReasoning() {
    send(QUESTION, THOUGHT, SEARCH, ANSWER);
    leave();

    String up = send(QUESTION + "," + SEARCH + "," + ANSWER + "," + NEXT);

    assertThat(up).contains("ans", "two").doesNotContain("web_search", "other");
    isTaken(up);
  }

  @Test
  void whatTheProvidersToolDidGoesUpIfThereWasNoReasoning() {
    send(QUESTION, SEARCH, ANSWER);
    leave();

    assertThat(send(QUESTION + "," + SEARCH + "," + ANSWER + "," + NEXT)).contains("ws_1", "msg_1");
  }

  @Test
  void reasoningGoesUpWithWhatFollowsFromIt() {
    send(QUESTION, THOUGHT, SEARCH, ANSWER);
    leave();
    String items = String.join(",", QUESTION, THOUGHT, SEARCH, ANSWER, NEXT);

    String up = send(items);

    assertThat(up).contains("rs_1", "ws_1", "msg_1");
    isTaken(up);
  }

  @Test
  void aResultWithoutItsCallDoesNotGoUp() {
    send(QUESTION, CALL);
    String answer = answer("msg_2", "ans");
    send(QUESTION + "," + CALL + "," + RESULT, answer);
    leave();

    String up = send(QUESTION + "," + RESULT + "," + answer + "," + NEXT);

    assertThat(up).contains("one", "ans", "two").doesNotContain("res", "other");
    isTaken(up);
  }
}
