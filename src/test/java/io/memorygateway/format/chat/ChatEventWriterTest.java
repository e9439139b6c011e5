package io.memorygateway.format.chat;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.content.Shape;
import io.memorygateway.format.translation.AnswerEvent;
import io.memorygateway.format.translation.AnswerWriter;
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
import io.memorygateway.json.JsonWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Contract §14: streams are written as streams of Chat; {@code '} stands for quotes. */
class ChatEventWriterTest {
  @Test
  void writesChunksAsOpenAiDoes() {
    String stream =
        written(
            "{'model':'m'}",
            new AnswerEvent.Start("msg_1", "claude", 7, Usage.NONE),
            new AnswerEvent.Text(0, "a\"b"),
            new AnswerEvent.Close(0),
            new AnswerEvent.Call(1, "c", "f"),
            new AnswerEvent.Close(1),
            new AnswerEvent.Finish(Stop.TOOLS, null, TestUsage.of(3, 1, 2, 4, -1)),
            new AnswerEvent.End());
    String head =
        "data: {'id':'chatcmpl-msg_1','object':'chat.completion.chunk','created':7,'model':'claude','choices':[";
    String open = "{'index':0,'delta':{";
    String close = "},'logprobs':null,'finish_reason':null}],'usage':null}\n\n";
    assertThat(
            stream
                .replaceAll("msg_1_mgw[0-9a-f]{9}", "msg_1")
                .replace("\\\"", "\\'")
                .replace('"', '\''))
        .isEqualTo(
            head
                + open
                + "'role':'assistant','content':''"
                + close
                + head
                + open
                + "'content':'a\\'b'"
                + close
                + head
                + open
                + "'tool_calls':[{'index':0,'id':'c','type':'function',"
                + "'function':{'name':'f','arguments':''}}]"
                + close
                + head
                + open
                + "'tool_calls':[{'index':0,'function':{'arguments':'{}'}}]"
                + close
                + head
                + open
                + "},'logprobs':null,'finish_reason':'tool_calls'}],'usage':null}\n\n"
                + head
                + "],'usage':{'prompt_tokens':3,'completion_tokens':4,'total_tokens':7,"
                + "'prompt_tokens_details':{'cached_tokens':1,'cache_write_tokens':2,'audio_tokens':0},"
                + "'completion_tokens_details':{'reasoning_tokens':0,'audio_tokens':0,"
                + "'accepted_prediction_tokens':0,'rejected_prediction_tokens':0}}}\n\n"
                + "data: [DONE]\n\n");
  }

  @Test
  void writesReasoningWithItsSealsAndCitationsAtTheirPlaces() {
    Seal seal = new Seal("anthropic", Shape.MESSAGES, "{\"type\":\"thinking\"}");
    ChatStreamRules read =
        ChatStreamRules.of(
            written(
                "{'model':'m'}",
                new AnswerEvent.Start("", "m", 0, Usage.NONE),
                new AnswerEvent.Thought(0, "hm"),
                new AnswerEvent.Sealed(0, seal),
                new AnswerEvent.Close(0),
                new AnswerEvent.Text(1, "abc"),
                new AnswerEvent.Close(1),
                new AnswerEvent.Text(2, "def"),
                new AnswerEvent.Cited(2, new Piece.Citation("http://x", null, "q", 1, 3)),
                new AnswerEvent.Cited(2, new Piece.Citation("http://y", "Y", "q", -1, -1)),
                new AnswerEvent.Cited(2, new Piece.Citation("", "no address", "q", -1, -1)),
                new AnswerEvent.Finish(Stop.SEQUENCE, "x", Usage.NONE),
                new AnswerEvent.End()));
    assertThat(read.reasoning).hasToString("hm");
    assertThat(Seal.of(read.details.get(0).text("data"))).isEqualTo(seal);
    assertThat(read.annotations.stream().map(citation -> citation.get("url_citation").raw()))
        .containsExactly(
            "{\"start_index\":4,\"end_index\":6,\"title\":\"\",\"url\":\"http://x\"}",
            "{\"start_index\":3,\"end_index\":6,\"title\":\"Y\",\"url\":\"http://y\"}");
    assertThat(read.finish).isEqualTo("stop");
    assertThat(read.usage.get("completion_tokens").raw()).as("counted: hm abc def").isEqualTo("8");
    assertThat(read.usage.get("prompt_tokens").raw()).isEqualTo("11");
  }

  @Test
  void callersOfFunctionsGetAFunctionCall() {
    ChatStreamRules read =
        ChatStreamRules.of(
            written(
                "{'model':'m','functions':[]}",
                new AnswerEvent.Start("i", "m", 1, Usage.NONE),
                new AnswerEvent.Call(0, "c", "f"),
                new AnswerEvent.Arguments(0, "{}"),
                new AnswerEvent.Finish(Stop.TOOLS, null, Usage.NONE),
                new AnswerEvent.End()));
    assertThat(read.function).hasToString("f {}");
    assertThat(read.finish).isEqualTo("function_call");
  }

  @Test
  void anErrorIsTheLastEvent() {
    ChatStreamRules read =
        ChatStreamRules.of(
            written(
                "{}",
                new AnswerEvent.Start("i", "m", 1, Usage.NONE),
                new AnswerEvent.Text(0, "a"),
                new AnswerEvent.Fail(new Fault(529, "overloaded_error", "busy", null, false)),
                new AnswerEvent.End()));
    assertThat(read.error.raw())
        .isEqualTo("{\"message\":\"busy\",\"type\":\"server_error\",\"param\":null,\"code\":null}");
  }

  private static String written(String body, AnswerEvent... events) {
    AnswerWriter writer = new ChatTranslator().openWriter(called(body));
    JsonWriter out = new JsonWriter(256);
    for (AnswerEvent event : events) {
      writer.write(event, out);
    }
    return out.toString();
  }

  static Called called(String body) {
    Names names = new Names(List.of(new Tool.Function("a tool!", null, null, null, null)));
    return new Called(
        JsonValue.of(body.replace('\'', '"')), names, "m", null, "maker", () -> 11, String::length);
  }
}
