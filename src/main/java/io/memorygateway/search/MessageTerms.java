package io.memorygateway.search;

import io.memorygateway.language.Language;
import io.memorygateway.language.RelativeDates;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Makes the terms of messages: of their text, of the day when they were said and of the days that
 * they speak of ({@code yesterday}), so that {@code in May 2023} finds them. Not safe for use by
 * several threads at once.
 */
final class MessageTerms {
  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("d MMMM uuuu", Locale.ENGLISH);

  /** Words that tell the language. */
  private static final int FIRST_WORDS = 200;

  /** Characters in which relative dates are looked for. */
  private static final int MOST_OF_DATES = 20_000;

  private final TermReader reader;
  private int[] terms = new int[256];
  private int count;
  private Language language = Language.ENGLISH;

  MessageTerms(TermReader reader) {
    this.reader = reader;
  }

  /**
   * Reads the next message of a thread; of a short one the language is that of the one before.
   *
   * @return how many terms of {@link #terms} it has
   */
  int read(String text, Instant time) {
    count = 0;
    List<String> first = new ArrayList<>();
    reader.read(
        text,
        (word, spaced) -> {
          first.add(word);
          return first.size() < FIRST_WORDS;
        });
    language = Language.of(first, language);
    add(text);
    LocalDate day = time.atZone(ZoneOffset.UTC).toLocalDate();
    StringBuilder dates = new StringBuilder(DAY.format(day));
    String dated = text.substring(0, Math.min(text.length(), MOST_OF_DATES));
    for (String date : RelativeDates.dates(dated, language, day)) {
      dates.append(' ').append(date);
    }
    add(dates.toString());
    return count;
  }

  /** The terms of the message that was read last, each as often as it occurs; more may follow. */
  int[] terms() {
    return terms;
  }

  private void add(String text) {
    reader.read(
        text,
        (word, spaced) -> {
          if (count == terms.length) {
            terms = Arrays.copyOf(terms, 2 * count);
          }
          terms[count++] = reader.term(word, spaced, language);
          return true;
        });
  }
}
