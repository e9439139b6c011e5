package io.memorygateway.observation.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §8: without a model, a log is condensed to the lines that say most. */
class ExtractiveReflectorTest {
  private static final TokenCounter COUNTER = new TokenCounter();
  private static final SignalWords SIGNALS = SignalWords.load();
  private static final ExtractiveReflector REFLECTOR =
      new ExtractiveReflector(COUNTER, SIGNALS, () -> {});

  @Test
  void theBestLinesStayInOrderWithinTheBudget() {
    StringBuilder log = new StringBuilder();
    for (int day = 1; day <= 9; day++) {
      log.append("Date: Nov ").append(day).append(", 2026\n");
      for (int i = 0; i < 20; i++) {
        log.append("* 🟢 (10:%02d) Assistant: It is going on as before, %d.%n".formatted(i, i));
      }
      log.append("* 🔴 (11:00) User: I decided on plan ")
          .append(day)
          .append(" with Ada.\n  -> it costs ")
          .append(day * 10)
          .append(" euros\n");
    }
    int budget = COUNTER.count(log.toString()) / 4;
    String condensed = REFLECTOR.reflect(log.toString(), budget).log();
    assertThat(COUNTER.count(condensed)).isLessThanOrEqualTo(budget);
    List<String> before = log.toString().lines().toList();
    int from = 0;
    for (String line : condensed.lines().toList()) {
      int at = before.subList(from, before.size()).indexOf(line);
      assertThat(at).as(line).isNotNegative();
      from += at + 1;
    }
    for (int day = 1; day <= 9; day++) {
      assertThat(condensed)
          .contains(
              "* 🔴 (11:00) User: I decided on plan "
                  + day
                  + " with Ada.\n  -> it costs "
                  + day * 10);
    }
  }

  @Test
  void aLogThatFitsIsOnlyRidOfRepetitions() {
    String log =
        """
        preface
        Date: November 20, 2026
        * (09:30) User: I live in Ghent.
          -> since 2019

        - 🟢 (09:40) Assistant: fine
        Date: November 21, 2026
        * (10:30) User: I work at Hotel Aurora.
        * (11:30) User: I work at Hotel Aurora!
        * 🔴 (12:30) User: I work at Hotel Aurora.
        """;
    assertThat(REFLECTOR.reflect(log, 1000))
        .isEqualTo(
            new Observation(
                """
                preface
                Date: November 20, 2026
                * (09:30) User: I live in Ghent.
                  -> since 2019
                - 🟢 (09:40) Assistant: fine
                Date: November 21, 2026
                * 🔴 (12:30) User: I work at Hotel Aurora.\
                """,
                null,
                null,
                null));
    assertThat(REFLECTOR.reflect("", 1000).log()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"🔴, 🟡", "🔴, 🟢", "🟡, 🟢", "🟡, ''"})
  void ofLinesThatSayTheSameTheMoreImportantStays(String more, String less) {
    String log = "* %s zorp blick one\n* %s zorp blick two\n".formatted(less, more);
    assertThat(REFLECTOR.reflect(log, 1).log()).isEqualTo("* %s zorp blick two".formatted(more));
  }

  /** The lines, their ends and the lines of their dates count. */
  @Test
  void theBudgetIsUsedUpAndNotExceeded() {
    StringBuilder log = new StringBuilder();
    for (int i = 1; i <= 30; i++) {
      log.append(i % 3 == 1 ? "Date: November %d, 2026\n".formatted(i) : "");
      log.append("* (09:%02d) User: I bought item %d at shop %d.\n".formatted(i, i, 7 * i));
    }
    int line =
        COUNTER.count("Date: November 28, 2026\n* (09:28) User: I bought item 28 at shop 1.");
    for (int budget = 2 * line; budget < COUNTER.count(log.toString()); budget += 7) {
      String condensed = REFLECTOR.reflect(log.toString(), budget).log();
      assertThat(COUNTER.count(condensed)).isBetween(budget - 2 * line, budget);
    }
  }

  @Test
  void aWaitIsPossibleAtEachLineOfEachPass() {
    AtomicInteger pauses = new AtomicInteger();
    new ExtractiveReflector(COUNTER, SIGNALS, pauses::incrementAndGet)
        .reflect("* one line\n".repeat(100), 50);
    assertThat(pauses).hasValueGreaterThanOrEqualTo(300);
  }
}
