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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Resolves dates that are given relative to the day of a message: {@code yesterday} of May 8, 2023
 * becomes {@code yesterday [May 7]}. Understands English, German, French and Spanish; other texts
 * are unchanged. The patterns repeat nothing without a bound, so that the search is linear.
 */
public final class RelativeDates {
  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("MMMM d, uuuu", Locale.ENGLISH);
  private static final DateTimeFormatter MONTH =
      DateTimeFormatter.ofPattern("MMMM uuuu", Locale.ENGLISH);

  /** The most phrases of a sentence that are resolved. */
  private static final int MAX_PHRASES = 8;

  /** The end of a phrase in a sentence, and its date. */
  private record Resolved(int end, String date) {

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
    YEAR
  }

  /**
   * A phrase.
   *
   * @param pattern with a group {@code n} for a count of units, {@code day} for a day of the week
   * @param unit of the offset; null where the pattern has a day of the week
   * @param offset in units; the factor of the count, where there is one
   * @param counted whether the pattern has a count
   */
  private record Phrase(Pattern pattern, @Nullable Unit unit, int offset, boolean counted) {}

  private static final Map<Language, List<Phrase>> PHRASES = new EnumMap<>(Language.class);

  /**
   * Words, without accents, one of which every phrase of a language contains: most texts contain
   * none, and are not searched for phrases.
   */
  private static final Map<Language, Set<String>> HINTS =
      Map.of(
          Language.ENGLISH,
          words(
              "yesterday today tonight tomorrow last past next morning afternoon evening ago day"
                  + " days week weeks weekend weekends month months year years"),
          Language.GERMAN,
          words(
              "gestern vorgestern heute morgen ubermorgen letzten vergangenen nachsten tag tage"
                  + " tagen woche wochen monat monate monaten jahr jahre jahren wochenende"),
          Language.FRENCH,
          words(
              "hier aujourd'hui demain dernier prochain jour jours semaine semaines mois annee"
                  + " annees an ans week"),
          Language.SPANISH,
          words(
              "ayer anteayer anoche hoy manana pasado proximo dia dias semana semanas mes meses ano"
                  + " anos"));

  private static final Map<String, DayOfWeek> DAYS = new HashMap<>();
  private static final Map<String, Integer> NUMBERS = new HashMap<>();

  static {
    days("monday tuesday wednesday thursday friday saturday sunday");
    days("montag dienstag mittwoch donnerstag freitag samstag sonntag");
    days("lundi mardi mercredi jeudi vendredi samedi dimanche");
    days("lunes martes miércoles jueves viernes sábado domingo");
    numbers("a one two three four five six seven eight nine ten eleven twelve", 0);
    numbers("einem zwei drei vier fünf sechs sieben acht neun zehn elf zwölf", 1);
    numbers("un deux trois quatre cinq six sept huit neuf dix onze douze", 1);
    numbers("un dos tres cuatro cinco seis siete ocho nueve diez once doce", 1);
    for (String one : "an einer einen une una".split(" ", -1)) {
      NUMBERS.put(one, 1);
    }
    english();
    german();
    french();
    spanish();
  }

  private RelativeDates() {}

  private static Set<String> words(String words) {
    return Set.of(words.split(" ", -1));
  }

  private static void days(String names) {
    String[] all = names.split(" ", -1);
    for (int i = 0; i < all.length; i++) {
      DAYS.put(all[i], DayOfWeek.of(i + 1));
    }
  }

  private static void numbers(String words, int first) {
    String[] all = words.split(" ", -1);
    for (int i = 0; i < all.length; i++) {
      NUMBERS.put(all[i], Math.max(1, i + first));
    }
  }

  private static void add(Language language, @Nullable Unit unit, int offset, String pattern) {
    if (pattern.contains("*") || pattern.contains("+") || pattern.contains(",}")) {
      throw new IllegalArgumentException("a pattern that is not linear: " + pattern);
    }
    PHRASES
        .computeIfAbsent(language, key -> new ArrayList<>())
        .add(
            new Phrase(
                Pattern.compile(
                    "(?<![\\p{L}\\p{N}])(?:" + pattern + ")(?![\\p{L}\\p{N}])",
                    Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE),
                unit,
                offset,
                pattern.contains("(?<n>")));
  }

