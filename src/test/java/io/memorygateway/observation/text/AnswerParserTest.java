package io.memorygateway.observation.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.memorygateway.observation.text.BadAnswerException.Reason;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerParserTest {
  private static final String GOOD =
      """
      <observations>
      Date: November 20, 2026
      * 🔴 (09:30) User lives in Ghent.
        -> since 2019
      </observations>
      <current-task>
      Find a flat.
      </current-task>
      <suggested-response>
      Ask for the budget.
      </suggested-response>
      <thread-title>
      A flat in Ghent
      </thread-title>
      """;

  @Test
  void readsAllParts() throws Exception {
    Observation observation = AnswerParser.parse(GOOD, false);
    assertThat(observation.log())
        .isEqualTo("Date: November 20, 2026\n* 🔴 (09:30) User lives in Ghent.\n  -> since 2019");
    assertThat(observation.currentTask()).isEqualTo("Find a flat.");
    assertThat(observation.suggestedContinuation()).isEqualTo("Ask for the budget.");
    assertThat(observation.threadTitle()).isEqualTo("A flat in Ghent");
    assertThat(AnswerParser.parse("```xml\n" + GOOD + "```", false)).isEqualTo(observation);
  }

  /** An export with that character is refused where it is imported. */
  @Test
  void theCharacterNulIsLeftOut() throws Exception {
    String spoilt = GOOD.replace("Ghent", "Gh\0nt").replace("flat", "fl\0t").replace("Ask", "A\0k");
    Observation observation = AnswerParser.parse(spoilt, false);
    assertThat(observation.toString()).contains("Gh nt", "fl t", "A k").doesNotContain("\0");
  }

  @Test
  void onlyTheObservationsAreNeeded() throws Exception {
    Observation observation =
        AnswerParser.parse("<observations>\n* 🟢 one\n</observations>", false);
    assertThat(observation).isEqualTo(new Observation("* 🟢 one", null, null, null));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Sure! Here is what I found: the user likes tea.",
        "<observations>\nThe user likes tea.\n</observations>",
        "<observations>\n* a\n</observations>\n<observations>\n* b\n</observations>",
        "* a\n* b",
        "</observations>\n<observations>\n* a\n</observations>",
        "<observations>\n* a\n</observations>\n</observations>",
        "<observations>\n-> below nothing\n* a\n</observations>",
        "<observations>\n  below nothing\n* a\n</observations>",
        "<observations>* a</observations> and more",
        "and <observations>* a</observations>",
        "<observations>\n* a\n</observations>\n<current-task>\na\n<current-task>\n</current-task>",
        "{\"observations\":[]}"
      })
  void whatHasAnotherFormIsNotKept(String answer) {
    assertThat(reason(answer, false)).isEqualTo(Reason.UNPARSEABLE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " \n",
        "<observations>\n</observations>",
        "<observations>\nDate: November 20, 2026\n</observations>"
      })
  void emptyAnswersAreNotKept(String answer) {
    assertThat(reason(answer, false)).isEqualTo(Reason.EMPTY);
  }

  @Test
  void aSectionMayBeOnOneLine() throws Exception {
    assertThat(
            AnswerParser.parse(
                "<observations>* one</observations>\n <current-task> a </current-task> ", false))
        .isEqualTo(new Observation("* one", "a", null, null));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "* a\n-> b\n  c\n\n- d",
        "Date: November 20, 2026\n\n* a\nDate: November 21, 2026\n* b"
      })
  void linesBelongToTheItemAboveThem(String log) throws Exception {
    assertThat(AnswerParser.parse(log(log), false).log()).isEqualTo(log);
  }

  @Test
  void taskAndTitleAreBounded() throws Exception {
    String answer =
        log("* a") + "\n<current-task>\n%s\n</current-task>\n<thread-title>\n%s\n</thread-title>";
    String task = IntStream.range(1000, 1800).mapToObj(i -> i + "\n").collect(Collectors.joining());
    assertThat(task).hasSize(4_000);
    Observation longest =
        AnswerParser.parse(
            answer.formatted(task.substring(1) + "x", "n".repeat(200) + "\nmore"), false);
    assertThat(longest.currentTask()).isEqualTo(task.substring(1) + "x");
    assertThat(longest.threadTitle()).isEqualTo("n".repeat(200));
    Observation longer =
        AnswerParser.parse(answer.formatted(task.substring(1) + "😀", "n".repeat(201)), false);
    assertThat(longer.currentTask()).isEqualTo(task.substring(1));
    assertThat(longer.threadTitle()).isEqualTo("n".repeat(200));
    Observation blank = AnswerParser.parse(answer.formatted(" ", " "), false);
    assertThat(blank).isEqualTo(new Observation("* a", null, null, null));
  }

  @Test
  void onlyAFenceAroundTheAnswerIsRemoved() throws Exception {
    Observation one = new Observation("* a", null, null, null);
    assertThat(AnswerParser.parse("```\n" + log("* a") + "\n```", false)).isEqualTo(one);
    assertThat(AnswerParser.parse(log("* a") + "\n```", false)).isEqualTo(one);
    assertThat(AnswerParser.parse("```\n" + log("* a"), false)).isEqualTo(one);
    assertThat(AnswerParser.parse(log("* a\r\n* b").replace("\n", "\r\n"), false).log())
        .isEqualTo("* a\n* b");
    assertThat(reason("``````", false)).isEqualTo(Reason.UNPARSEABLE);
  }

  @Test
  void truncatedAnswersAreNotKept() {
    assertThat(reason(GOOD, true)).isEqualTo(Reason.TRUNCATED);
    assertThat(reason(GOOD.substring(0, GOOD.indexOf("</obs")), false)).isEqualTo(Reason.TRUNCATED);
    assertThat(reason(GOOD.substring(0, GOOD.indexOf("</current")), false))
        .isEqualTo(Reason.TRUNCATED);
  }

  @Test
  void loopsAreNotKept() {
    assertThat(
            reason(log("* 🟡 (10:00) The assistant searched for flats again.\n".repeat(60)), false))
        .isEqualTo(Reason.REPEATING);
    assertThat(reason(log("* 🟡 (10:00) " + "and then again ".repeat(200)), false))
        .isEqualTo(Reason.REPEATING);
    assertThat(reason(log("* 🟡 " + "x".repeat(20_000)), false)).isEqualTo(Reason.REPEATING);
  }

  @Test
  void whatHappenedOftenMayBeNotedOften() throws Exception {
    String polls =
        IntStream.range(0, 300)
            .mapToObj(
                i ->
                    "* 🟢 (%02d:%02d) The build was polled: still running."
                        .formatted(i / 60, i % 60))
            .collect(Collectors.joining("\n"));
    assertThat(AnswerParser.parse(log(polls), false).log()).isEqualTo(polls);
    String few = "* 🟢 (10:00) The user says yes.\n".repeat(10).strip();
    assertThat(AnswerParser.parse(log(few), false).log()).isEqualTo(few);
    String table =
        "* 🟢 (10:00) Prices: "
            + IntStream.range(0, 300)
                .mapToObj(i -> "item " + i + ": " + (i * 37 % 101) + ".90 EUR")
                .collect(Collectors.joining(", "));
    assertThat(AnswerParser.parse(log(table), false).log()).isEqualTo(table);
  }

  private static String log(String lines) {
    return "<observations>\n" + lines + "\n</observations>";
  }

  private static Reason reason(String answer, boolean truncated) {
    return catchThrowableOfType(
            BadAnswerException.class, () -> AnswerParser.parse(answer, truncated))
        .reason();
  }
}
