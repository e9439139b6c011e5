package io.memorygateway.format.responses;

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
import io.memorygateway.format.answer.WholeAnswer;
import io.memorygateway.format.call.RequestBody;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResponsesFormatTest {
  private static final String CREATED =
      "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"metadata\":"
          + "{\"sequence_number\":\"77\"},\"usage\":null},\"sequence_number\":0}\n\n";
  private static final String TEXT =
      "event: response.output_text.delta\n"
          + "data: {\"type\":\"response.output_text.delta\",\"delta\":\"\\\"sequence_number\\\":99"
          + " response.completed\",\"sequence_number\" : 41}\n\n";
  private static final String COMPLETED =
      "event: response.completed\n"
          + "data: {\"type\":\"response.completed\",\"sequence_number\":42,"
          + "\"response\":{\"service_tier\":\"priority\",\"output\":[{\"usage\":{}}],\"usage\":{\"input_tokens\":9,\"input_tokens_details\":{\"cached_tokens\":8,\"cache_write_tokens\":3},\"output_tokens\":4,\"output_tokens_details\":{\"reasoning_tokens\":2},\"total_tokens\":13}}}\n\n";
  private static final Figures USED =
      tokens(9, 4, 8)
          .with(Figure.CACHE_WRITE, 3)
          .with(Figure.REASONING, 2)
          .withServiceTier("priority");

  private final Format responses = new ResponsesFormat();

  @Test
  void changesTheModelOnly() throws Exception {
    RequestBody body =
        RequestBody.parse(
            bytes(
                "{\"stream\":true,\"model\":\"a\",\"stream_options\":{\"include_obfuscation\":false}}"));

    assertThat(text(responses.prepare(body, Calls.model("b"))))
        .isEqualTo(
            "{\"stream\":true,\"model\":\"b\",\"stream_options\":{\"include_obfuscation\":false}}");
  }

  @Test
  void readsTheUsageOfTheLastEvent() {
    assertThat(watch(responses, CREATED + TEXT).usage()).isEqualTo(Figures.NONE);
    assertThat(watch(responses, CREATED + TEXT + COMPLETED).usage()).isEqualTo(USED);
  }

  /** OpenAI repeats the tier that was asked for, and grants it or not. */
  @Test
  void theServiceTierIsThatOfTheLastEvent() {
    String asked = CREATED.replace("\"usage\"", "\"service_tier\":\"flex\",\"usage\"");
    for (String told : new String[] {"default", "priority"}) {
      String end = COMPLETED.replace("priority", told);
      assertThat(watch(responses, asked + TEXT + end).usage().serviceTier())
          .isEqualTo(told.equals("default") ? null : told);
    }
    String silent = COMPLETED.replace("\"priority\"", "null");
    assertThat(watch(responses, asked + TEXT + silent).usage().serviceTier()).isEqualTo("flex");
  }

  @ParameterizedTest
  @ValueSource(strings = {"completed", "incomplete", "failed", "cancelled"})
  void isEndedByAnyLastEvent(String end) {
    String last = COMPLETED.replace("completed", end);

    assertThat(watch(responses, CREATED + TEXT).complete()).isFalse();
    for (String stream :
        new String[] {last, last.replaceFirst("event:.*\n", ""), last.stripTrailing()}) {
      AnswerStream answer = watch(responses, CREATED + TEXT + stream);
      assertThat(answer.ended()).isTrue();
      assertThat(answer.usage()).isEqualTo(USED);
      assertThat(answer.failed()).isEqualTo(end.equals("failed") || end.equals("cancelled"));
    }
  }

  @Test
  void isNotEndedByHalfOfTheLastEvent() {
    String half = COMPLETED.substring(0, COMPLETED.length() / 2);

    assertThat(watch(responses, CREATED + half).ended()).isFalse();
    assertThat(watch(responses, CREATED + half, 20, 50).ended()).isFalse();
    assertThat(watch(responses, CREATED + half + "\n").complete()).isFalse();
  }

  @Test
  void isEndedByALastEventTooLargeToHold() {
    for (int chunk : new int[] {7, 25, 60}) {
      AnswerStream answer = watch(responses, CREATED + TEXT + COMPLETED, 50, chunk);

      assertThat(answer.ended()).isTrue();
      assertThat(answer.usage()).isEqualTo(USED);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "event: error\ndata: {\"type\":\"error\",\"message\":\"m\",\"sequence_number\":1}\n\n",
        "data: {\"type\":\"error\",\"code\":null}\n\n"
      })
  void seesAnErrorOfTheUpstream(String error) {
    assertThat(watch(responses, CREATED + error).failed()).isTrue();
    assertThat(watch(responses, CREATED + error).ended()).isFalse();
  }

  @Test
  void numbersItsErrorEventAfterTheLastOne() {
    assertThat(text(watch(responses, "").errorEvent("t", "m")))
        .isEqualTo(
            "event: error\ndata: {\"type\":\"error\",\"code\":\"t\",\"message\":\"m\","
                + "\"param\":null,\"sequence_number\":0}\n\n");
    assertThat(errorAfter(CREATED)).endsWith("\"sequence_number\":1}\n\n");
    assertThat(errorAfter(CREATED + TEXT)).endsWith("\"sequence_number\":42}\n\n");
    assertThat(errorAfter(TEXT + CREATED)).endsWith("\"sequence_number\":1}\n\n");
    assertThat(errorAfter(TEXT + ": c\n\n" + "data: {}\n\n"))
        .endsWith("\"sequence_number\":42}\n\n");
  }

  @Test
  void quotesItsErrorEvent() {
    String error = text(watch(responses, TEXT).errorEvent("a\"b", "%s\n\u2028"));

    assertThat(error).contains("\"code\":\"a\\\"b\"").contains("\"message\":\"%s\\n\u2028\"");
    assertThat(watch(responses, error).failed()).isTrue();
  }

  @Test
  void seesTheSameHoweverTheStreamIsCut() {
    for (int chunk = 1; chunk < 200; chunk++) {
      AnswerStream answer = watch(responses, CREATED + TEXT + COMPLETED, 1 << 20, chunk);
      assertThat(answer.ended()).isTrue();
      assertThat(answer.usage()).isEqualTo(USED);
      assertThat(text(answer.errorEvent("t", "m"))).contains("\"sequence_number\":43}");
    }
  }

  @Test
  void readsTheUsageOfAnAnswer() throws Exception {
    assertThat(
            responses
                .wholeAnswer(
                    bytes(
                        "{\"output\":[],\"service_tier\":\"flex\",\"usage\":{\"input_tokens\":9,\"output_tokens\":4,"
                            + "\"input_tokens_details\":{\"cached_tokens\":0}}}"))
                .usage())
        .isEqualTo(tokens(9, 4, 0).withServiceTier("flex"));
    String failed = "{\"status\":\"failed\",\"output\":[%s]}";
    assertThat(responses.wholeAnswer(bytes(failed.formatted(""))).content())
        .isEqualTo(WholeAnswer.Content.ERROR);
    assertThat(responses.wholeAnswer(bytes(failed.formatted("{}"))).content())
        .isEqualTo(WholeAnswer.Content.PART);
    assertThatThrownBy(() -> responses.wholeAnswer(bytes("{")))
        .isInstanceOf(MalformedAnswerException.class);
  }

  private String errorAfter(String stream) {
    return text(watch(responses, stream).errorEvent("t", "m"));
  }
}
