package io.memorygateway.format.translation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.StrictProvider;
import io.memorygateway.format.call.ReasoningRemoval;
import io.memorygateway.format.content.Shape;
import io.memorygateway.json.JsonValue;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Contract §14: reasoning comes back to its maker in the maker's form, and goes to no other. */
class ReasoningPairsTest {
  private static final String PAIRS =
      "io.memorygateway.format.translation.TranslationPairsTest#pairs";

  private static final String CHAT =
      "\"reasoning_content\":\"hm ü\",\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"hm ü\",\"signature\":\"s1.0\",\"index\":0}]";
  private static final String MESSAGES =
      "{\"type\":\"thinking\",\"thinking\":\"hm ü\",\"signature\":\"s1.0\"}";
  private static final String RESPONSES =
      "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"hm ü\"}],\"encrypted_content\":\"s1.0\"}";

  private static String form(Translator maker) {
    return switch (maker.shape()) {
      case CHAT -> CHAT;
      case MESSAGES -> MESSAGES;
      default -> RESPONSES;
    };
  }

  private static String answer(Translator maker) {
    return switch (maker.shape()) {
      case CHAT ->
          "{\"id\":\"i\",\"object\":\"chat.completion\",\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"said\","
              + CHAT
              + "},\"finish_reason\":\"stop\"}]}";
      case MESSAGES ->
          "{\"id\":\"i\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":["
              + MESSAGES
              + ",{\"type\":\"text\",\"text\":\"said\"}],\"stop_reason\":\"end_turn\"}";
      default ->
          "{\"id\":\"i\",\"object\":\"response\",\"status\":\"completed\",\"model\":\"m\",\"output\":["
              + RESPONSES
              + ",{\"type\":\"message\",\"id\":\"msg_1\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"said\"}]}]}";
    };
  }

  /** A call that goes on from an answer, as clients send it. */
  private static String next(Translator called, JsonValue answer) {
    String user = "{\"role\":\"user\",\"content\":\"x\"}";
    return switch (called.shape()) {
      case CHAT ->
          "{\"model\":\"m\",\"messages\":[%s,%s,%s]}"
              .formatted(
                  user,
                  answer
                      .get("choices")
                      .items()
                      .get(0)
                      .get("message")
                      .without("annotations")
                      .replace(",\"refusal\":null", ""),
                  user);
      case MESSAGES ->
          "{\"model\":\"m\",\"max_tokens\":9,\"messages\":[%s,{\"role\":\"assistant\",\"content\":%s},%s]}"
              .formatted(user, answer.get("content").raw(), user);
      default -> {
        String output = answer.get("output").raw();
        yield "{\"model\":\"m\",\"store\":false,\"input\":[%s,%s,%s]}"
            .formatted(user, output.substring(1, output.length() - 1), user);
      }
    };
  }

  private static String echo(Translator called, Translator maker) throws Exception {
    String first =
        "{\"model\":\"m\",\"max_tokens\":9,\"%s\":[{\"role\":\"user\",\"content\":\"x\"}]}"
            .formatted(called.shape() == Shape.RESPONSES ? "input" : "messages");
    byte[] told =
        TranslatedStreams.answered(
            TranslationPairsTest.translation(called, maker, first, "m"),
            answer(maker).getBytes(UTF_8));
    assertThat(new String(told, UTF_8)).contains("hm ü", "said", Seal.FORMAT);
    return next(called, JsonValue.parse(told));
  }

  @ParameterizedTest
  @MethodSource(PAIRS)
  void itsMakerGetsItsOwnForm(Translator called, Translator maker) throws Exception {
    Translation again = TranslationPairsTest.translation(called, maker, echo(called, maker), "m");

    String sent = new String(again.body(), UTF_8);
    assertThat(sent).contains(form(maker), "said").doesNotContain(Seal.FORMAT);
    assertThat(StrictProvider.faults(TranslationPairsTest.path(maker), sent)).isEmpty();
    assertThat(String.valueOf(again.dropped().header())).doesNotContain("reasoning");
  }

  @ParameterizedTest
  @MethodSource(PAIRS)
  void nobodyElseGetsIt(Translator called, Translator maker) throws Exception {
    String echoed = echo(called, maker);
    for (Translator other : TranslationPairsTest.ALL) {
      if (other == called) {
        continue;
      }
      Translation elsewhere =
          TranslationPairsTest.translation(called, other, echoed, "m", "another");

      String sent = new String(elsewhere.body(), UTF_8);
      assertThat(sent).contains("said").doesNotContain("hm ü", "s1.0", Seal.FORMAT);
      assertThat(StrictProvider.faults(TranslationPairsTest.path(other), sent)).isEmpty();
      assertThat(elsewhere.dropped().names()).contains("reasoning");
    }
    String untranslated =
        new String(ReasoningRemoval.ofSeals(echoed.getBytes(UTF_8), Seal::isSeal), UTF_8);
    assertThat(untranslated).contains("said").doesNotContain(Seal.FORMAT);
    assertThat(StrictProvider.faults(TranslationPairsTest.path(called), untranslated))
        .as(untranslated)
        .isEmpty();
  }

  @ParameterizedTest
  @MethodSource(PAIRS)
  void aSealThatWasChangedIsNoReasonToFail(Translator called, Translator maker) throws Exception {
    String echoed = echo(called, maker);
    int from = echoed.indexOf(Seal.FORMAT + ".") + Seal.FORMAT.length() + 1;
    int to = echoed.indexOf('"', from);
    Random random = new Random(50);
    for (int i = 0; i < 200; i++) {
      StringBuilder changed = new StringBuilder(echoed);
      if (random.nextBoolean()) {
        changed.setCharAt(from + random.nextInt(to - from), "Az0_=*".charAt(random.nextInt(6)));
      } else {
        changed.delete(from + random.nextInt(to - from), to);
      }
      String sent =
          new String(
              TranslationPairsTest.translation(called, maker, changed.toString(), "m").body(),
              UTF_8);
      assertThat(JsonValue.isValid(sent)).isTrue();
      assertThat(sent).contains("said").doesNotContain(Seal.FORMAT);
    }
    for (String raw :
        List.of(
            "7", "[" + "0,".repeat(200_000) + "0]", "{\"a\":[" + "[],".repeat(200_000) + "0]}")) {
      String forged =
          "{\"maker\":\"maker\",\"format\":\""
              + maker.shape().name().toLowerCase(Locale.ROOT)
              + "\",\"raw\":"
              + raw
              + "}";
      String seal = Base64.getUrlEncoder().withoutPadding().encodeToString(forged.getBytes(UTF_8));
      Translation again =
          TranslationPairsTest.translation(
              called, maker, echoed.substring(0, from) + seal + echoed.substring(to), "m");
      assertThat(again.body().length).isLessThan(2000);
      assertThat(again.dropped().names()).contains("reasoning");
    }
  }

  /** As vLLM and LM Studio tell what an open model thought. */
  @ParameterizedTest
  @CsvSource({"0", "1"})
  void reasoningThatIsNotEncryptedGoesBackAsItsItem(int format) throws Exception {
    Translator called = TranslationPairsTest.ALL.get(format);
    Translator responses = TranslationPairsTest.ALL.get(2);
    String item =
        "{'id':'rs_1','type':'reasoning','summary':[],'content':[{'type':'reasoning_text','text':'deep'}],'encrypted_content':null}"
            .replace('\'', '"');
    String output =
        "{'id':'i','status':'completed','model':'m','output':["
            + item
            + ",{'type':'function_call','id':'fc_1','call_id':'c1','name':'f','arguments':'{}'}]}";
    JsonValue answer =
        JsonValue.parse(
            TranslatedStreams.answered(
                TranslatedStreams.open(called, responses),
                output.replace('\'', '"').getBytes(UTF_8)));
    String user = "{'role':'user','content':'x'}";
    String next =
        called.shape() == Shape.CHAT
            ? "{'messages':[%s,%s,{'role':'tool','tool_call_id':'c1','content':'1'}]}"
                .formatted(user, answer.get("choices").items().get(0).get("message").raw())
            : ("{'max_tokens':9,'messages':[%s,{'role':'assistant','content':%s},{'role':'user',"
                    + "'content':[{'type':'tool_result','tool_use_id':'c1','content':'1'}]}]}")
                .formatted(user, answer.get("content").raw());
    Translation again =
        TranslationPairsTest.translation(called, responses, next.replace('\'', '"'), "m");

    assertThat(new String(again.body(), UTF_8))
        .contains(item + ",{\"type\":\"function_call\"", "\"store\":false");
    assertThat(again.dropped().header()).isNull();
  }

  /** Of an answer that is nothing but a thought, no maker takes it back: it says nothing more. */
  @ParameterizedTest
  @MethodSource(PAIRS)
  void anAnswerOfNothingButAThoughtGoesUpAsNone(Translator called, Translator maker)
      throws Exception {
    String echoed = echo(called, maker).replace("\"said\"", "\"\"");
    Translation again = TranslationPairsTest.translation(called, maker, echoed, "m");

    String sent = new String(again.body(), UTF_8);
    assertThat(StrictProvider.faults(TranslationPairsTest.path(maker), sent)).as(sent).isEmpty();
  }
}
