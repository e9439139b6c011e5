package io.memorygateway.format.messages;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.content.Shape;
import io.memorygateway.format.translation.Answer;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.Piece;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.TestUsage;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonValue;
import java.util.List;
import org.junit.jupiter.api.Test;

class MessagesAnswersTest {
  private static final String ANSWER =
      """
      {"id":"msg_1","type":"message","role":"assistant","model":"claude","content":[
       {"type":"thinking","thinking":"hm","signature":"sig"},
       {"type":"redacted_thinking","data":"xyz"},
       {"type":"text","text":"Hello","citations":[{"type":"web_search_result_location",
        "url":"https://x","title":null,"cited_text":"q","encrypted_index":"e"},
        {"type":"char_location","cited_text":"d"}]},
       {"type":"server_tool_use","id":"s","name":"web_search","input":{}},
       {"type":"tool_use","id":"c","name":"f","input":{"x":1}},
       {"type":"tool_use","id":"c","name":"g"}],
       "stop_reason":"tool_use","stop_sequence":null,
       "usage":{"input_tokens":1,"cache_creation_input_tokens":10,"cache_read_input_tokens":100,
        "output_tokens":7,"output_tokens_details":{"thinking_tokens":3}}}
      """;

  private final MessagesTranslator messages = new MessagesTranslator();

  private Answer read(String json) {
    return messages.readAnswer(JsonValue.of(json), "maker", new CallIds());
  }

  private String write(Answer answer) {
    return new String(messages.writeAnswer(answer, MessagesEventWriterTest.called("{}")), UTF_8)
        .replaceFirst("(\"id\":\"msg_[^\"]*)_mgw[0-9a-f]{9}\"", "$1\"");
  }

  @Test
  void readsAllThatOtherFormatsCanSay() {
    Answer answer = read(ANSWER);

    assertThat(answer.id()).isEqualTo("msg_1");
    assertThat(answer.model()).isEqualTo("claude");
    assertThat(answer.stop()).isEqualTo(Stop.TOOLS);
    assertThat(answer.usage()).isEqualTo(TestUsage.of(111, 100, 10, 7, 3));
    assertThat(answer.pieces().subList(0, 4))
        .containsExactly(
            new Piece.Thought(
                "hm",
                new Seal(
                    "maker",
                    Shape.MESSAGES,
                    "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"sig\"}")),
            new Piece.Thought(
                "",
                new Seal(
                    "maker", Shape.MESSAGES, "{\"type\":\"redacted_thinking\",\"data\":\"xyz\"}")),
            new Piece.Text("Hello", List.of(new Piece.Citation("https://x", null, "q", 0, 5))),
            new Piece.Call("c", "f", "{\"x\":1}"));
    Piece.Call other = (Piece.Call) answer.pieces().get(4);
    assertThat(other.name()).isEqualTo("g");
    assertThat(other.id()).isNotEqualTo("c");
    assertThat(other.arguments()).isEqualTo("{}");
  }

  @Test
  void readsEachReason() {
    assertThat(stop("end_turn")).isEqualTo(Stop.END);
    assertThat(stop("max_tokens")).isEqualTo(Stop.LENGTH);
    assertThat(stop("model_context_window_exceeded")).isEqualTo(Stop.LENGTH);
    assertThat(stop("stop_sequence")).isEqualTo(Stop.SEQUENCE);
    assertThat(stop("refusal")).isEqualTo(Stop.REFUSAL);
    assertThat(stop("pause_turn")).isEqualTo(Stop.PAUSE);
    assertThat(stop("compaction")).isEqualTo(Stop.UNKNOWN);
  }

  private Stop stop(String reason) {
    return read("{\"content\":[],\"stop_reason\":\"" + reason + "\"}").stop();
  }

  @Test
  void readsARefusalWithItsExplanation() {
    Answer answer =
        read(
            "{\"content\":[],\"stop_reason\":\"refusal\","
                + "\"stop_details\":{\"type\":\"refusal\",\"explanation\":\"No.\"}}");

    assertThat(answer.pieces()).containsExactly(new Piece.Refusal("No."));
  }

  @Test
  void neverFailsWhateverAnAnswerIs() {
    for (String json :
        List.of(
            "{}",
            "{\"content\":7,\"usage\":[],\"id\":1}",
            "{\"content\":[7,null,{\"type\":\"text\",\"text\":1},{\"type\":\"tool_use\"}]}",
            "{\"content\":[{\"type\":\"text\",\"text\":\"a\",\"citations\":{}}],\"usage\":"
                + "{\"input_tokens\":-1,\"output_tokens\":1e99}}")) {
      assertThat(write(read(json))).contains("\"type\":\"message\"");
    }
  }

  @Test
  void writesAnAnswerWithAllThatSdksDemand() {
    Seal seal = new Seal("maker", Shape.CHAT, "{\"reasoning_content\":\"t\"}");
    List<Piece> pieces =
        List.of(
            new Piece.Thought("t", seal),
            new Piece.Text("abc", List.of(new Piece.Citation("https://x", "T", null, 1, 2))),
            new Piece.Call("call_1", "f", "{\"x\":1}"),
            new Piece.Call("call_2", "f", "{broken"));

    assertThat(
            write(
                new Answer(
                    "chatcmpl-1", "up", 5, pieces, Stop.END, null, TestUsage.of(9, 4, -1, 3, -1))))
        .isEqualTo(
            ("{'id':'msg_chatcmpl-1','type':'message','role':'assistant','model':'up','content':["
                    + "{'type':'thinking','thinking':'t','signature':'"
                    + seal.text()
                    + "'},{'type':'text','text':'abc','citations':[{'type':"
                    + "'web_search_result_location','cited_text':'b','url':'https://x',"
                    + "'title':'T','encrypted_index':''}]},"
                    + "{'type':'tool_use','id':'call_1','name':'f','input':{'x':1}},"
                    + "{'type':'tool_use','id':'call_2','name':'f',"
                    + "'input':{'arguments':'{broken'}}],"
                    + "'stop_reason':'tool_use','stop_sequence':null,'usage':{'input_tokens':5,"
                    + "'cache_creation_input_tokens':0,'cache_read_input_tokens':4,"
                    + "'output_tokens':3}}")
                .replace('\'', '"'));
  }

  @Test
  void writesARefusalAsItsTextAndReason() {
    assertThat(
            write(
                new Answer(
                    "msg_x",
                    "m",
                    0,
                    List.of(new Piece.Refusal("No.")),
                    Stop.END,
                    null,
                    Usage.NONE)))
        .contains(
            "\"id\":\"msg_x\"",
            "[{\"type\":\"text\",\"text\":\"No.\"}]",
            "\"stop_reason\":\"refusal\"",
            "\"explanation\":\"No.\"",
            "\"input_tokens\":7",
            "\"output_tokens\":3");
  }

  @Test
  void keepsTheStopSequence() {
    assertThat(
            write(
                new Answer(
                    "", "m", 0, List.of(), Stop.SEQUENCE, "END", TestUsage.of(1, 0, 0, 1, 0))))
        .contains("\"stop_reason\":\"stop_sequence\",\"stop_sequence\":\"END\"");
  }
}
