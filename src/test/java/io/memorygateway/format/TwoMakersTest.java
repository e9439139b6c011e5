package io.memorygateway.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MemoryContext;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Contract §7: a thread at two providers of one endpoint, of which one wants more back. */
class TwoMakersTest {
  private static final String REASONED =
      "{'content':null,'reasoning_content':'tht','refusal':null,'tool_calls':[{'id':'c','type':"
          + "'function','function':{'name':'f','arguments':'{}'},'extra_content':{'s':'sig'}}]}";

  private final Format chat = new ChatFormat();
  private final Format messages = new MessagesFormat();
  private final Format responses = new ResponsesFormat();

  @Test
  void reasoningOfChatGoesToTheMakerThatWantsItBack() {
    List<StoredMessage> thread =
        List.of(
            Calls.stored("user", "'a'"),
            Calls.stored("assistant", REASONED),
            Calls.stored("tool", "{'tool_call_id':'c','content':'x'}"));

    String own = upstream(chat, Calls.model("m"), thread);
    String other = upstream(chat, Calls.strict("m"), thread);

    assertThat(own).contains("tht", "sig").doesNotContain("refusal");
    assertThat(faults(new ChatRequestChecker(Set.of("reasoning_content", "extra_content")), own))
        .isEmpty();
    assertThat(faults(new ChatRequestChecker(), other)).isEmpty();
  }

  @Test
  void unsignedThoughtsGoToTheMakerThatWantsThemBack() {
    List<StoredMessage> thread =
        List.of(
            Calls.stored("user", "'a'"),
            Calls.stored(
                "assistant",
                "[{'type':'thinking','thinking':'tht','signature':''},"
                    + "{'type':'tool_use','id':'c','name':'f','input':{}}]"),
            Calls.stored("user", "[{'type':'tool_result','tool_use_id':'c','content':'x'}]"));

    String own = upstream(messages, Calls.model("m"), thread);
    String other = upstream(messages, Calls.strict("m"), thread);

    assertThat(own).contains("tht");
    assertThat(faults(new MessagesRequestChecker(Set.of("thinking")), own)).isEmpty();
    assertThat(other).doesNotContain("tht").contains("tool_use");
    assertThat(faults(new MessagesRequestChecker(), other)).isEmpty();
  }

  @Test
  void reasoningThatIsNotEncryptedGoesToTheMakerThatWantsItBack() {
    List<StoredMessage> thread =
        List.of(
            Calls.stored("user", "'a'"),
            Calls.stored(
                "assistant",
                "{'type':'reasoning','id':'rs','summary':[],'content':["
                    + "{'type':'reasoning_text','text':'tht'}]}"),
            Calls.stored(
                "assistant",
                "{'type':'function_call','id':'fc','call_id':'c','name':'f','arguments':'{}'}"),
            Calls.stored("tool", "{'type':'function_call_output','call_id':'c','output':'x'}"));

    String own = upstream(responses, Calls.model("m"), thread);
    String other = upstream(responses, Calls.strict("m"), thread);

    assertThat(own).contains("tht", "\"fc\"");
    assertThat(other).doesNotContain("tht", "\"fc\"").contains("function_call");
    byte[] refused = Answers.bytes(own);
    assertThat(Answers.text(responses.without(Calls.strict("m").traits(), refused))).isEqualTo(own);
    assertThat(Answers.text(responses.without(Calls.model("m").traits(), refused)))
        .isEqualTo(other);
  }

  private static String upstream(Format format, UpstreamModel model, List<StoredMessage> thread) {
    String tools = "'max_tokens':9,'tools':[{'name':'f'}],";
    String list = format instanceof ResponsesFormat ? "'store':false,'input'" : "'messages'";
    String body = "{'model':'m'," + tools + list + ":[{'role':'user','content':'b'}]}";
    Conversation.Aligned call = Calls.read(format, body).align(Talk.forms(thread), List.of());
    return Answers.text(format.write(call.fresh(), model, new MemoryContext(null, thread)));
  }

  private static List<String> faults(RequestChecker checker, String up) {
    return checker.faults(up);
  }
}
