package io.memorygateway.language;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAdjusters;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Resolves dates that are given relative to the day of a message: {@code yesterday} of May 8, 2023
 * becomes {@code yesterday [May 7]}, in the languages of {@code relative-dates.txt}. The patterns
 * repeat nothing without a bound, so that the search is linear.
 */
public final class RelativeDates {
  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("MMMM d, uuuu", Locale.ENGLISH);
  private static final DateTimeFormatter MONTH =
      DateTimeFormatter.ofPattern("MMMM uuuu", Locale.ENGLISH);

  /** The most phrases of a sentence that are resolved. */
  private static final int MAX_PHRASES = 8;

  /** The end of a phrase in a sentence, its date, and whether that is before the day of writing. */
  private record Resolved(int end, String date, boolean isPast) {

    /** The date without a year at its end, unless it is nothing else. */
    String without(String year) {
      String rest =
          date.endsWith(" " + year) ? date.substring(0, date.length() - year.length() - 1) : date;
      return rest.endsWith(",") ? rest.substring(0, rest.length() - 1) : rest;
    }
  }

  private enum Unit {
    DAY,
    WEEK,
    WEEKEND,
    MONTH,
    YEAR,
    /** The last or the next one. */
    WEEKDAY,
    /** That of a week, by its offset. */
    IN_WEEK
  }

  /**
   * A phrase.
   *
   * @param pattern with a group {@code n} for a count of units, {@code day} for a day of the week
   * @param offset in units; the factor of the count, where there is one
   * @param counted whether the pattern has a count
   */
  private record Phrase(Pattern pattern, Unit unit, int offset, boolean counted) {}

  /** Where the second column of the tables begins. */
  private static final int COLUMN = 11;

  /** From here on letters are of other scripts than Latin. */
  private static final char FIRST_OTHER = '\u0400';

  private static final Map<Language, List<Phrase>> PHRASES = new EnumMap<>(Language.class);
  private static final Map<Language, Set<String>> HINTS = new EnumMap<>(Language.class);
  private static final Map<String, DayOfWeek> DAYS = new HashMap<>();
  private static final Map<String, Integer> NUMBERS = new HashMap<>();

  static {
    for (String table :
        WordTable.read("/language/relative-dates.txt").replace("\n[", "~").split("~", -1)) {
      if (!table.startsWith("#")) {
        read(table);
      }
    }
  }

  private RelativeDates() {}

  private static void read(String table) {
    String head = table.substring(0, table.indexOf(']'));
    boolean unspaced = head.endsWith(" unspaced");
    Language language = Language.valueOf(head.split(" ", -1)[0]);
    List<Phrase> phrases = PHRASES.computeIfAbsent(language, key -> new ArrayList<>());
    Set<String> hints = HINTS.computeIfAbsent(language, key -> new HashSet<>());
    Map<String, String> words = new HashMap<>();
    for (String line : table.substring(table.indexOf('\n') + 1).split("\n", -1)) {
      String name = line.substring(0, COLUMN).strip();
      String text = line.substring(COLUMN);
      if (name.contains(" ")) {
        phrases.addAll(phrases(name.split(" ", -1), text, words, unspaced));
      } else if (name.equals("hints")) {
        hints.addAll(List.of(text.split(" ", -1)));
      } else {
        words.merge(name, text, (first, second) -> first + "/" + second);
      }
      List<String> each = List.of(text.split("/", -1));
      for (int i = 0; i < each.size() && name.equals("day"); i++) {
        DAYS.put(each.get(i), DayOfWeek.of(i + 1));
      }
      for (int i = 0; i < each.size() && name.equals("n"); i++) {
        NUMBERS.put(each.get(i), i + 1);
      }
    }
  }

  private static List<Phrase> phrases(
      String[] name, String text, Map<String, String> words, boolean unspaced) {
    String pattern =
        text.replace("{day}", "(?<day>" + words.get("day") + ")")
            .replace("{n}", "(?<n>" + words.get("n") + "|\\p{Nd}{1,3})")
            .replace('/', '|');
    boolean counted = name[0].equals("COUNT");
    if (!counted && !name[0].equals("EACH")) {
      return List.of(phrase(pattern, name[0], name[1], unspaced));
    }
    String[] units = (counted ? "DAY/WEEK/MONTH/YEAR" : "WEEKEND/WEEK/MONTH/YEAR").split("/", -1);
    String[] names = words.getOrDefault(counted ? "units" : "unit", "").split("/", -1);
    return IntStream.range(0, units.length)
        .mapToObj(i -> phrase(pattern.replace("{unit}", names[i]), units[i], name[1], unspaced))
        .toList();
  }

  private static Phrase phrase(String pattern, String unit, String offset, boolean unspaced) {
    if (pattern.contains("*") || pattern.contains("+") || pattern.contains(",}")) {
      throw new IllegalArgumentException("a pattern that is not linear: " + pattern);
    }
    String whole = unspaced ? pattern : "(?<![\\p{L}\\p{N}])(?:" + pattern + ")(?![\\p{L}\\p{N}])";
    return new Phrase(
        Pattern.compile(whole, Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE),
        Unit.valueOf(unit),
        Integer.parseInt(offset),
        pattern.contains("(?<n>"));
  }