  private static void english() {
    Language en = Language.ENGLISH;
    String day =
        "(?<day>mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?"
            + "|sat(?:urday)?|sun(?:day)?)";
    String n = "(?<n>an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\d{1,3})";
    add(en, Unit.DAY, -2, "the day before yesterday");
    add(en, Unit.DAY, -1, "yesterday|last night");
    add(en, Unit.DAY, 0, "today|tonight|this (?:morning|afternoon|evening)");
    add(en, Unit.DAY, 2, "the day after tomorrow");
    add(en, Unit.DAY, 1, "tomorrow");
    add(en, null, -1, "(?:last|this past) " + day);
    add(en, null, 1, "next " + day);
    for (Unit unit : List.of(Unit.WEEKEND, Unit.WEEK, Unit.MONTH, Unit.YEAR)) {
      String name = unit.name().toLowerCase(Locale.ROOT);
      add(en, unit, -1, "(?:last|this past|the past) " + name);
      add(en, unit, 0, "this " + name);
      add(en, unit, 1, "next " + name);
    }
    for (Unit unit : Unit.values()) {
      String name = unit.name().toLowerCase(Locale.ROOT);
      add(en, unit, -1, n + " " + name + "s? ago");
      if (unit != Unit.WEEKEND) {
        add(en, unit, 1, "in " + n + " " + name + "s?");
      }
    }
  }

  private static void german() {
    Language de = Language.GERMAN;
    String day = "(?<day>montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)";
    String n = "(?<n>eine[mnr]|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|\\d{1,3})";
    add(de, Unit.DAY, -2, "vorgestern");
    add(de, Unit.DAY, -1, "gestern");
    add(de, Unit.DAY, 0, "heute");
    add(de, Unit.DAY, 2, "übermorgen");
    add(de, Unit.DAY, 1, "(?<!guten )(?<!am )(?<!jeden )morgen");
    add(de, null, -1, "(?:letzten|vergangenen) " + day);
    add(de, null, 1, "nächsten " + day);
    String[] units = {"wochenende", "woche", "monat", "jahr"};
    Unit[] meanings = {Unit.WEEKEND, Unit.WEEK, Unit.MONTH, Unit.YEAR};
    for (int i = 0; i < units.length; i++) {
      add(de, meanings[i], -1, "(?:letzte[ns]?|vergangene[ns]?|vorige[ns]?) " + units[i]);
      add(de, meanings[i], 0, "diese[nsr]? " + units[i]);
      add(de, meanings[i], 1, "nächste[ns]? " + units[i]);
    }
    String[] plurals = {"tag(?:en)?", "wochen?", "monat(?:en?)?", "jahr(?:en?)?"};
    Unit[] counted = {Unit.DAY, Unit.WEEK, Unit.MONTH, Unit.YEAR};
    for (int i = 0; i < plurals.length; i++) {
      add(de, counted[i], -1, "vor " + n + " " + plurals[i]);
      add(de, counted[i], 1, "in " + n + " " + plurals[i]);
    }
  }

  private static void french() {
    Language fr = Language.FRENCH;
    String day = "(?<day>lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)";
    String n = "(?<n>une?|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|\\d{1,3})";
    add(fr, Unit.DAY, -2, "avant-hier");
    add(fr, Unit.DAY, -1, "hier");
    add(fr, Unit.DAY, 0, "aujourd['’]hui");
    add(fr, Unit.DAY, 2, "après-demain");
    add(fr, Unit.DAY, 1, "demain");
    add(fr, null, -1, day + " dernier");
    add(fr, null, 1, day + " prochain");
    String[] units = {"week-end", "semaine", "mois", "(?:année|an)"};
    Unit[] meanings = {Unit.WEEKEND, Unit.WEEK, Unit.MONTH, Unit.YEAR};
    for (int i = 0; i < units.length; i++) {
      add(fr, meanings[i], -1, units[i] + " (?:dernière?|passée?)");
      add(fr, meanings[i], 0, "(?:cette|ce) " + units[i]);
      add(fr, meanings[i], 1, units[i] + " prochaine?");
    }
    String[] plurals = {"jours?", "semaines?", "mois", "(?:ans?|années?)"};
    Unit[] counted = {Unit.DAY, Unit.WEEK, Unit.MONTH, Unit.YEAR};
    for (int i = 0; i < plurals.length; i++) {
      add(fr, counted[i], -1, "il y a " + n + " " + plurals[i]);
      add(fr, counted[i], 1, "dans " + n + " " + plurals[i]);
    }
  }

