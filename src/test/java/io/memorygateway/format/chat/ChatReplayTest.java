package io.memorygateway.format.chat;

import static io.memorygateway.format.Calls.json;
import static io.memorygateway.format.Calls.stored;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.answer.AnswerMetadata;
import io.memorygateway.format.answer.AnswerReplay;
import io.memorygateway.json.JsonValue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The chunks in which a stored answer of Chat is streamed again, and its whole message. */
class ChatReplayTest {
  private static final String CALL =
      "{'content':%s,'tool_calls':[{'index':4,'id':'c','type':'function',"
          + "'function':{'name':'f','arguments':'{}'}}]}";

  private final AnswerReplay replay = new ChatFormat().replay();

  @Test
  void theRoleComesFirstThenEachMemberThenTheReason() throws IOException {
    assertThat(deltas(CALL.formatted("'a'")))
        .containsExactly(
            "{'role':'assistant','content':''} null",
            "{'content':'a'} null",
            "{'tool_calls':[{'index':0,'id':'c','type':'function',"
                + "'function':{'name':'f','arguments':'{}'}}]} null",
            "{} 'tool_calls'");
    assertThat(deltas("'a b'"))
        .containsExactly(
            "{'role':'assistant','content':''} null", "{'content':'a b'} null", "{} 'stop'");
    assertThat(deltas("{'content':'a','reasoning_content':'r','x':1}"))
        .as("thoughts before what they led to")
        .containsExactly(
            "{'role':'assistant','content':''} null",
            "{'reasoning_content':'r'} null",
            "{'content':'a'} null",
            "{'x':1} null",
            "{} 'stop'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'a'                                |{'role':'assistant','content':'a','refusal':null}",
        "{'content':'a','x':1.0}            |{'role':'assistant','content':'a','x':1.0,'refusal':null}",
        "{'content':null,'refusal':'no'}    |{'role':'assistant','content':null,'refusal':'no'}",
        "{'refusal':'no','role':'x'}        |{'role':'assistant','content':null,'refusal':'no'}",
      })
  void theMessageHasContentAndRefusalThoughTheyBeNull(String content, String message) {
    JsonValue whole = JsonValue.of(new String(replay.body(answered(content)), UTF_8));
    assertThat(whole.get("choices").items().get(0).get("message").raw().replace('"', '\''))
        .isEqualTo(message);
  }

  /** Each chunk as its delta and its reason to finish. */
  private List<String> deltas(String content) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    replay.stream(answered(content), out);
    List<String> deltas = new ArrayList<>();
    for (String line : out.toString(UTF_8).lines().filter(l -> l.startsWith("data: {")).toList()) {
      for (JsonValue choice : JsonValue.of(line.substring(6)).get("choices").items()) {
        deltas.add(choice.get("delta").raw() + " " + AnswerMetadata.raw(choice, "finish_reason"));
      }
    }
    return deltas.stream().map(delta -> delta.replace('"', '\'')).toList();
  }

  private static AnswerReplay.Answered answered(String content) {
    return new AnswerReplay.Answered(
        null, "id", 7, "m", List.of(stored("assistant", json(content))));
  }
}
