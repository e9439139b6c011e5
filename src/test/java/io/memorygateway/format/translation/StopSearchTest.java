package io.memorygateway.format.translation;

import static io.memorygateway.format.translation.OddAnswersTest.json;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Calls;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §14: stops of a caller whose target takes none are looked for here. */
class StopSearchTest {
  private static final Translator CHAT = TranslationPairsTest.ALL.get(0);
  private static final Translator MESSAGES = TranslationPairsTest.ALL.get(1);

  private static Translation open(String stops) throws Exception {
    Terms terms =
        new Terms(Calls.model("m"), "maker", 100_000, "max_tokens", false, "key")
            .withRefused(Map.of(), Set.of(Sampling.STOP));
    String body =
        "{\"model\":\"m\",\"max_tokens\":9,\"stop_sequences\":%s,\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}"
            .formatted(stops);
    return Translation.of(
        MESSAGES, CHAT, body.getBytes(UTF_8), terms, null, () -> 7, String::length);
  }

  private static String chunk(String delta) {
    return json("data: {'choices':[{'delta':{" + delta + "},'finish_reason':null}]}\n\n");
  }

  private static final String END =
      json("data: {'choices':[{'delta':{},'finish_reason':'stop'}]}\n\n");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "one STOP two | one     | STOP",
        "one ENDSTOP  | one     | END",
        "STOP         | ''      | STOP",
        "one STO      | one STO |",
        "STSTOP       | ST      | STOP",
        "one          | one     |"
      })
  void anAnswerEndsAtTheFirstOfThemHoweverItsTextIsCut(String text, String told, String stop)
      throws Exception {
    for (int size = 1; size <= text.length(); size++) {
      StringBuilder stream = new StringBuilder();
      for (int at = 0; at < text.length(); at += size) {
        String part = text.substring(at, Math.min(text.length(), at + size));
        stream.append(chunk("'content':'" + part + "'"));
      }
      Translation translation = open("[\"STOP\",\"END\"]");
      assertThat(new String(translation.body(), UTF_8)).doesNotContain("STOP");
      Answer answer =
          TranslatedStreams.gathered(translation, (stream + END).getBytes(UTF_8)).answer();

      assertThat(words(answer).strip()).isEqualTo(told);
      assertThat(answer.stop()).isEqualTo(stop == null ? Stop.END : Stop.SEQUENCE);
      assertThat(answer.stopSequence()).isEqualTo(stop);
    }
    String whole =
        json(
            "{'choices':[{'message':{'content':'%s'},'finish_reason':'stop'}],'usage':{'prompt_tokens':3,'completion_tokens':4}}");
    Answer answer = open("[\"STOP\",\"END\"]").read(whole.formatted(text).getBytes(UTF_8));
    assertThat(words(answer).strip()).isEqualTo(told);
    assertThat(answer.stopSequence()).isEqualTo(stop);
    assertThat(answer.usage().output()).isEqualTo(4);
  }

  private static String words(Answer answer) {
    StringBuilder words = new StringBuilder();
    for (Piece piece : answer.pieces()) {
      words.append(((Piece.Text) piece).text());
    }
    return words.toString();
  }

  @Test
  void whatStandsBesideTheTextIsNotSearchedAndKeepsItsPlace() throws Exception {
    String stream =
        chunk("'reasoning_content':'a STOP'")
            + chunk("'content':'ST'")
            + chunk("'tool_calls':[{'index':0,'id':'c','function':{'name':'f','arguments':'{}'}}]")
            + chunk("'content':'OP, STOP'")
            + END;

    byte[] told = TranslatedStreams.translated(open("[\"STOP\"]"), stream.getBytes(UTF_8), 7, null);
    assertThat(TranslatedStreams.check(MESSAGES, told)).isFalse();
    Answer answer = TranslatedStreams.gathered(open("[\"STOP\"]"), stream.getBytes(UTF_8)).answer();
    List<String> pieces = new ArrayList<>();
    answer.pieces().forEach(piece -> pieces.add(piece.getClass().getSimpleName()));
    assertThat(pieces).containsExactly("Thought", "Text", "Call", "Text");
    assertThat(answer.stop()).isEqualTo(Stop.TOOLS);
  }

  @Test
  void soManyOrSoLongThatTheSearchWouldTakeLongAreLeftToTheTarget() throws Exception {
    for (String stops :
        List.of("[\"" + "a".repeat(101) + "\"]", "[" + "\"a\",".repeat(16) + "\"b\"]")) {
      assertThat(new String(open(stops).body(), UTF_8)).contains("\"stop\"");
    }
  }
}
