package io.memorygateway.format.translation;

import static io.memorygateway.format.translation.OddAnswersTest.json;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.memorygateway.format.Calls;
import io.memorygateway.sse.EventSplitter;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
        MESSAGES,
        CHAT,
        body.getBytes(UTF_8),
        () -> body.getBytes(UTF_8),
        terms,
        null,
        () -> 7,
        String::length);
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

  private static String cited(int from, int to) {
    String place = from < 0 ? "" : ",'start_index':%d,'end_index':%d".formatted(from, to);
    return "'annotations':[{'type':'url_citation','url_citation':{'url':'u%d'%s}}]"
        .formatted(from, place);
  }

  @Test
  void aCitationOfWhatStandsBeforeTheStopStays() throws Exception {
    String citations =
        "'annotations':["
            + Stream.of(cited(0, 3), cited(2, 9), cited(5, 9), cited(-1, 0))
                .map(one -> one.substring(one.indexOf('[') + 1, one.length() - 1))
                .collect(Collectors.joining(","))
            + "]";
    String whole =
        json(
            "{'choices':[{'message':{'content':'one STOP two',"
                + citations
                + "},'finish_reason':'stop'}]}");
    String stream = chunk("'content':'one STOP two'") + chunk(citations) + END;

    Answer answer = open("[\"STOP\"]").read(whole.getBytes(UTF_8));
    Answer gathered =
        TranslatedStreams.gathered(open("[\"STOP\"]"), stream.getBytes(UTF_8)).answer();

    for (Answer told : List.of(answer, gathered)) {
      assertThat(words(told)).isEqualTo("one ");
      assertThat(((Piece.Text) told.pieces().get(0)).citations())
          .extracting(Piece.Citation::url, Piece.Citation::start, Piece.Citation::end)
          .containsExactly(tuple("u0", 0L, 3L), tuple("u2", 2L, 4L), tuple("u-1", -1L, -1L));
    }
  }

  @Test
  void aStopIsFoundAroundACitationWhichKeepsItsPlace() throws Exception {
    String begin = chunk("'content':'one ST'") + chunk(cited(0, 3)) + chunk(cited(4, 6));
    for (String end : List.of("OP two", "ART")) {
      String stream = begin + chunk("'content':'" + end + "'") + END;
      byte[] told =
          TranslatedStreams.translated(open("[\"STOP\"]"), stream.getBytes(UTF_8), 7, null);
      assertThat(TranslatedStreams.check(MESSAGES, told)).isFalse();
      Answer answer =
          TranslatedStreams.gathered(open("[\"STOP\"]"), stream.getBytes(UTF_8)).answer();

      boolean found = end.startsWith("OP");
      assertThat(words(answer)).isEqualTo(found ? "one " : "one START");
      assertThat(((Piece.Text) answer.pieces().get(0)).citations())
          .extracting(Piece.Citation::url)
          .isEqualTo(found ? List.of("u0") : List.of("u0", "u4"));
    }
  }

  @Test
  void whatIsHeldIsToldWhereTheStreamBreaksOff() throws Exception {
    for (String text : List.of("one STO", "one STOP two")) {
      StreamTranslation to =
          open("[\"STOP\"]")
              .openStream(
                  defect -> {
                    throw defect;
                  },
                  bytes -> true);
      ByteArrayOutputStream told = new ByteArrayOutputStream();
      byte[] stream = chunk("'content':'" + text + "'").getBytes(UTF_8);
      EventSplitter.Sink sink = event -> told.write(event.array(), event.offset(), event.length());
      to.feed(stream, 0, stream.length, sink);

      to.breakOff(sink);
      told.writeBytes(to.fail(502, "It broke off."));

      assertThat(TranslatedStreams.check(MESSAGES, told.toByteArray())).isTrue();
      assertThat(told.toString(UTF_8).contains("\"STO\"")).isEqualTo(text.endsWith("STO"));
      assertThat(told.toString(UTF_8)).doesNotContain("STOP").contains("It broke off.");
    }
  }

  @Test
  void soManyOrSoLongThatTheSearchWouldTakeLongAreLeftToTheTarget() throws Exception {
    for (String stops :
        List.of("[\"" + "a".repeat(101) + "\"]", "[" + "\"a\",".repeat(16) + "\"b\"]")) {
      assertThat(new String(open(stops).body(), UTF_8)).contains("\"stop\"");
    }
  }
}