  /**
   * Adds to a text the dates of its relative ones, in brackets behind them: those that are not the
   * day of the message itself, with the year if it is another one.
   *
   * @param writtenOn the day of the message
   */
  public static String resolve(String text, Language language, LocalDate writtenOn) {
    List<Resolved> found = find(text, language, writtenOn);
    if (found.isEmpty()) {
      return text;
    }
    String today = DAY.format(writtenOn);
    String year = String.valueOf(writtenOn.getYear());
    StringBuilder resolved = new StringBuilder();
    int from = 0;
    for (Resolved phrase : found) {
      if (!phrase.date.equals(today)) {
        resolved
            .append(text, from, phrase.end)
            .append(" [")
            .append(phrase.without(year))
            .append(']');
        from = phrase.end;
      }
    }
    return resolved.append(text, from, text.length()).toString();
  }

  /**
   * Whether a text with this word may have a relative date.
   *
   * @param word in lower case, without accents, in simplified characters
   */
  public static boolean isHint(String word, Language language) {
    Language of = !word.isEmpty() && isOther(word.charAt(0)) ? Language.OTHER : language;
    return HINTS.getOrDefault(of, Set.of()).contains(word);
  }

  private static boolean isOther(int c) {
    return c >= FIRST_OTHER && Character.isLetter(c);
  }

  /**
   * The dates that a text gives relative to the day of its message.
   *
   * @param writtenOn the day of the message
   */
  public static List<String> dates(String text, Language language, LocalDate writtenOn) {
    return find(text, language, writtenOn).stream().map(Resolved::date).toList();
  }

  /**
   * The days, months and years gone by that a text gives relative to the day of its message.
   *
   * @param writtenOn the day of the message
   */
  public static List<String> pastDates(String text, Language language, LocalDate writtenOn) {
    return find(text, language, writtenOn).stream()
        .filter(Resolved::isPast)
        .map(Resolved::date)
        .toList();
  }

  private static List<Resolved> find(String text, Language language, LocalDate writtenOn) {
    List<Resolved> found = new ArrayList<>();
    boolean[] taken = new boolean[0];
    for (Phrase phrase : phrases(text, language)) {
      Matcher matcher = phrase.pattern.matcher(text);
      while (matcher.find() && found.size() < MAX_PHRASES) {
        if (taken.length == 0) {
          taken = new boolean[text.length()];
        }
        if (!taken[matcher.start()]) {
          boolean isPast = phrase.offset < 0 || isBefore(phrase, matcher, writtenOn);
          found.add(new Resolved(matcher.end(), date(phrase, matcher, writtenOn), isPast));
          Arrays.fill(taken, matcher.start(), matcher.end(), true);
        }
      }
    }
    found.sort(Comparator.comparingInt(Resolved::end));
    return found;
  }

  /**
   * The phrases of a language, and those of other scripts where a text has some of their letters.
   */
  private static List<Phrase> phrases(String text, Language language) {
    List<Phrase> phrases = new ArrayList<>();
    if (language != Language.OTHER) {
      phrases.addAll(PHRASES.getOrDefault(language, List.of()));
    }
    if (text.chars().anyMatch(RelativeDates::isOther)) {
      phrases.addAll(PHRASES.getOrDefault(Language.OTHER, List.of()));
    }
    return phrases;
  }

  /** Whether a phrase means a day of the current week that is gone. */
  private static boolean isBefore(Phrase phrase, Matcher matcher, LocalDate writtenOn) {
    return phrase.unit == Unit.IN_WEEK
        && phrase.offset == 0
        && dayOfWeek(folded(matcher.group("day"))).compareTo(writtenOn.getDayOfWeek()) < 0;
  }

  private static String date(Phrase phrase, Matcher matcher, LocalDate writtenOn) {
    long offset = phrase.counted ? (long) phrase.offset * count(matcher) : phrase.offset;
    return switch (phrase.unit) {
      case DAY -> DAY.format(writtenOn.plusDays(offset));
      case WEEK -> "week of " + DAY.format(monday(writtenOn).plusWeeks(offset));
      case WEEKEND -> "weekend of " + DAY.format(monday(writtenOn).plusDays(5).plusWeeks(offset));
      case MONTH -> MONTH.format(writtenOn.plusMonths(offset));
      case WEEKDAY -> {
        DayOfWeek day = dayOfWeek(folded(matcher.group("day")));
        yield DAY.format(
            writtenOn.with(
                phrase.offset < 0 ? TemporalAdjusters.previous(day) : TemporalAdjusters.next(day)));
      }
      case YEAR -> String.valueOf(writtenOn.plusYears(offset).getYear());
      case IN_WEEK -> {
        DayOfWeek day = dayOfWeek(folded(matcher.group("day")));
        yield DAY.format(monday(writtenOn).plusWeeks(offset).with(day));
      }
    };
  }

  /** A word as patterns compare it: the old long s is an s, and the Kelvin sign a k. */
  private static String folded(String word) {
    StringBuilder folded = new StringBuilder();
    word.chars()
        .forEach(c -> folded.append(Character.toLowerCase(Character.toUpperCase((char) c))));
    return folded.toString();
  }

  /** The day of a name, or of the beginning of its English name. */
  private static DayOfWeek dayOfWeek(String name) {
    DayOfWeek day = DAYS.get(name);
    return day != null
        ? day
        : Arrays.stream(DayOfWeek.values())
            .filter(each -> each.name().toLowerCase(Locale.ROOT).startsWith(name))
            .findFirst()
            .orElseThrow();
  }

  private static LocalDate monday(LocalDate day) {
    return day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
  }

  private static int count(Matcher matcher) {
    String counted = matcher.group("n");
    String number = counted == null ? "1" : folded(counted);
    Integer known = NUMBERS.get(number);
    return known != null
        ? known
        : Character.isDigit(number.charAt(0)) ? Integer.parseInt(number) : 1;
  }
}
