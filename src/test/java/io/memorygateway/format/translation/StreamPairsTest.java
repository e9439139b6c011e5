package io.memorygateway.format.translation;

import static io.memorygateway.format.translation.TranslatedStreams.answered;
import static io.memorygateway.format.translation.TranslatedStreams.body;
import static io.memorygateway.format.translation.TranslatedStreams.check;
import static io.memorygateway.format.translation.TranslatedStreams.format;
import static io.memorygateway.format.translation.TranslatedStreams.gathered;
import static io.memorygateway.format.translation.TranslatedStreams.once;
import static io.memorygateway.format.translation.TranslatedStreams.open;
import static io.memorygateway.format.translation.TranslatedStreams.read;
import static io.memorygateway.format.translation.TranslatedStreams.sent;
import static io.memorygateway.format.translation.TranslatedStreams.told;
import static io.memorygateway.format.translation.TranslatedStreams.translated;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.format.Format;
import io.memorygateway.format.answer.AnswerAssembler;
import io.memorygateway.format.answer.AnswerReplay;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.fourth.FourthTranslator;
import io.memorygateway.json.JsonValue;
import io.memorygateway.sse.SseSplitter;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.Runs;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Contract §14: what a target streams is the same answer in each other format. */
class StreamPairsTest {
  private static final int ANSWERS = Runs.of(150);

  /** All pairs, and those of each format with one that nothing knows by its name. */
  static Stream<Arguments> pairsWithFourth() {
    Translator fourth = new FourthTranslator();
    return Stream.concat(
        TranslationPairsTest.pairs(),
        TranslationPairsTest.ALL.stream()
            .flatMap(each -> Stream.of(Arguments.of(each, fourth), Arguments.of(fourth, each))));
  }

  @ParameterizedTest
  @MethodSource("pairsWithFourth")
  void aStreamIsTheSameAnswerHoweverItIsCut(Translator called, Translator target) throws Exception {
    Random random = new Random(47);
    for (int i = 0; i < ANSWERS; i++) {
      GeneratedAnswer answer = new GeneratedAnswer(random);
      byte[] stream = sent(target, answer.events);
      check(target, stream);
      byte[] whole = translated(open(called, target), stream, stream.length, null);
      String shown = new String(stream, UTF_8) + "\n\n" + new String(whole, UTF_8);
      assertThat(check(called, whole)).as(shown).isFalse();
      assertThat(text(translated(open(called, target), stream, 1, null))).isEqualTo(text(whole));
      assertThat(text(translated(open(called, target), stream, 60, random))).isEqualTo(text(whole));

      TranslatedStreams.Read expected = TranslatedStreams.Read.of(answer.whole());
      assertThat(read(called, whole)).as(shown).isEqualTo(expected);
      byte[] once =
          target.writeAnswer(
              answer.whole(),
              new Called(
                  JsonValue.of(body(target)),
                  new Names(List.of()),
                  "m",
                  null,
                  "maker",
                  () -> 7,
                  String::length));
      byte[] answered = answered(open(called, target), once);
      assertThat(
              TranslatedStreams.Read.of(
                  called.readAnswer(JsonValue.parse(answered), "maker", new CallIds())))
          .as(text(once) + "\n\n" + text(answered))
          .isEqualTo(expected);
      byte[] told = told(open(called, target), once);
      assertThat(check(called, told)).as(text(told)).isFalse();
      assertThat(read(called, told)).as(text(told)).isEqualTo(expected);
      byte[] gathered =
          open(called, target).answer(gathered(open(called, target), stream).answer());
      assertThat(
              TranslatedStreams.Read.of(
                  called.readAnswer(JsonValue.parse(gathered), "maker", new CallIds())))
          .as(text(gathered))
          .isEqualTo(expected);
      assertStored(called, whole, expected);
    }
  }

  /** The text of a stream without the ids and times that the gateway makes up. */
  private static String text(byte[] stream) {
    return new String(stream, UTF_8)
        .replaceAll("\"(created|created_at|completed_at)\":\\d+", "\"time\":0")
        .replaceAll(
            "\"(id|item_id)\":\"(msg|rs|fc|ctc|resp|chatcmpl)[-_][^\"]*\"", "\"$1\":\"$2\"");
  }

  /** What memory stores of a stream says what the stream says. */
  private static void assertStored(
      Translator called, byte[] stream, TranslatedStreams.Read expected) throws IOException {
    Format format = format(called);
    AnswerAssembler assembler = format.openAssembler(1 << 24, bytes -> true, true);
    SseSplitter splitter = new SseSplitter(64);
    splitter.feed(stream, 0, stream.length, assembler::accept);
    StringBuilder words = new StringBuilder();
    Map<String, String> calls = new LinkedHashMap<>();
    assembler
        .messages()
        .forEach(
            message ->
                message
                    .utterance()
                    .parts()
                    .forEach(
                        part -> {
                          if (part instanceof Part.Text text) {
                            words.append(text.text());
                          } else if (part instanceof Part.ToolCall call) {
                            calls.put(call.id() + " " + call.name(), call.arguments());
                          } else if (part instanceof Part.Other other) {
                            words.append(other.text());
                          }
                        }));
    assertThat(assembler.unreadable()).isFalse();
    assertThat(once(words, expected.stop()))
        .as(new String(stream, UTF_8))
        .isEqualTo(expected.words());
    assertThat(calls).isEqualTo(expected.calls());
  }

  static Stream<Translator> formats() {
    return TranslationPairsTest.ALL.stream();
  }

  /** What the tests' upstream streams, and what is streamed of a stored answer, keep the order. */
  @ParameterizedTest
  @MethodSource("formats")
  void nativeStreamsKeepTheOrderOfTheirFormat(Translator format) throws Exception {
    for (String text : new String[] {"Hello.", "Über 漢字 😀", "a\n\nb"}) {
      ObjectNode body = (ObjectNode) CannedReplies.json(body(format));
      body.put("stream", true).putObject("stream_options").put("include_usage", true);
      List<String> events =
          CannedReplies.reply(TranslationPairsTest.path(format), body, text).events();
      assertThat(check(format, String.join("", events).getBytes(UTF_8))).isFalse();
    }
    Random random = new Random(51);
    for (int i = 0; i < ANSWERS; i++) {
      GeneratedAnswer answer = new GeneratedAnswer(random);
      Called called =
          new Called(
              JsonValue.of(body(format)),
              new Names(List.of()),
              "m",
              null,
              "maker",
              () -> 7,
              String::length);
      byte[] whole = format.writeAnswer(answer.whole(), called);
      AnswerReplay replay = format(format).replay();
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      replay.stream(
          new AnswerReplay.Answered(replay.metadata(whole, true), format(format).answer(whole)),
          out);
      assertThat(check(format, out.toByteArray())).isFalse();
      assertThat(read(format, out.toByteArray()))
          .as(new String(whole, UTF_8))
          .isEqualTo(
              TranslatedStreams.Read.of(
                  format.readAnswer(JsonValue.parse(whole), "maker", new CallIds())));
    }
  }
}
