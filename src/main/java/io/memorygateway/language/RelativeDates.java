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
import java.util.stream.IntStream;

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
    WEEKDAY
  }

  /**
   * A phrase.
   *
   * @param pattern with a group {@code n} for a count of units, {@code day} for a day of the week
   * @param offset in units; the factor of the count, where there is one
   * @param counted whether the pattern has a count
   */
  private record Phrase(Pattern pattern, Unit unit, int offset, boolean counted) {}

  /**
   * What is said in each language, with slashes between words that stand for each other. A line of
   * capitals is a phrase, with its unit and its offset; one of {@code EACH} is said of a weekend,
   * week, month and year, one of {@code COUNT} of a number of days, weeks, months and years, whose
   * words {@code unit} and {@code units} list. {@code hints} are words, without accents, one of
   * which every phrase contains: most texts contain none, and are not searched for phrases.
   */
  private static final Map<Language, String> TABLES =
      Map.of(
          Language.ENGLISH,
          """
          hints      yesterday today tonight tomorrow last past next morning afternoon evening ago day days week weeks
          hints      weekend weekends month months year years
          day        mon(?:day)?/tue(?:s(?:day)?)?/wed(?:nesday)?/thu(?:r(?:s(?:day)?)?)?/fri(?:day)?/sat(?:urday)?/sun(?:day)?
          n          one/two/three/four/five/six/seven/eight/nine/ten/eleven/twelve/an?
          unit       weekend/week/month/year
          units      days?/weeks?/months?/years?
          DAY -2     the day before yesterday
          DAY -1     yesterday|last night
          DAY 0      today|tonight|this (?:morning|afternoon|evening)
          DAY 2      the day after tomorrow
          DAY 1      tomorrow
          WEEKDAY -1 (?:last|this past) {day}
          WEEKDAY 1  next {day}
          EACH -1    (?:last|this past|the past) {unit}
          EACH 0     this {unit}
          EACH 1     next {unit}
          COUNT -1   {n} {unit} ago
          COUNT 1    in {n} {unit}
          WEEKEND -1 {n} weekends? ago
          """,
          Language.GERMAN,
          """
          hints      gestern vorgestern heute morgen ubermorgen letzten vergangenen nachsten tag tage tagen woche wochen
          hints      monat monate monaten jahr jahre jahren wochenende
          day        montag/dienstag/mittwoch/donnerstag/freitag/samstag/sonntag
          n          eine[mnr]/zwei/drei/vier/fünf/sechs/sieben/acht/neun/zehn/elf/zwölf
          unit       wochenende/woche/monat/jahr
          units      tag(?:en)?/wochen?/monat(?:en?)?/jahr(?:en?)?
          DAY -2     vorgestern
          DAY -1     gestern
          DAY 0      heute
          DAY 2      übermorgen
          DAY 1      (?<!guten )(?<!am )(?<!jeden )morgen
          WEEKDAY -1 (?:letzten|vergangenen) {day}
          WEEKDAY 1  nächsten {day}
          EACH -1    (?:letzte[ns]?|vergangene[ns]?|vorige[ns]?) {unit}
          EACH 0     diese[nsr]? {unit}
          EACH 1     nächste[ns]? {unit}
          COUNT -1   vor {n} {unit}
          COUNT 1    in {n} {unit}
          """,
          Language.FRENCH,
          """
          hints      hier aujourd'hui demain dernier prochain jour jours semaine semaines mois annee annees an ans week
          day        lundi/mardi/mercredi/jeudi/vendredi/samedi/dimanche
          n          une?/deux/trois/quatre/cinq/six/sept/huit/neuf/dix/onze/douze
          unit       week-end/semaine/mois/(?:année|an)
          units      jours?/semaines?/mois/(?:ans?|années?)
          DAY -2     avant-hier
          DAY -1     hier
          DAY 0      aujourd['’]hui
          DAY 2      après-demain
          DAY 1      demain
          WEEKDAY -1 {day} dernier
          WEEKDAY 1  {day} prochain
          EACH -1    {unit} (?:dernière?|passée?)
          EACH 0     (?:cette|ce) {unit}
          EACH 1     {unit} prochaine?
          COUNT -1   il y a {n} {unit}
          COUNT 1    dans {n} {unit}
          """,
          Language.SPANISH,
          """
          hints      ayer anteayer anoche hoy manana pasado proximo dia dias semana semanas mes meses ano anos
          day        lunes/martes/miércoles/jueves/viernes/sábado/domingo
          n          una?/dos/tres/cuatro/cinco/seis/siete/ocho/nueve/diez/once/doce
          unit       fin de semana/semana/mes/año
          units      días?/semanas?/mes(?:es)?/años?
          DAY -2     anteayer
          DAY -1     ayer|anoche
          DAY 0      hoy
          DAY 2      pasado mañana
          DAY 1      (?<!la )(?<!pasado )mañana
          WEEKDAY -1 {day} pasado
          WEEKDAY 1  próximo {day}
          EACH -1    {unit} pasad[oa]
          EACH 0     est[ea] {unit}
          EACH 1     próxim[oa] {unit}|{unit} que viene
          COUNT -1   hace {n} {unit}
          COUNT 1    dentro de {n} {unit}
          """);

  /** Where the second column of the tables begins. */
  private static final int COLUMN = 11;

  private static final Map<Language, List<Phrase>> PHRASES = new EnumMap<>(Language.class);
  private static final Map<Language, Set<String>> HINTS = new EnumMap<>(Language.class);
  private static final Map<String, DayOfWeek> DAYS = new HashMap<>();
  private static final Map<String, Integer> NUMBERS = new HashMap<>();

  static {
    TABLES.forEach(RelativeDates::read);
  }

  private RelativeDates() {}

  private static void read(Language language, String table) {
    Map<String, String> words = new HashMap<>();
    List<Phrase> phrases = new ArrayList<>();
    table
        .lines()
        .forEach(
            line -> {
              String name = line.substring(0, COLUMN).strip();
              String text = line.substring(COLUMN);
              if (name.contains(" ")) {
                phrases.addAll(phrases(name.split(" ", -1), text, words));
              } else {
                words.merge(name, text, (first, second) -> first + " " + second);
              }
            });
    PHRASES.put(language, phrases);
    HINTS.put(language, Set.of(words.getOrDefault("hints", "").split(" ", -1)));
    int number = 0;
    for (String day : words.getOrDefault("day", "").split("/", -1)) {
      DAYS.put(day, DayOfWeek.of(++number));
    }
    number = 0;
    for (String word : words.getOrDefault("n", "").split("/", -1)) {
      NUMBERS.put(word, ++number);
    }
  }

  private static List<Phrase> phrases(String[] name, String text, Map<String, String> words) {
    String pattern =
        text.replace("{day}", "(?<day>" + words.get("day") + ")")
            .replace("{n}", "(?<n>" + words.get("n") + "|\\d{1,3})")
            .replace('/', '|');
    boolean counted = name[0].equals("COUNT");
    if (!counted && !name[0].equals("EACH")) {
      return List.of(phrase(pattern, name[0], name[1]));
    }
    String[] units = (counted ? "DAY/WEEK/MONTH/YEAR" : "WEEKEND/WEEK/MONTH/YEAR").split("/", -1);
    String[] names = words.getOrDefault(counted ? "units" : "unit", "").split("/", -1);
    return IntStream.range(0, units.length)
        .mapToObj(i -> phrase(pattern.replace("{unit}", names[i]), units[i], name[1]))
        .toList();
  }

  private static Phrase phrase(String pattern, String unit, String offset) {
    if (pattern.contains("*") || pattern.contains("+") || pattern.contains(",}")) {
      throw new IllegalArgumentException("a pattern that is not linear: " + pattern);
    }
    return new Phrase(
        Pattern.compile(
            "(?<![\\p{L}\\p{N}])(?:" + pattern + ")(?![\\p{L}\\p{N}])",
            Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE),
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
    for (Phrase phrase : PHRASES.getOrDefault(language, List.of())) {
      Matcher matcher = phrase.pattern.matcher(text);
      while (matcher.find() && found.size() < MAX_PHRASES) {
        if (taken.length == 0) {
          taken = new boolean[text.length()];
        }
        if (!taken[matcher.start()]) {
          found.add(
              new Resolved(matcher.end(), date(phrase, matcher, writtenOn), phrase.offset < 0));
          Arrays.fill(taken, matcher.start(), matcher.end(), true);
        }
      }
    }
    found.sort(Comparator.comparingInt(Resolved::end));
    return found;
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
    Integer known = NUMBERS.get(number);
    return known != null
        ? known
        : Character.isDigit(number.charAt(0)) ? Integer.parseInt(number) : 1;
  }
}