  private static void spanish() {
    Language es = Language.SPANISH;
    String day = "(?<day>lunes|martes|miércoles|jueves|viernes|sábado|domingo)";
    String n = "(?<n>una?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|\\d{1,3})";
    add(es, Unit.DAY, -2, "anteayer");
    add(es, Unit.DAY, -1, "ayer|anoche");
    add(es, Unit.DAY, 0, "hoy");
    add(es, Unit.DAY, 2, "pasado mañana");
    add(es, Unit.DAY, 1, "(?<!la )(?<!pasado )mañana");
    add(es, null, -1, day + " pasado");
    add(es, null, 1, "próximo " + day);
    String[] units = {"fin de semana", "semana", "mes", "año"};
    Unit[] meanings = {Unit.WEEKEND, Unit.WEEK, Unit.MONTH, Unit.YEAR};
    for (int i = 0; i < units.length; i++) {
      add(es, meanings[i], -1, units[i] + " pasad[oa]");
      add(es, meanings[i], 0, "est[ea] " + units[i]);
      add(es, meanings[i], 1, "próxim[oa] " + units[i] + "|" + units[i] + " que viene");
    }
    String[] plurals = {"días?", "semanas?", "mes(?:es)?", "años?"};
    Unit[] counted = {Unit.DAY, Unit.WEEK, Unit.MONTH, Unit.YEAR};
    for (int i = 0; i < plurals.length; i++) {
      add(es, counted[i], -1, "hace " + n + " " + plurals[i]);
      add(es, counted[i], 1, "dentro de " + n + " " + plurals[i]);
    }
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
   * @param word in lower case, without accents
   */
  public static boolean isHint(String word, Language language) {
    return HINTS.getOrDefault(language, Set.of()).contains(word);
  }

  /**
   * The dates that a text gives relative to the day of its message.
   *
   * @param writtenOn the day of the message
   */
  public static List<String> dates(String text, Language language, LocalDate writtenOn) {
    return find(text, language, writtenOn).stream().map(Resolved::date).toList();
  }

  private static List<Resolved> find(String text, Language language, LocalDate writtenOn) {
    List<Resolved> found = new ArrayList<>();
    boolean[] taken = new boolean[0];
    for (Phrase phrase : PHRASES.getOrDefault(language, List.of())) {
      Matcher matcher = phrase.pattern.matcher(text);
      while (matcher.find() && found.size() < MAX_PHRASES) {
        if (taken.length == 0) {
          taken = new boolean[text.length()];
        }
        if (!taken[matcher.start()]) {
          found.add(new Resolved(matcher.end(), date(phrase, matcher, writtenOn)));
          Arrays.fill(taken, matcher.start(), matcher.end(), true);
        }
      }
    }
    found.sort(Comparator.comparingInt(Resolved::end));
    return found;
  }

  private static String date(Phrase phrase, Matcher matcher, LocalDate writtenOn) {
    if (phrase.unit == null) {
      DayOfWeek day = dayOfWeek(folded(matcher.group("day")));
      return DAY.format(
          writtenOn.with(
              phrase.offset < 0 ? TemporalAdjusters.previous(day) : TemporalAdjusters.next(day)));
    }
    long offset = phrase.counted ? (long) phrase.offset * count(matcher) : phrase.offset;
    return switch (phrase.unit) {
      case DAY -> DAY.format(writtenOn.plusDays(offset));
      case WEEK -> "week of " + DAY.format(monday(writtenOn).plusWeeks(offset));
      case WEEKEND -> "weekend of " + DAY.format(monday(writtenOn).plusDays(5).plusWeeks(offset));
      case MONTH -> MONTH.format(writtenOn.plusMonths(offset));
      case YEAR -> String.valueOf(writtenOn.plusYears(offset).getYear());
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
    String number = folded(matcher.group("n"));
    return NUMBERS.containsKey(number) ? NUMBERS.get(number) : Integer.parseInt(number);
  }
}
