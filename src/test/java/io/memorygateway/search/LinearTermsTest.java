package io.memorygateway.search;

import static io.memorygateway.testing.HostileText.assertLinear;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.memorygateway.language.Language;
import io.memorygateway.language.RelativeDates;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** To index a message, and to read a query, takes work in proportion to its length. */
@Tag("heavy")
class LinearTermsTest {
  private static final int LENGTH = 1_000;

  @Test
  void termsAreRead() {
    MessageTerms terms = new MessageTerms(new TermReader());
    assertLinear(LENGTH, text -> terms.read(text, Instant.EPOCH));
    assertLinear(LENGTH, text -> terms.read("the day we met was yesterday " + text, Instant.EPOCH));
    assertLinear(LENGTH, text -> Query.of(text, new TermReader(), LocalDate.of(2026, 11, 20)));
  }

  @Test
  void phrasesAreFoundHoweverManyThereAre() {
    assertLinear(
        6,
        part -> "\"" + "x ".repeat(16) + "\" ",
        text -> {
          Query query = Query.of(text, new TermReader(), LocalDate.of(2026, 11, 20));
          int[] terms = new int[100 * text.length()];
          Arrays.fill(terms, query.terms()[0]);
          query.countPhrases(terms, 0, terms.length, new int[query.size()]);
        });
  }

  /** The words of a caller's messages may all end alike. */
  @Test
  void wordsThatStandForAnotherAreAllThatIsHeld() {
    Vocabulary words =
        Vocabulary.of(
            IntStream.range(0, 100_000)
                .mapToObj(i -> String.valueOf(i).chars().mapToObj(d -> (char) (d - '0' + 'a')))
                .map(letters -> letters.map(String::valueOf).collect(joining()) + "ending")
                .toList());
    ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    WiderQuery wider = new WiderQuery(List.of(words));
    wider.instead("qqqqqqqqending");
    long before = thread.getCurrentThreadAllocatedBytes();

    assertThat(wider.instead("qqqqqqqqqending")).isEmpty();

    assertThat(thread.getCurrentThreadAllocatedBytes() - before).isLessThan(100_000);
  }

  @ParameterizedTest
  @EnumSource
  void relativeDatesAreFound(Language language) {
    LocalDate today = LocalDate.of(2026, 11, 20);
    assertLinear(LENGTH / 3, text -> RelativeDates.resolve(text, language, today));
  }
}
