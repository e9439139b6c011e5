package io.memorygateway.search;

import static io.memorygateway.testing.HostileText.assertLinear;

import io.memorygateway.language.Language;
import io.memorygateway.language.RelativeDates;
import java.time.Instant;
import java.time.LocalDate;
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

  @ParameterizedTest
  @EnumSource
  void relativeDatesAreFound(Language language) {
    LocalDate today = LocalDate.of(2026, 11, 20);
    assertLinear(LENGTH / 2, text -> RelativeDates.resolve(text, language, today));
  }
}
