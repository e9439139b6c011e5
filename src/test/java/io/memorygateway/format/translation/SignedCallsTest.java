package io.memorygateway.format.translation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.StrictProvider;
import io.memorygateway.format.chat.ChatTranslator;
import io.memorygateway.format.content.Shape;
import io.memorygateway.json.JsonValue;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Contract §14: signatures that a maker of Chat gives with its text and its calls come back to it
 * where they were, and go to no other. {@code '} stands for quotes.
 */
class SignedCallsTest {
  private static final Translator CHAT = new ChatTranslator();

  /** Longer than Chat takes them. */
  private static final String LONG = "call_" + "0123456789".repeat(5);

  static Stream<Arguments> ways() {
    return TranslationPairsTest.ALL.stream()
        .filter(called -> called.shape() != Shape.CHAT)
        .flatMap(
            called ->
                Stream.of("c1", LONG)
                    .flatMap(
                        id ->
                            Stream.of(false, true)
                                .map(stream -> Arguments.of(called, id, stream))));
  }

  private static String extra(String signature) {
    return "'extra_content':{'google':{'thought_signature':'" + signature + "'}}";
  }

  private static String call(String id, String name, String more) {
    return "{'id':'%s','type':'function','function':{'name':'%s','arguments':'{}'}%s}"
        .formatted(id, name, more);
  }

  /** An answer of two calls, of which the first is signed, as Gemini signs them. */
  private static byte[] answer(String id, boolean stream) {
    String calls = call(id, "f", "," + extra("SIG+/1=")) + "," + call(id + "2", "g", "");
    String message = "{'role':'assistant','content':null,'tool_calls':[" + calls + "]}";
    String head = "{'id':'i','model':'m','choices':[{'index':0,'finish_reason':'tool_calls',";
    String json =
        stream
            ? "data: " + head + "'delta':" + message + "}]}\n\ndata: [DONE]\n\n"
            : head + "'message':" + message + "}]}";
    return json.replace('\'', '"').getBytes(UTF_8);
  }

  private static String next(Translator called, byte[] told, boolean stream, String id)
      throws Exception {
    JsonValue answer =
        JsonValue.parse(
            stream
                ? called.writeAnswer(
                    TranslatedStreams.gathered(TranslatedStreams.open(called, CHAT), told).answer(),
                    called(called))
                : TranslatedStreams.answered(TranslatedStreams.open(called, CHAT), told));
    String user = "{'role':'user','content':'x'}";
    String call =
        called.shape() == Shape.MESSAGES
            ? ("{'max_tokens':9,'messages':[%s,{'role':'assistant','content':%s},"
                    + "{'role':'user','content':[%s,%s]}]}")
                .formatted(
                    user,
                    answer.get("content").raw(),
                    "{'type':'tool_result','tool_use_id':'" + id + "','content':'1'}",
                    "{'type':'tool_result','tool_use_id':'" + id + "2','content':'2'}")
            : "{'store':false,'input':[%s,%s,%s,%s]}"
                .formatted(
                    user,
                    answer.get("output").items().stream()
                        .map(JsonValue::raw)
                        .collect(Collectors.joining(",")),
                    "{'type':'function_call_output','call_id':'" + id + "','output':'1'}",
                    "{'type':'function_call_output','call_id':'" + id + "2','output':'2'}");
    return call.replace('\'', '"');
  }

  private static Called called(Translator format) {
    return new Called(
        JsonValue.of(TranslatedStreams.body(format)),
        new Names(List.of()),
        "m",
        null,
        "maker",
        () -> 7,
        String::length);
  }

  @ParameterizedTest
  @MethodSource("ways")
  void itsMakerGetsTheSignatureOnItsCall(Translator called, String id, boolean stream)
      throws Exception {
    String next = next(called, answer(id, stream), stream, id);
    assertThat(next).contains(Seal.FORMAT).doesNotContain("SIG");

    Translation again = TranslationPairsTest.translation(called, CHAT, next, "m");

    String sent = new String(again.body(), UTF_8);
    JsonValue calls = JsonValue.of(sent).get("messages").items().get(1).get("tool_calls");
    assertThat(calls.items()).hasSize(2);
    assertThat(calls.items().get(0).get("extra_content").raw())
        .isEqualTo("{\"google\":{\"thought_signature\":\"SIG+/1=\"}}");
    assertThat(calls.items().get(0).get("function").text("name")).isEqualTo("f");
    assertThat(calls.items().get(1).get("extra_content")).isNull();
    assertThat(StrictProvider.faults(TranslationPairsTest.path(CHAT), sent)).isEmpty();
    assertThat(again.dropped().header()).isNull();
  }

  @ParameterizedTest
  @MethodSource("ways")
  void nobodyElseGetsIt(Translator called, String id, boolean stream) throws Exception {
    String next = next(called, answer(id, stream), stream, id);

    Translation elsewhere = TranslationPairsTest.translation(called, CHAT, next, "m", "another");

    assertThat(new String(elsewhere.body(), UTF_8)).doesNotContain("SIG", "extra_", Seal.FORMAT);
    assertThat(elsewhere.dropped().header()).isEqualTo("reasoning");
  }

  @ParameterizedTest
  @MethodSource("ways")
  void itIsReadAsAClientOfTheFormatReadsIt(Translator called, String id, boolean stream)
      throws Exception {
    byte[] told =
        stream
            ? TranslatedStreams.translated(
                TranslatedStreams.open(called, CHAT), answer(id, true), 7, new Random(1))
            : TranslatedStreams.told(TranslatedStreams.open(called, CHAT), answer(id, false));

    assertThat(TranslatedStreams.check(called, told)).isFalse();
    assertThat(TranslatedStreams.read(called, told).calls()).hasSize(2);
  }

  /** What an SDK calls otherwise is told by its place. */
  @Test
  void aCallThatGotAnotherIdKeepsItsSignature() throws Exception {
    Translator called = TranslationPairsTest.ALL.get(1);
    String next =
        next(called, answer("c1", false), false, "c1")
            .replace("\"c1\"", "\"toolu_1\"")
            .replace("\"c12\"", "\"toolu_2\"");

    String sent =
        new String(TranslationPairsTest.translation(called, CHAT, next, "m").body(), UTF_8);

    assertThat(JsonValue.of(sent).get("messages").items().get(1).get("tool_calls").items())
        .extracting(each -> each.text("id") + " " + (each.get("extra_content") != null))
        .containsExactly("toolu_1 true", "toolu_2 false");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // Gemini's text
        "'content':'Ans','extra_content':{'google':{'thought_signature':'SIG'}} | 'extra_content':{'google':{'thought_signature':'SIG'}}",
        // Mistral's thinking
        "'content':[{'type':'thinking','thinking':[{'type':'text','text':'mull'}]},{'type':'text','text':'Ans'}] | 'content':[{'type':'thinking','thinking':[{'type':'text','text':'mull'}]},{'type':'text','text':'Ans'}]",
        // both, and more
        "'reasoning_content':'mull','content':'Ans','extra_content':{'x':'1'} | 'content':'Ans','reasoning_content':'mull','extra_content':{'x':'1'}"
      })
  void whatAMessageHasGoesBack(String said, String sent) throws Exception {
    for (Translator called : TranslationPairsTest.ALL.subList(1, 3)) {
      byte[] answer =
          ("{'id':'i','model':'m','choices':[{'index':0,'finish_reason':'stop','message':{"
                  + said
                  + "}}]}")
              .replace('\'', '"')
              .getBytes(UTF_8);
      String next = next(called, answer, false, "none");
      assertThat(next).contains("Ans", Seal.FORMAT);

      assertThat(
              new String(TranslationPairsTest.translation(called, CHAT, next, "m").body(), UTF_8))
          .contains(sent.replace('\'', '"'));
      Translation elsewhere = TranslationPairsTest.translation(called, CHAT, next, "m", "another");
      assertThat(new String(elsewhere.body(), UTF_8))
          .contains("Ans")
          .doesNotContain("mull", "SIG", "extra_content");
      assertThat(elsewhere.dropped().names()).contains("reasoning");
    }
  }

  /** Of what a caller of Chat has from an untranslated answer nobody knows the maker. */
  @Test
  void aCallersOwnSignatureIsNamed() throws Exception {
    String call =
        "{'messages':[{'role':'user','content':'x'},{'role':'assistant','tool_calls':["
            + call("c1", "f", "," + extra("SIG"))
            + "]},{'role':'tool','tool_call_id':'c1','content':'1'}]}";
    for (Translator target : TranslationPairsTest.ALL.subList(1, 3)) {
      Translation sent =
          TranslationPairsTest.translation(CHAT, target, call.replace('\'', '"'), "m");

      assertThat(new String(sent.body(), UTF_8)).doesNotContain("SIG");
      assertThat(sent.dropped().header()).isEqualTo("reasoning");
    }
  }
}
