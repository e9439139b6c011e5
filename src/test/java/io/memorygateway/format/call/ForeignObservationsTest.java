package io.memorygateway.format.call;

import static io.memorygateway.format.Calls.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Talk;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A call whose system prompt holds Mastra's observations is not given ours a second time. */
class ForeignObservationsTest {
  private static final String THREAD =
      "The following observations block contains your memory of earlier parts of this current conversation."
          + " Everything recorded here (including IDs, artifacts, and tool results) came from this"
          + " conversation and is available for you to reuse.\\n\\n"
          + "<observations>\\nDate: Nov 20, 2026\\n* 🔴 (09:30) User likes tea\\n</observations>\\n\\n"
          + "IMPORTANT: When responding, reference specific details from these observations.";
  private static final String RESOURCE =
      "Be brief.\\n\\nThe following observations block contains your memory of past conversations with this"
          + " user.\\n\\n<observations>\\n<thread id='x'>\\n* tea\\n</thread>\\n</observations>";

  @ParameterizedTest
  @ValueSource(strings = {THREAD, RESOURCE})
  void ofAnyPlaceOfASystemPrompt(String prompt) {
    String text = prompt.replace("'", "");
    List<StoredMessage> stored = List.of(Talk.user("a"), Talk.answer("b"));
    String user = "{'role':'user','content':'c'}";

    assertThat(
            List.of(
                write(
                    new ChatFormat(),
                    "{'model':'m','messages':[{'role':'system','content':'s'},"
                        + "{'role':'system','content':'"
                        + text
                        + "'},"
                        + user
                        + "]}",
                    "ours",
                    stored,
                    0),
                write(
                    new ChatFormat(),
                    "{'model':'m','messages':["
                        + user
                        + ",{'role':'developer','content':"
                        + "[{'type':'text','text':'"
                        + text
                        + "'}]}]}",
                    "ours",
                    stored,
                    0),
                write(
                    new MessagesFormat(),
                    "{'model':'m','system':[{'type':'text','text':'s'},{'type':'text','text':'"
                        + text
                        + "','cache_control':{}}],'messages':["
                        + user
                        + "]}",
                    "ours",
                    stored,
                    0),
                write(
                    new ResponsesFormat(),
                    "{'model':'m','instructions':'" + text + "','input':'c'}",
                    "ours",
                    stored,
                    0)))
        .allSatisfy(
            upstream ->
                assertThat(upstream)
                    .doesNotContain("ours")
                    .contains("{'role':'user','content':'a'},{'role':'assistant','content':'b'}"));
  }

  @Test
  void inSystemMessagesOfTheirOwnBehindLongInstructions() {
    assertThat(
            write(
                new ChatFormat(),
                "{'model':'m','messages':[{'role':'system','content':'s'},"
                    + "{'role':'system','content':'The following observations block contains your"
                    + " memory of past conversations with this user.\\n\\nIMPORTANT: "
                    + "Use recall with an <observation-group> range. ".repeat(200)
                    + "'},{'role':'system','content':'<observations>'},"
                    + "{'role':'system','content':'* 🔴 (09:30) User likes tea'},"
                    + "{'role':'user','content':'c'}]}",
                "ours",
                List.of(),
                0))
        .doesNotContain("ours");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Write what you notice between <observations> and </observations>.|c",
        "The observations block contains your memory of the user.|c",
        "The observations block contains your memory: write <observations> into it.|c",
        "Be brief.|The following observations block contains your memory of it. <observations>x</observations>",
      })
  void butNotWhereATagIsSpokenOfOrTheUserSaysSo(String prompt, String user) {
    assertThat(
            write(
                new ChatFormat(),
                "{'model':'m','messages':[{'role':'system','content':'"
                    + prompt
                    + "'},{'role':'user','content':'"
                    + user
                    + "'}]}",
                "ours",
                List.of(),
                0))
        .contains("{'role':'system','content':'ours'}");
  }
}
