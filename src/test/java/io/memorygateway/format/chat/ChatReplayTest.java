package io.memorygateway.format.chat;

import static io.memorygateway.format.Calls.json;
import static io.memorygateway.format.Calls.stored;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Assembled;
import io.memorygateway.format.Format;
import io.memorygateway.format.answer.AnswerAssembler;
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
            "{} 'stop'");
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

  @Test
  void whatAnAnswerSaidBesideItsWordsIsGivenAgain() throws IOException {
    String whole =
        "{'id':'c','created':1,'model':'m','object':'chat.completion','choices':[{'index':0,"
            + "'message':{'role':'assistant','content':'a b','refusal':null},"
            + "'logprobs':{'content':[{'token':'a','logprob':-0.10},{'token':' b'}],"
            + "'refusal':null},'finish_reason':'stop'}]}";
    assertThat(again(whole)).isEqualTo(whole);
    String blank =
        "{'id':'c','created':1,'model':'m','object':'chat.completion','choices':[{'index':0,"
            + "'message':{'role':'assistant','content':'','refusal':null},'logprobs':null,"
            + "'finish_reason':'length'}],'usage':{'total_tokens':1}}";
    assertThat(again(blank)).isEqualTo(blank);
  }

  @Test
  void logprobsOfAStreamAreThoseOfAllItsChunks() {
    AnswerAssembler first =
        Assembled.feed(
            new ChatFormat(),
            chunk(1, "'content':'x'", "{'content':[{'token':'x'}]}")
                + chunk(0, "'role':'assistant'", "null")
                + chunk(0, "'content':'a'", "{'content':[{'token':'a'}],'refusal':null}")
                + chunk(0, "'content':' b'", "{'content':[{'token':' b','logprob':-1.0}]}"),
            64,
            Assembled.ENOUGH);
    AnswerReplay.Answered answered = new AnswerReplay.Answered(first.metadata(), first.messages());

    assertThat(new String(replay.body(answered), UTF_8).replace('"', '\''))
        .contains(
            "'logprobs':{'content':[{'token':'a'},{'token':' b','logprob':-1.0}],'refusal':null}")
        .doesNotContain("'usage'");
  }

  @Test
  void logprobsThatAreTooLongToBeKeptAreLeftOut() {
    String token = "{'token':'" + "x".repeat(ChatLogprobs.MAX_CHARACTERS) + "'}";
    for (String tokens : List.of(token, "{'token':'a'}," + token)) {
      assertThat(
              again(
                  "{'choices':[{'message':{'content':'a'},'logprobs':{'content':["
                      + tokens
                      + "]}}]}"))
          .contains("'logprobs':null");
    }
  }

  private static String chunk(int index, String delta, String logprobs) {
    return "data: {'choices':[{'index':%d,'delta':{%s},'logprobs':%s}]}\n\n"
        .formatted(index, delta, logprobs);
  }

  /** An answer that is made again, and again of the stream that is made of it. */
  private String again(String quoted) {
    byte[] answer = quoted.replace('\'', '"').getBytes(UTF_8);
    Format chat = new ChatFormat();
    AnswerReplay.Answered answered =
        new AnswerReplay.Answered(replay.metadata(answer, true), chat.answer(answer));
    return new String(replay.body(answered), UTF_8).replace('"', '\'');
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
        json("{'choices':[{'finish_reason':'stop'}]}"),
        List.of(stored("assistant", json(content))));
  }
}
