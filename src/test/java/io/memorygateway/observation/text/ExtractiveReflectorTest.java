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

  /** An assistant writes long lines, which say more than a line of the user in sum. */
  @Test
  void whatTheUserSaidOutlivesManyLongAnswers() {
    StringBuilder log = new StringBuilder("Date: November 20, 2026\n");
    for (int i = 0; i < 40; i++) {
      log.append("* User: I moved to city number ").append(i).append(" this spring.\n");
      log.append("* Assistant:");
      for (int j = 0; j < 8; j++) {
        log.append(
            " Museum Alpha%d%d opens at %d:30 on Monday, Tuesday and Friday.".formatted(i, j, j));
      }
      log.append('\n');
    }
    String condensed = log.toString();
    for (int i = 0; i < 3; i++) {
      condensed = REFLECTOR.reflect(condensed, COUNTER.count(condensed) * 3 / 4).log();
    }
    for (int i = 0; i < 40; i++) {
      assertThat(condensed).contains("I moved to city number " + i + " this spring.");
    }
    assertThat(condensed).contains("* Assistant: Museum");
  }

  /** A line of several sentences need not go or stay as a whole. */
  @Test
  void ofALineTheSentencesThatSayMostRemain() {
    String log =
        """
        Date: November 20, 2026
        * 🔴 (09:30) User: That was really so nice of them. My flight to Oslo is on March 3 at 7:15.
        * Assistant: Well, it is what it is. Gate 14 of Terminal B opens at 6:30.
        """;
    assertThat(REFLECTOR.reflect(log, COUNTER.count(log) - 10).log())
        .isEqualTo(
            """
            Date: November 20, 2026
            * 🔴 (09:30) User: My flight to Oslo is on March 3 at 7:15.
            * Assistant: Gate 14 of Terminal B opens at 6:30.\
            """);
  }

  /** Again and again condensed, a log retains what says most, whenever it was said. */
  @Test
  void ageCostsNothing() {
    StringBuilder first = new StringBuilder("Date: November 1, 2026\n");
    for (int i = 0; i < 5; i++) {
      first.append("* User: I was born in Ghent in 195%d, on May %d.\n".formatted(i, i + 3));
    }
    String log = first.toString();
    for (int round = 0; round < 10; round++) {
      StringBuilder more = new StringBuilder("Date: December %d, 2026\n".formatted(round + 1));
      for (int i = 0; i < 20; i++) {
        more.append("* User: and so it went on as before, zorp%d.\n".formatted(100 * round + i));
      }
      log = REFLECTOR.reflect(log + "\n" + more, 300).log();
    }
    assertThat(log).startsWith(first.toString().strip());
  }

  @Test
  void aWaitIsPossibleAtEachLineOfEachPass() {
    AtomicInteger pauses = new AtomicInteger();
    new ExtractiveReflector(COUNTER, SIGNALS, pauses::incrementAndGet)
        .reflect("* one line\n".repeat(100), 50);
    assertThat(pauses).hasValueGreaterThanOrEqualTo(300);
  }
}
