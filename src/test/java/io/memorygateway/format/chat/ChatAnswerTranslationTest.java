package io.memorygateway.format.chat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.content.Shape;
import io.memorygateway.format.translation.Answer;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.Called;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.format.translation.Names;
import io.memorygateway.format.translation.Piece;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.TestUsage;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonValue;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §14: whole answers of Chat and its errors; {@code '} stands for quotes. */
class ChatAnswerTranslationTest {
  private final ChatTranslator chat = new ChatTranslator();

  @Test
  void readsEachPieceOfAnAnswer() {
    Answer answer =
        read(
            "{'id':'chatcmpl-1','object':'chat.completion','created':5,'model':'m','choices':[{"
                + "'index':0,'message':{'role':'assistant','content':'see','reasoning':'hm',"
                + "'reasoning_content':'hm','annotations':[{'type':'url_citation','url_citation':"
                + "{'url':'http://x','title':'X','start_index':1,'end_index':2}}],'tool_calls':["
                + "{'id':'a','type':'function','function':{'name':'f','arguments':'{}'}},"
                + "{'id':'b','type':'function','function':{'name':'f','arguments':null}},"
                + "{'id':'c','type':'function','function':{'name':'g','arguments':{'x':1}}}]},"
                + "'finish_reason':'tool_calls'}],'usage':{'prompt_tokens':9,'completion_tokens':8}}");
    assertThat(answer)
        .isEqualTo(
            new Answer(
                "chatcmpl-1",
                "m",
                5,
                List.of(
                    new Piece.Thought(
                        "hm",
                        new Seal(
                            "maker",
                            Shape.CHAT,
                            "{\"reasoning\":\"hm\",\"reasoning_content\":\"hm\"}")),
                    new Piece.Text("see", List.of(new Piece.Citation("http://x", "X", null, 1, 2))),
                    new Piece.Call("a", "f", "{}"),
                    new Piece.Call("b", "f", "{}"),
                    new Piece.Call("c", "g", "{\"x\":1}")),
                Stop.TOOLS,
                null,
                TestUsage.of(9, -1, -1, 8, -1)));
  }

  @Test
  void readsARefusalAndAFunctionBeforeTools() {
    Answer refused =
        read("{'choices':[{'message':{'content':null,'refusal':'No.'},'finish_reason':'stop'}]}");
    assertThat(refused.pieces()).containsExactly(new Piece.Refusal("No."));
    assertThat(refused.stop()).isEqualTo(Stop.REFUSAL);
    Answer called =
        read("{'choices':[{'message':{'function_call':{'name':'f','arguments':'{}'}}}]}");
    assertThat(called.pieces()).hasSize(1);
    assertThat(called.stop()).isEqualTo(Stop.TOOLS);
  }

  @Test
  void readsPartsOfContentAsMistralWritesThem() {
    Answer answer =
        read(
            "{'choices':[{'message':{'content':[{'type':'thinking','thinking':"
                + "[{'type':'text','text':'hm'}]},{'type':'text','text':'a'}]},'finish_reason':'length'}]}");
    assertThat(answer.pieces())
        .containsExactly(
            new Piece.Thought(
                "hm",
                new Seal(
                    "maker",
                    Shape.CHAT,
                    "{\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"hm\"}]}]}")),
            new Piece.Text("a", List.of()));
    assertThat(answer.stop()).isEqualTo(Stop.LENGTH);
  }

  @Test
  void readsWhatIsSaidInOtherPlaces() {
    String end = ",'finish_reason':'stop'}]}";
    assertThat(read("{'choices':[{'index':0,'text':'plain'" + end).pieces())
        .containsExactly(new Piece.Text("plain", List.of()));
    assertThat(read("{'choices':[{'text':'','message':{'content':'a'}" + end).pieces())
        .containsExactly(new Piece.Text("a", List.of()));
    Answer called =
        read(
            "{'choices':[{'message':{'content':null,'tool_calls':{'id':'a','type':'function',"
                + "'function':{'name':'f','arguments':'{}'}}}"
                + end);
    assertThat(called.pieces()).containsExactly(new Piece.Call("a", "f", "{}"));
    assertThat(called.stop()).isEqualTo(Stop.TOOLS);
    Answer thought =
        read(
            "{'choices':[{'message':{'content':'a','reasoning_content':[{'type':'text','text':"
                + "'wh'},{'type':'text','text':'y'}]}"
                + end);
    assertThat(((Piece.Thought) thought.pieces().get(0)).text()).isEqualTo("why");
  }

  @Test
  void writesAllMembersThatSdksDemand() {
    Seal seal = new Seal("anthropic", Shape.MESSAGES, "{\"type\":\"thinking\"}");
    String json =
        written(
            called("{'model':'asked'}"),
            new Answer(
                "msg_1",
                "claude",
                7,
                List.of(
                    new Piece.Thought("hm", seal),
                    new Piece.Text("a", List.of()),
                    new Piece.Text(
                        "bc", List.of(new Piece.Citation("http://x", null, "b", -1, -1))),
                    new Piece.Call("c1", "a_tool__" + hash("a tool!"), "{\"x\":1}"),
                    new Piece.Call("c2", "patch", "{\"input\":\"raw\"}")),
                Stop.TOOLS,
                null,
                TestUsage.of(3, 1, -1, 4, 2)));
    assertThat(json.replaceFirst("chatcmpl-msg_1_mgw[0-9a-f]{9}", "chatcmpl-ID"))
        .isEqualTo(
            "{'id':'chatcmpl-ID','object':'chat.completion','created':7,'model':'claude',"
                + "'choices':[{'index':0,'message':{'role':'assistant','content':'abc','refusal':null,"
                + "'reasoning_content':'hm','reasoning_details':["
                + ChatReasoning.detail(seal, 0).replace('"', '\'')
                + "],'annotations':[{'type':'url_citation','url_citation':{'start_index':1,"
                + "'end_index':3,'title':'','url':'http://x'}}],'tool_calls':["
                + "{'id':'c1','type':'function','function':{'name':'a tool!','arguments':'{\\'x\\':1}'}},"
                + "{'id':'c2','type':'custom','custom':{'name':'patch','input':'raw'}}]},"
                + "'logprobs':null,'finish_reason':'tool_calls'}],'usage':{'prompt_tokens':3,"
                + "'completion_tokens':4,'total_tokens':7,'prompt_tokens_details':"
                + "{'cached_tokens':1,'audio_tokens':0},'completion_tokens_details':"
                + "{'reasoning_tokens':2,'audio_tokens':0,'accepted_prediction_tokens':0,"
                + "'rejected_prediction_tokens':0}}}");
  }

  @Test
  void whatTheTargetDoesNotSayIsMadeHere() {
    String json =
        written(
            called("{'model':'asked'}"),
            new Answer(
                "", "", 0, List.of(new Piece.Text("four", List.of())), Stop.END, null, Usage.NONE));
    assertThat(json)
        .matches(
            "\\{'id':'chatcmpl-[0-9a-f]{32}_mgw[0-9a-f]{9}',.*'created':[1-9]\\d{9},'model':'asked'.*")
        .contains("'prompt_tokens':11,'completion_tokens':4,'total_tokens':15");
  }

  @Test
  void callersOfFunctionsGetAFunctionCall() {
    String json =
        written(
            called("{'functions':[]}"),
            new Answer(
                "i",
                "m",
                1,
                List.of(new Piece.Call("c", "f", "{}"), new Piece.Call("d", "g", "{}")),
                Stop.TOOLS,
                null,
                Usage.NONE));
    assertThat(json)
        .contains("'content':null", "'function_call':{'name':'f','arguments':'{}'}")
        .contains("'tool_calls':[{'id':'d'", "'finish_reason':'function_call'");
  }

  @ParameterizedTest
  @CsvSource({
    "END,stop",
    "SEQUENCE,stop",
    "PAUSE,stop",
    "UNKNOWN,stop",
    "LENGTH,length",
    "TOOLS,tool_calls",
    "REFUSAL,content_filter"
  })
  void saysWhyItEnded(Stop stop, String reason) {
    List<Piece> pieces = List.of(new Piece.Call("c", "f", "{}"));
    Answer answer = new Answer("i", "m", 1, pieces, stop, "x", Usage.NONE);
    assertThat(written(called("{}"), answer)).contains("'finish_reason':'" + reason + "'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "none",
      value = {
        "400 | bad | none | false | 400 | invalid_request_error | null",
        "401 | x | none | false | 401 | authentication_error | null",
        "402 | x | none | false | 402 | insufficient_quota | 'insufficient_quota'",
        "429 | x | none | false | 429 | rate_limit_error | 'rate_limit_exceeded'",
        "429 | x | insufficient_quota | false | 429 | rate_limit_error | 'insufficient_quota'",
        "529 | overloaded_error | none | false | 529 | server_error | null",
        "502 | upstream_error | none | false | 502 | upstream_error | null",
        "413 | x | none | true | 400 | invalid_request_error | 'context_length_exceeded'",
        "404 | x | model_not_found | false | 404 | not_found_error | 'model_not_found'",
      })
  void errorsAreInItsWords(
      int status,
      String type,
      String code,
      boolean tooLong,
      int answered,
      String its,
      String itsCode) {
    Fault fault = new Fault(status, type, "why", code, tooLong);
    assertThat(chat.status(fault)).isEqualTo(answered);
    assertThat(new String(chat.error(fault), UTF_8).replace('"', '\''))
        .isEqualTo(
            "{'error':{'message':'%s','type':'%s','param':null,'code':%s}}"
                .formatted(fault.openAiMessage(), its, itsCode));
  }

  private static String hash(String name) {
    String sent = new Names(List.of()).sent(name);
    return sent.substring(sent.length() - 8);
  }

  private static Called called(String body) {
    Names names =
        new Names(
            List.of(
                new Tool.Function("a tool!", null, null, null, null),
                new Tool.Custom("patch", null, null)));
    return new Called(
        JsonValue.of(body.replace('\'', '"')),
        names,
        "asked",
        null,
        "maker",
        () -> 11,
        String::length);
  }

  private Answer read(String json) {
    return chat.readAnswer(JsonValue.of(json.replace('\'', '"')), "maker", new CallIds());
  }

  private String written(Called called, Answer answer) {
    return new String(chat.writeAnswer(answer, called), UTF_8).replace('"', '\'');
  }
}
