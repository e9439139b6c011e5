package io.memorygateway.format.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Answers;
import io.memorygateway.format.Calls;
import io.memorygateway.format.Format;
import io.memorygateway.format.Talk;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.content.StoredMessage;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where recalled messages go: a user message directly before what the caller asks. */
class RecallPlaceTest {
  private static final String HISTORY =
      "{'role':'user','content':'a'},{'role':'assistant','content':'b'},";

  @Test
  void beforeTheCallersNewMessages() {
    assertThat(upstream("u:a a:b u:c", "u:a a:b"))
        .isEqualTo(HISTORY + "{'role':'user','content':'recalled'},{'role':'user','content':'c'}");
  }

  @Test
  void beforeTheUsersLastWordsIfTheirAnswerIsRequestedAgain() {
    assertThat(upstream("u:a a:b u:c u:d", "u:a a:b u:c u:d"))
        .isEqualTo(
            HISTORY
                + "{'role':'user','content':'recalled'},"
                + "{'role':'user','content':'c'},{'role':'user','content':'d'}");
    assertThat(upstream("u:c", "u:c"))
        .isEqualTo("{'role':'user','content':'recalled'},{'role':'user','content':'c'}");
  }

  @Test
  void behindWordsThatTheCallerHasCachedAndMarksOfOldOnesAreLeftOut() {
    String marked =
        "{'role':'user','content':[{'type':'text','text':'%s','cache_control':{'type':'ephemeral'}}]}";
    Format chat = new ChatFormat();
    StoredMessage old =
        Calls.read(chat, "{'model':'m','messages':[" + marked.formatted("a") + "]}")
            .messages()
            .get(0);
    Conversation call =
        Calls.read(chat, "{'model':'m','messages':[" + marked.formatted("c") + "]}");
    List<StoredMessage> stored = List.of(old, Talk.answer("b"));
    MemoryContext context = new MemoryContext(null, 0, 0, stored, "recalled");
    assertThat(Answers.text(chat.write(call, Calls.model("m"), context)).replace('"', '\''))
        .isEqualTo(
            "{'model':'m','messages':[{'role':'user','content':[{'type':'text','text':'a'}]},"
                + "{'role':'assistant','content':'b'},"
                + marked.formatted("c")
                + ",{'role':'user','content':'recalled'}]}");
  }

  @Test
  void neverBetweenACallAndItsResult() {
    assertThat(upstream("u:a c:1 r:1=x", "u:a c:1 r:1=x"))
        .containsSubsequence("'tool_calls'", "'tool_call_id':'1'", "'recalled'");
  }

  /** What a call over Chat sends up of its thread, with single quotes. */
  private static String upstream(String words, String thread) {
    Format chat = new ChatFormat();
    List<StoredMessage> stored = Talk.talk(thread);
    StringBuilder messages = new StringBuilder();
    for (StoredMessage message : Talk.talk(words)) {
      String content = message.content();
      messages
          .append(messages.isEmpty() ? "" : ",")
          .append("{\"role\":\"" + message.role() + "\",")
          .append(content.startsWith("{") ? content.substring(1) : "\"content\":" + content + "}");
    }
    Conversation call = Calls.read(chat, "{'model':'m','messages':[" + messages + "]}");
    Conversation.Aligned aligned = call.align(Talk.forms(stored), List.of());
    MemoryContext context = new MemoryContext(null, 0, 0, stored, "recalled");
    String body =
        Answers.text(chat.write(aligned.fresh(), Calls.model("m"), context)).replace('"', '\'');
    String before = "{'model':'m','messages':[";
    assertThat(body).startsWith(before).endsWith("]}");
    return body.substring(before.length(), body.length() - 2);
  }
}
