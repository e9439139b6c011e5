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
  private final List<String> firstWords = new ArrayList<>();
  private final boolean[] firstSpaced = new boolean[FIRST_WORDS];
  private int[] terms = new int[256];
  private int count;
  private boolean mayHaveDates;
  private Language language = Language.ENGLISH;
  private LocalDate day = LocalDate.EPOCH;
  private int[] termsOfDay = new int[0];

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
    mayHaveDates = false;
    firstWords.clear();
    reader.read(
        text,
        (word, spaced) -> {
          if (firstWords.size() < FIRST_WORDS) {
            firstSpaced[firstWords.size()] = spaced;
            firstWords.add(word);
            if (firstWords.size() == FIRST_WORDS) {
              addFirstWords();
            }
          } else {
            add(word, spaced);
          }
          return true;
        });
    if (firstWords.size() < FIRST_WORDS) {
      addFirstWords();
    }
    addDates(text, time.atZone(ZoneOffset.UTC).toLocalDate());
    return count;
  }

  /** The terms of the message that was read last, each as often as it occurs; more may follow. */
  int[] terms() {
    return terms;
  }

  private void addFirstWords() {
    language = Language.of(firstWords, language);
    for (int i = 0; i < firstWords.size(); i++) {
      add(firstWords.get(i), firstSpaced[i]);
    }
  }

  private void add(String word, boolean spaced) {
    mayHaveDates |= RelativeDates.isHint(word, language);
    add(reader.term(word, spaced, language));
  }

  private void add(int term) {
    if (count == terms.length) {
      terms = Arrays.copyOf(terms, 2 * count);
    }
    terms[count++] = term;
  }

  private void addDates(String text, LocalDate said) {
    if (mayHaveDates) {
      String dated = text.substring(0, Math.min(text.length(), MOST_OF_DATES));
      for (String date : RelativeDates.dates(dated, language, said)) {
        addDate(date);
      }
    }
    if (!said.equals(day)) {
      int before = count;
      addDate(DAY.format(said));
      day = said;
      termsOfDay = Arrays.copyOfRange(terms, before, count);
    } else {
      for (int term : termsOfDay) {
        add(term);
      }
    }
  }

  /** Months have English names, and stems of no other language. */
  private void addDate(String date) {
    reader.read(
        date,
        (word, spaced) -> {
          add(reader.term(word, spaced, Language.ENGLISH));
          return true;
        });
  }
}
