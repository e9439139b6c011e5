package io.memorygateway.search;

import io.memorygateway.language.Language;
import io.memorygateway.language.RelativeDates;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Computes the terms of messages: of their text, of the day when they were written and of the days
 * that they mention ({@code yesterday}), so that {@code in May 2023} finds them. Not safe for use
 * by several threads at once.
 */
final class MessageTerms {
  private static final DateTimeFormatter MONTH =
      DateTimeFormatter.ofPattern("MMMM uuuu", Locale.ENGLISH);

  /** Words by which the language is recognised. */
  private static final int FIRST_WORDS = 200;

  /** Characters that are searched for relative dates. */
  private static final int MAX_DATE_CHARACTERS = 20_000;

  private final TermReader reader;
  private final List<String> firstWords = new ArrayList<>();
  private final Set<String> longWords = new HashSet<>();
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
   * Reads the next message of a thread; a short one is taken to be in the language of the previous
   * one.
   *
   * @return how many terms of {@link #terms} it has
   */
  int read(String text, Instant time) {
    count = 0;
    mayHaveDates = false;
    firstWords.clear();
    longWords.clear();
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

  /**
   * The terms of the message that was read last, each as often as it occurs; the array may be
   * longer.
   */
  int[] terms() {
    return terms;
  }

  /** The longer words of the message that was read last. */
  Set<String> longWords() {
    return longWords;
  }

  private void addFirstWords() {
    language = Language.of(firstWords, language);
    for (int i = 0; i < firstWords.size(); i++) {
      add(firstWords.get(i), firstSpaced[i]);
    }
  }

  private void add(String word, boolean spaced) {
    mayHaveDates |= RelativeDates.isHint(word, language);
    if (spaced && Vocabulary.admits(word, Vocabulary.MIN_LETTERS)) {
      longWords.add(word);
    }
    add(reader.term(word, spaced, language));
  }

  private void add(int term) {
    if (count == terms.length) {
      terms = Arrays.copyOf(terms, 2 * count);
    }
    terms[count++] = term;
  }

  private void addDates(String text, LocalDate writtenOn) {
    if (mayHaveDates) {
      String dated = text.substring(0, Math.min(text.length(), MAX_DATE_CHARACTERS));
      for (String date : RelativeDates.dates(dated, language, writtenOn)) {
        addDate(date);
      }
    }
    if (!writtenOn.equals(day)) {
      int before = count;
      addDate(MONTH.format(writtenOn));
      // Not its number alone: "9 am" would be found in all messages of a 9th.
      DateTerms.ofDay(writtenOn).forEach(term -> add(TermReader.hash(term)));
      day = writtenOn;
      termsOfDay = Arrays.copyOfRange(terms, before, count);
    } else {
      for (int term : termsOfDay) {
        add(term);
      }
    }
  }

  /**
   * Adds the terms of a date: months have English names, which are not stemmed in other languages.
   */
  private void addDate(String date) {
    reader.read(
        date,
        (word, spaced) -> {
          add(reader.term(word, spaced, Language.ENGLISH));
          return true;
        });
  }
}
