package io.memorygateway.search;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.Month;
import java.time.format.TextStyle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Recognises dates among the words of a text ({@code 2024-05-03}, {@code 03.05.2024}, {@code 3. Mai
 * 2024}, {@code May 3, 2024}, {@code 2024年5月3日}), and gives the same words for all of them: one for
 * the day, one for the day of whatever year, which those without a year have alone, and the English
 * name of the month. Not safe for use by several threads at once.
 */
final class DateTerms {
  private static final int MAX_PARTS = 3;

  /** One that has all days. */
  private static final int LEAP_YEAR = 2000;

  /** Where month and day begin in {@code 2024-05-03}. */
  private static final int DAY_OF_YEAR = 5;

  private static final Map<String, Integer> MONTHS = months();
  private static final Set<String> BETWEEN =
      Set.of("de", "of", "the", "del", "年", "日", "号", "년", "일");

  private static final Set<String> MONTH = Set.of("月", "월");
  private static final Set<String> ENDINGS = Set.of("st", "nd", "rd", "th", "er");

  /** Those of the words read last, in their order: day and year, and a month that is a number. */
  private final List<Integer> numbers = new ArrayList<>();

  private int month;
  private boolean english;
  private boolean isNamed;

  private static Map<String, Integer> months() {
    Map<String, Integer> months = new HashMap<>();
    for (String language :
        "en de fr es it pt nl pl ru uk tr sv da nb fi cs hu ro el ar hi".split(" ", -1)) {
      for (TextStyle style : List.of(TextStyle.FULL, TextStyle.FULL_STANDALONE, TextStyle.SHORT)) {
        for (Month month : Month.values()) {
          String name =
              WordFolding.fold(month.getDisplayName(style, Locale.forLanguageTag(language)));
          String plain = name.replace(".", "");
          if (plain.length() > 2 && Character.isLetter(plain.charAt(0))) {
            months.putIfAbsent(plain, month.getValue());
          }
        }
      }
    }
    return months;
  }

  /**
   * Takes the next word of a text.
   *
   * @param word folded
   * @return words of the date that ended before this one, or with it
   */
  List<String> next(String word) {
    if (BETWEEN.contains(word)) {
      return List.of();
    }
    if (MONTH.contains(word) && !numbers.isEmpty() && month == 0) {
      month = numbers.remove(numbers.size() - 1);
      return List.of();
    }
    Integer named = MONTHS.get(word);
    int number = number(word);
    List<String> ended = List.of();
    if ((named == null && number < 0)
        || (named != null && month > 0)
        || (number >= 0 && numbers.size() + (month > 0 ? 1 : 0) == MAX_PARTS)) {
      ended = end();
    }
    if (named != null) {
      month = named;
      isNamed = true;
      english = name(named).equals(word);
    } else if (number >= 0) {
      numbers.add(number);
    } else if (Character.isDigit(word.charAt(0))) {
      return dotted(word);
    }
    return ended;
  }

  /** The words of the date that the text ends with. */
  List<String> end() {
    List<String> words = new ArrayList<>();
    if (month > 0 && !numbers.isEmpty()) {
      int day = numbers.stream().filter(each -> each <= 31).findFirst().orElse(0);
      int year = numbers.stream().filter(each -> each > 31).findFirst().orElse(0);
      words.addAll(year == 0 ? date(LEAP_YEAR, month, day) : date(year, month, day));
      if (year == 0 && !words.isEmpty()) {
        words.remove(0);
      }
      if (words.isEmpty() && !english && month <= 12) {
        words.add(name(month));
      } else if (isNamed && english) {
        words.remove(name(month));
      }
    } else if (numbers.size() == MAX_PARTS && numbers.get(0) > 31) {
      words.addAll(date(numbers.get(0), numbers.get(1), numbers.get(2)));
    }
    numbers.clear();
    month = 0;
    isNamed = false;
    english = false;
    return words;
  }

  /** Whether a word is that of a day, as {@code 2024-05-03}. */
  static boolean isDay(String word) {
    return word.length() == 10 && word.charAt(4) == '-';
  }

  /** The words of a day: of its year, and of whatever year. */
  static List<String> ofDay(LocalDate day) {
    String date = day.toString();
    return List.of(date, date.substring(DAY_OF_YEAR));
  }

  private static List<String> dotted(String word) {
    String[] parts = word.replace('.', ' ').split(" ", -1);
    if (parts.length != MAX_PARTS) {
      return List.of();
    }
    int[] values = new int[MAX_PARTS];
    for (int i = 0; i < MAX_PARTS; i++) {
      values[i] = number(parts[i]);
    }
    return values[0] > 31
        ? date(values[0], values[1], values[2])
        : date(values[2], values[1], values[0]);
  }

  private static List<String> date(int year, int month, int day) {
    if (year < 1000) {
      return List.of();
    }
    try {
      List<String> words = new ArrayList<>(ofDay(LocalDate.of(year, month, day)));
      words.add(name(month));
      return words;
    } catch (DateTimeException e) {
      return List.of();
    }
  }

  private static String name(int month) {
    return Month.of(month).getDisplayName(TextStyle.FULL, Locale.ENGLISH).toLowerCase(Locale.ROOT);
  }

  /** A number of at most four digits, also with an English or French ending; otherwise -1. */
  private static int number(String word) {
    int digits = 0;
    int value = 0;
    while (digits < word.length() && digits < 5 && isDigit(word.charAt(digits))) {
      value = 10 * value + word.charAt(digits++) - '0';
    }
    String ending = word.substring(digits);
    boolean isNumber = digits > 0 && digits < 5 && (ending.isEmpty() || ENDINGS.contains(ending));
    return isNumber ? value : -1;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
