package io.memorygateway.format.translation;

import static io.memorygateway.format.translation.TranslatedStreams.answered;
import static io.memorygateway.format.translation.TranslatedStreams.check;
import static io.memorygateway.format.translation.TranslatedStreams.gathered;
import static io.memorygateway.format.translation.TranslatedStreams.open;
import static io.memorygateway.format.translation.TranslatedStreams.translated;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §14: logprobs are carried between the two formats that have them. */
class LogprobsTest {
  private static final Translator CHAT = TranslationPairsTest.ALL.get(0);
  private static final Translator MESSAGES = TranslationPairsTest.ALL.get(1);
  private static final Translator RESPONSES = TranslationPairsTest.ALL.get(2);

  private static final String INCLUDE = "'include':['message.output_text.logprobs']";
  private static final String ONE = token("a");
  private static final String TWO = token("b");

  private static String token(String token) {
    return "{'token':'%s','logprob':-0.5,'bytes':[97],'top_logprobs':[]}".formatted(token);
  }

  private static String json(String text) {
    return text.replace('\'', '"');
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'logprobs':true,'top_logprobs':2 | " + INCLUDE + ",'top_logprobs':2",
        "'logprobs':true | " + INCLUDE,
      })
  void theyAreAskedFor(String ofChat, String ofResponses) throws Exception {
    String chat = "{'messages':[{'role':'user','content':'q'}]," + ofChat + "}";
    String responses = "{'input':'q'," + ofResponses + "}";

    assertThat(sent(CHAT, RESPONSES, chat)).contains(json(ofResponses).split(",(?=\")"));
    assertThat(sent(RESPONSES, CHAT, responses)).contains(json(ofChat).split(","));
  }

  @Test
  void messagesHasNone() throws Exception {
    String call = "{'messages':[{'role':'user','content':'q'}],'logprobs':true,'top_logprobs':2}";
    Translation translation = TranslationPairsTest.translation(CHAT, MESSAGES, json(call), "m");

    assertThat(translation.dropped().header()).isEqualTo("logprobs, top_logprobs");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void chatTellsThoseOfResponses(boolean stream) throws Exception {
    String answer =
        stream
            ? "data: {'type':'response.output_text.delta','delta':'a','logprobs':[%s]}\n\n"
                    .formatted(ONE)
                + "data: {'type':'response.output_text.delta','delta':'b','logprobs':[%s]}\n\n"
                    .formatted(TWO)
                + "data: {'type':'response.output_text.done','text':'ab','logprobs':[%s,%s]}\n\n"
                    .formatted(ONE, TWO)
                + "data: {'type':'response.completed','response':{'output':[]}}\n\n"
            : "{'output':[{'type':'message','content':[{'type':'output_text','text':'ab','logprobs':[%s,%s]}]}]}"
                .formatted(ONE, TWO);

    String told = told(CHAT, RESPONSES, stream, answer);

    String begin = "\"logprobs\":{\"content\":[";
    assertThat(told)
        .containsSubsequence(
            begin + json(ONE) + (stream ? "]" : "," + json(TWO) + "]"), stream ? json(TWO) : "");
    assertThat(told.split("\"token\"", -1)).hasSize(3);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void responsesTellsThoseOfChat(boolean stream) throws Exception {
    String answer =
        stream
            ? "data: {'choices':[{'delta':{'content':'a'},'logprobs':{'content':[%s]}}]}\n\n"
                    .formatted(ONE)
                + "data: {'choices':[{'delta':{'content':'b'},'logprobs':{'content':[%s]}}]}\n\n"
                    .formatted(TWO)
                + "data: {'choices':[{'delta':{},'finish_reason':'stop'}]}\n\n"
            : "{'choices':[{'message':{'content':'ab'},'logprobs':{'content':[%s,%s]}}]}"
                .formatted(ONE, TWO);

    String told = told(RESPONSES, CHAT, stream, answer);

    String both = "\"logprobs\":[" + json(ONE) + "," + json(TWO) + "]";
    assertThat(told).contains(both);
    if (stream) {
      assertThat(told)
          .containsSubsequence(
              "\"delta\":\"a\",\"logprobs\":[" + json(ONE) + "]",
              "\"delta\":\"b\",\"logprobs\":[" + json(TWO) + "]",
              "\"text\":\"ab\"," + both);
    }
  }

  @Test
  void eachTokenIsToldOnceWhereverItsTextComes() throws Exception {
    String rest =
        "data: {'type':'response.output_text.delta','delta':'a','logprobs':[%s]}\n\n".formatted(ONE)
            + "data: {'type':'response.output_text.done','text':'ab','logprobs':[%s,%s]}\n\n"
                .formatted(ONE, TWO)
            + "data: {'type':'response.completed','response':{'output':[]}}\n\n";
    String late =
        "data: {'choices':[{'delta':{'content':''},'logprobs':{'content':[%s]}}]}\n\n"
                .formatted(ONE)
            + "data: {'choices':[{'delta':{'content':'b'},'logprobs':{'content':[%s]}}]}\n\n"
                .formatted(TWO)
            + "data: {'choices':[{'delta':{},'finish_reason':'stop'}]}\n\n";

    assertThat(told(CHAT, RESPONSES, true, rest).split("\"token\"", -1)).hasSize(3);
    assertThat(told(RESPONSES, CHAT, true, late))
        .contains("\"delta\":\"b\",\"logprobs\":[" + json(ONE) + "," + json(TWO) + "]");
  }

  @Test
  void eachTokenHasWhatReadersDemand() throws Exception {
    String answer =
        "{'output':[{'type':'message','content':[{'type':'output_text','text':'é','logprobs':"
            + "[null,{'token':'é','logprob':-1,'top_logprobs':[{'token':'a'}]}]}]}]}";

    assertThat(told(CHAT, RESPONSES, false, answer))
        .contains(
            json(
                "'content':[{'token':'é','logprob':-1,'bytes':[195,169],"
                    + "'top_logprobs':[{'token':'a','logprob':-9999.0,'bytes':[97]}]}]"));
  }

  private static String sent(Translator called, Translator target, String call) throws Exception {
    Translation translation = TranslationPairsTest.translation(called, target, json(call), "m");
    assertThat(translation.dropped().header()).isNull();
    return new String(translation.body(), UTF_8);
  }

  private static String told(Translator called, Translator target, boolean stream, String answer)
      throws Exception {
    byte[] bytes = json(answer).getBytes(UTF_8);
    if (stream) {
      byte[] told = translated(open(called, target), bytes, bytes.length, null);
      assertThat(check(called, told)).isFalse();
      Translation whole = open(called, target);
      assertThat(new String(whole.answer(gathered(whole, bytes).answer()), UTF_8))
          .contains(json(ONE) + "," + json(TWO));
      return new String(told, UTF_8);
    }
    String call = called == CHAT ? "{\"messages\":[]}" : "{\"input\":[]}";
    return new String(
        answered(TranslationPairsTest.translation(called, target, call, "m"), bytes), UTF_8);
  }
}
