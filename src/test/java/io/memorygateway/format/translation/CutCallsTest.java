package io.memorygateway.format.translation;

import static io.memorygateway.format.translation.OddAnswersTest.json;
import static io.memorygateway.format.translation.TranslatedStreams.answered;
import static io.memorygateway.format.translation.TranslatedStreams.check;
import static io.memorygateway.format.translation.TranslatedStreams.gathered;
import static io.memorygateway.format.translation.TranslatedStreams.open;
import static io.memorygateway.format.translation.TranslatedStreams.told;
import static io.memorygateway.format.translation.TranslatedStreams.translated;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.content.Shape;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Contract §14: a call that the limit of the output has cut is told as one, not as whole. */
class CutCallsTest {
  private static final String PAIRS =
      "io.memorygateway.format.translation.TranslationPairsTest#pairs";

  /** Streams of a call with these arguments that the limit ended, by target. */
  private static final Map<Shape, String> STREAMS =
      Map.of(
          Shape.CHAT,
          "data: {'choices':[{'delta':{'tool_calls':[{'index':0,'id':'c','function':{'name':'f',"
              + "'arguments':'%1$s'}}]}}]}\n\n"
              + "data: {'choices':[{'delta':{},'finish_reason':'length'}]}\n\ndata: [DONE]\n\n",
          Shape.MESSAGES,
          "data: {'type':'content_block_start','index':0,'content_block':{'type':'tool_use',"
              + "'id':'c','name':'f','input':{}}}\n\n"
              + "data: {'type':'content_block_delta','index':0,'delta':{'type':'input_json_delta',"
              + "'partial_json':'%1$s'}}\n\n"
              + "data: {'type':'message_delta','delta':{'stop_reason':'max_tokens'}}\n\n"
              + "data: {'type':'message_stop'}\n\n",
          Shape.RESPONSES,
          "data: {'type':'response.output_item.added','output_index':0,'item':{'type':"
              + "'function_call','id':'i','call_id':'c','name':'f','arguments':''}}\n\n"
              + "data: {'type':'response.function_call_arguments.delta','output_index':0,"
              + "'item_id':'i','delta':'%1$s'}\n\n"
              + "data: {'type':'response.output_item.done','output_index':0,'item':{'type':"
              + "'function_call','id':'i','call_id':'c','name':'f','status':'incomplete',"
              + "'arguments':'%1$s'}}\n\n"
              + "data: {'type':'response.incomplete','response':{'status':'incomplete',"
              + "'incomplete_details':{'reason':'max_output_tokens'}}}\n\n");

  @ParameterizedTest
  @MethodSource(PAIRS)
  void isIncomplete(Translator called, Translator target) throws Exception {
    for (String arguments : List.of("{^x^:^ab", "")) {
      byte[] stream = json(STREAMS.get(target.shape()).formatted(arguments)).getBytes(UTF_8);
      byte[] bytes = translated(open(called, target), stream, stream.length, null);
      String answer = new String(bytes, UTF_8);

      assertThat(check(called, bytes)).as(answer).isFalse();
      assertCut(called, answer, arguments);
    }
  }

  @ParameterizedTest
  @MethodSource(PAIRS)
  void isSoWhereTheOtherShapeWasAskedFor(Translator called, Translator target) throws Exception {
    for (String arguments : List.of("{^x^:^ab", "")) {
      byte[] stream = json(STREAMS.get(target.shape()).formatted(arguments)).getBytes(UTF_8);
      Translation translation = open(called, target);
      Answer whole = gathered(translation, stream).answer();
      if (called.shape() != Shape.MESSAGES) {
        assertCut(called, new String(translation.answer(whole), UTF_8), arguments);
      }
      if (target.shape() == Shape.MESSAGES && arguments.isEmpty()) {
        byte[] answer =
            json("{'content':[{'type':'tool_use','id':'c','name':'f','input':{}}],"
                    + "'stop_reason':'max_tokens'}")
                .getBytes(UTF_8);
        assertCut(called, new String(told(open(called, target), answer), UTF_8), arguments);
        assertCut(called, new String(answered(open(called, target), answer), UTF_8), arguments);
      }
      if (target.shape() == Shape.CHAT) {
        byte[] answer =
            json("{'choices':[{'message':{'tool_calls':[{'id':'c','function':{'name':'f',"
                    + "'arguments':'"
                    + arguments
                    + "'}}]},'finish_reason':'length'}]}")
                .getBytes(UTF_8);
        assertCut(called, new String(told(open(called, target), answer), UTF_8), arguments);
        assertThat(answered(open(called, target), answer)).isNotEmpty();
      }
    }
  }

  @ParameterizedTest
  @MethodSource(PAIRS)
  void isWholeIfItsArgumentsAre(Translator called, Translator target) throws Exception {
    byte[] stream = json(STREAMS.get(target.shape()).formatted("{^x^:1}")).getBytes(UTF_8);
    Translation translation = open(called, target);
    String answer = new String(translated(translation, stream, stream.length, null), UTF_8);

    assertThat(answer).doesNotContain("\"arguments\\\"");
    if (called.shape() == Shape.RESPONSES) {
      assertThat(answer).contains("\"type\":\"function_call\",\"status\":\"completed\"");
      assertThat(new String(translation.answer(gathered(translation, stream).answer()), UTF_8))
          .contains("\"type\":\"function_call\",\"status\":\"completed\"");
    }
  }

  private static void assertCut(Translator called, String answer, String arguments) {
    assertThat(answer)
        .contains(
            switch (called.shape()) {
              case CHAT -> "\"finish_reason\":\"length\"";
              case MESSAGES -> "\"stop_reason\":\"max_tokens\"";
              default ->
                  "\"type\":\"function_call\",\"status\":\"incomplete\",\"call_id\":\"c\","
                      + "\"name\":\"f\",\"arguments\":\""
                      + json(arguments).replace("\"", "\\\"").replace("\\\\", "\\")
                      + "\"";
            })
        .doesNotContain("arguments\\\"", "\"{}\"", "\"status\":\"completed\"");
  }
}
