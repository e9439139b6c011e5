package io.memorygateway.format.chat;

import static io.memorygateway.figures.TestFigures.tokens;
import static io.memorygateway.format.Answers.bytes;
import static io.memorygateway.format.Answers.text;
import static io.memorygateway.format.Answers.watch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.Calls;
import io.memorygateway.format.Format;
import io.memorygateway.format.answer.AnswerStream;
import io.memorygateway.format.answer.MalformedAnswerException;
import io.memorygateway.format.call.RequestBody;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChatFormatTest {
  private static final String TEXT =
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"},\"finish_reason\":null}],"
          + "\"usage\":null,\"error\": null}\n\n";
  private static final String STOP =
      "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
  private static final String USAGE =
      "data: {\"choices\":[],\"service_tier\":\"flex\",\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4,"
          + "\"total_tokens\":13,\"prompt_tokens_details\":{\"audio_tokens\":1,"
          + "\"cached_tokens\":8,\"cache_write_tokens\":3,\"x\":{}},\"completion_tokens_details\":{\"reasoning_tokens\":2,"
          + "\"audio_tokens\":5}}}\n\n";
  private static final Figures USED =
      tokens(9, 4, 8)
          .with(Figure.AUDIO_INPUT, 1)
          .with(Figure.CACHE_WRITE, 3)
          .with(Figure.REASONING, 2)
          .with(Figure.AUDIO_OUTPUT, 5)
          .withServiceTier("flex");
  private static final String DONE = "data: [DONE]\n\n";

  private final Format chat = new ChatFormat();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{`stream`:true,`model`:`a`,`n`:1.10}"
            + "|{`stream`:true,`model`:`b`,`stream_options`:{`include_usage`:true},`n`:1.10}",
        "{`model`:`a`,`stream`:true,`stream_options`: null }"
            + "|{`model`:`b`,`stream`:true,`stream_options`: {`include_usage`:true} }",
        "{`model`:`a`,`stream`:true,`stream_options`:{}}"
            + "|{`model`:`b`,`stream`:true,`stream_options`:{`include_usage`:true}}",
        "{`model`:`a`,`stream`:true,`stream_options`:{ }}"
            + "|{`model`:`b`,`stream`:true,`stream_options`:{`include_usage`:true }}",
        "{`stream_options`:{ `x` : 1e400},`model`:`a`,`stream`:true}"
            + "|{`stream_options`:{`include_usage`:true, `x` : 1e400},`model`:`b`,`stream`:true}",
        "{`stream_options`:{`x`:[{`include_usage`:false}], `include_usage` : false , `y`:{}},"
            + "`model`:`a`,`stream`:true}"
            + "|{`stream_options`:{`x`:[{`include_usage`:false}], `include_usage` : true , `y`:{}},"
            + "`model`:`b`,`stream`:true}",
        "{`model`:`a`,`stream`:true,`stream_options`:{`include_usage`:null}}"
            + "|{`model`:`b`,`stream`:true,`stream_options`:{`include_usage`:true}}",
        "{`model`:`a`,`stream`:true,`stream_options`:{`include_usage`: true}}"
            + "|{`model`:`b`,`stream`:true,`stream_options`:{`include_usage`: true}}",
        "{`model`:`a`,`stream`:false}|{`model`:`b`,`stream`:false}",
        "{`model`:`a`,`stream_options`:{`include_usage`:false}}"
            + "|{`model`:`b`,`stream_options`:{`include_usage`:false}}",
      })
  void asksForTheUsageOfAStreamAndOfNothingElse(String body, String upstream) throws Exception {
    // Back quotes above would be taken for quotes of the table.
    RequestBody request = RequestBody.parse(bytes(body.replace('`', '"')));

    assertThat(text(chat.prepare(request, Calls.model("b")))).isEqualTo(upstream.replace('`', '"'));
  }

  @Test
  void copiesNothingWhenNothingChanges() throws Exception {
    byte[] body =
        bytes("{\"model\":\"a\",\"stream\":true,\"stream_options\":{\"include_usage\":true}}");

    assertThat(chat.prepare(RequestBody.parse(body), Calls.model("a"))).isSameAs(body);
  }

  @Test
  void asksNotForUsageWhereThatIsRefused() throws Exception {
    byte[] body = bytes("{\"model\":\"a\",\"stream\":true,\"messages\":[]}");

    assertThat(chat.prepare(RequestBody.parse(body), Calls.strict("a"))).isSameAs(body);
  }

  @Test
  void asksForUsageWhenTheModelStays() throws Exception {
    RequestBody body = RequestBody.parse(bytes("{\"model\":\"a\",\"stream\":true}"));

    assertThat(text(chat.prepare(body, Calls.model("a"))))
        .isEqualTo("{\"model\":\"a\",\"stream_options\":{\"include_usage\":true},\"stream\":true}");
  }

  @Test
  void readsTheUsageThatComesAfterTheFinishReason() {
    AnswerStream stream = watch(chat, TEXT + STOP + USAGE + DONE);

    assertThat(stream.usage()).isEqualTo(USED);
    assertThat(stream.ended()).isTrue();
    assertThat(stream.failed()).isFalse();
  }

  @Test
  void readsUsageOnTheLastChunkItself() {
    String last =
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}],"
            + "\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\n";

    assertThat(watch(chat, TEXT + last + DONE).usage()).isEqualTo(tokens(1, 2, -1));
    assertThat(watch(chat, USAGE + last + DONE).usage())
        .as("the last one counts")
        .isEqualTo(tokens(1, 2, -1).withServiceTier("flex"));
    assertThat(watch(chat, USAGE + "data: {\"usage\":{}}\n\n" + DONE).usage())
        .as("an empty one says nothing")
        .isEqualTo(USED);
    assertThat(watch(chat, USAGE + TEXT + DONE).usage()).as("null").isEqualTo(USED);
  }

  @Test
  void isEndedByItsMarkerOnly() {
    assertThat(watch(chat, TEXT).complete()).isFalse();
    assertThat(watch(chat, TEXT + STOP).ended()).isFalse();
    assertThat(watch(chat, TEXT + STOP).complete()).as("a clean close is an end").isTrue();
    assertThat(watch(chat, TEXT + DONE).ended()).isTrue();
    assertThat(watch(chat, "data:[DONE] \r\n\r\n").ended()).isTrue();
    assertThat(watch(chat, "data: [DONE]").ended()).as("without its blank line").isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "data: {\"error\":{\"message\":\"m\",\"type\":\"t\"}}\n\n",
        "data: { \"error\" : \"m\" , \"choices\":[]}\r\n\r\n",
        "data: {\"choices\":[{\"finish_reason\":\"error\"}],\"error\":{\"code\":502}}\n\n",
        "event: error\ndata: {\"message\":\"m\"}\n\n",
        "data: {\ndata: \"error\":\ndata: {\"code\":502}}\n\n"
      })
  void seesAnErrorOfTheUpstream(String error) {
    assertThat(watch(chat, TEXT + error).failed()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "data: {\"choices\":[{\"delta\":{\"content\":\"\\\"error\\\":1,\\\"usage\\\":{}\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"error\":{},\"finish_reason\":\"stop\",\"usage\":{}}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"error\"},\"x\":\"finish_reason\"}]}\n\n",
        "data: {\"choices\":{\"finish_reason\":\"stop\"}}\n\n",
        "data: {\"choices\":[[{\"finish_reason\":\"stop\"}],\"finish_reason\",1]}\n\n",
        "data: {\"usage\":[{\"prompt_tokens\":1}]}\n\n",
        "data: {\"usage\":{\"prompt_tokens\":\"1\",\"completion_tokens\":null}}\n\n",
        "data: {\"usage\":{\"prompt_tokens\":-5,\"completion_tokens\":1e400}}\n\n",
        "data: {\"usage\":{\"prompt_tokens\":99999999999999999999}}\n\n",
        "data: {\"usage\":{\"prompt_tokens_details\":null}}\n\n",
        "data: {\"error\"\n\n",
        "data: [\"error\": 1]\n\n",
        "data: \"error\": 1\n\n",
        "data: \n\n",
        ": [DONE]\n\n",
        "data: \"[DONE]\"\n\n",
        "data: {\"usage\"::{}}\n\n"
      })
  void isNotDeceived(String event) {
    AnswerStream stream = watch(chat, TEXT + event);

    assertThat(stream.failed()).isFalse();
    assertThat(stream.complete()).isFalse();
    assertThat(stream.usage()).isEqualTo(Figures.NONE);
  }

  @Test
  void seesTheSameHoweverTheStreamIsCut() {
    String stream = "\ufeff: c\r\n\r\n" + TEXT + STOP + USAGE.replace("\n", "\r\n") + DONE;
    for (int chunk = 1; chunk < 200; chunk++) {
      AnswerStream answer = watch(chat, stream, 1 << 20, chunk);
      assertThat(answer.ended()).isTrue();
      assertThat(answer.usage()).isEqualTo(USED);
    }
  }

  @Test
  void endsADeadStreamWithAnErrorAndNoMarker() {
    byte[] error = watch(chat, TEXT).errorEvent("upstream_error", "The upstream \"died\".\n");

    assertThat(text(error))
        .isEqualTo(
            "data: {\"error\":{\"message\":\"The upstream \\\"died\\\".\\n\","
                + "\"type\":\"upstream_error\"}}\n\n");
    assertThat(watch(chat, text(error)).failed()).isTrue();
  }

  @Test
  void readsTheUsageOfAnAnswer() throws Exception {
    assertThat(
            chat.wholeAnswer(
                    bytes(
                        "{\"choices\":[{\"message\":{\"usage\":{\"prompt_tokens\":1}}}],\"usage\":"
                            + "{\"prompt_tokens\":9,\"completion_tokens\":4,"
                            + "\"prompt_tokens_details\":{\"cached_tokens\":8}},\"service_tier\":\"priority\",\"n\":1e400}"))
                .usage())
        .isEqualTo(tokens(9, 4, 8).withServiceTier("priority"));
    assertThat(chat.wholeAnswer(bytes("{}")).usage()).isEqualTo(Figures.NONE);
    assertThat(chat.wholeAnswer(bytes("{\"usage\":null}")).usage()).isEqualTo(Figures.NONE);
    assertThat(chat.wholeAnswer(bytes("{\"usage\":[1,[2]]}")).usage()).isEqualTo(Figures.NONE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "<html>",
        "[]",
        "\"x\"",
        "{\"usage\":{\"prompt_tokens\":1}",
        "{} {}",
        "{}x",
        "{\"a\"}"
      })
  void refusesAnAnswerThatIsNotOneJsonObject(String answer) {
    assertThatThrownBy(() -> chat.wholeAnswer(bytes(answer)))
        .isInstanceOf(MalformedAnswerException.class);
  }
}
