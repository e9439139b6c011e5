package io.memorygateway.language;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.tartarus.snowball.SnowballStemmer;
import org.tartarus.snowball.ext.ArabicStemmer;
import org.tartarus.snowball.ext.DanishStemmer;
import org.tartarus.snowball.ext.DutchStemmer;
import org.tartarus.snowball.ext.EnglishStemmer;
import org.tartarus.snowball.ext.FinnishStemmer;
import org.tartarus.snowball.ext.FrenchStemmer;
import org.tartarus.snowball.ext.GermanStemmer;
import org.tartarus.snowball.ext.GreekStemmer;
import org.tartarus.snowball.ext.HindiStemmer;
import org.tartarus.snowball.ext.HungarianStemmer;
import org.tartarus.snowball.ext.ItalianStemmer;
import org.tartarus.snowball.ext.PortugueseStemmer;
import org.tartarus.snowball.ext.RomanianStemmer;
import org.tartarus.snowball.ext.RussianStemmer;
import org.tartarus.snowball.ext.SpanishStemmer;
import org.tartarus.snowball.ext.SwedishStemmer;
import org.tartarus.snowball.ext.TurkishStemmer;

/**
 * Stems words by the Snowball rules of their language, or by a list of its endings. Not safe for
 * use by several threads at once.
 */
public final class Stems {
  /** Words that Hebrew writes together with the next one: and, in, the, as, to, from, that. */
  private static final String HEBREW_PREFIXES = "ובהכלמש";

  /**
   * The article of Arabic, also with and, with, then, like, for: some words lose more with it than
   * without.
   */
  private static final List<String> ARABIC_ARTICLES =
      List.of("وال", "بال", "فال", "كال", "ال", "لل");

  /** Letters that an ending or an article leaves at least. */
  private static final int LEFT_LETTERS = 3;

  /**
   * Endings of languages without Snowball rules, as words are compared: without accents. Lucene's
   * stemmer of Polish wants the accents, and joins fewer forms even with them. Their stems are told
   * from words of other languages, as some of these end likewise.
   */
  private static final Map<Language, String[]> ENDINGS =
      Map.of(
          Language.POLISH,
          endings(
              """
              owaniami owaniach owaniem owania owaniu owanie iejszych ejszych iejszy ejszy iejsza ejsza iejsze ejsze
              owego owemu owych owymi alismy ilismy ylismy alem alam ilem ilam ales alas iles ilas owie ami iami iach
              ach iego ego iemu emu imi ymi iom om owi owa owy owe iej ej ow ali aly ala alo al ili ily ila ilo il yli
              yla ylo yl iec acie icie ecie asz isz ysz esz amy imy ymy emy am em uje uja ujesz ujemy ac ic yc iem ia
              ie iu ii ym im ych ich aja ieja a e i o u y"""),
          Language.CZECH,
          endings(
              """
              ami emi ich ych imi ymi eho emu ovi ove eta ech ach atum um om em es ou mi ho mu ym im al ala ali alo il
              ila ili ilo el ela eli ujes ujeme uju uje uji ovat ovala oval at it et am as ame ime is i a e o u y"""),
          Language.UKRAINIAN,
          endings(
              """
              ами ями ах ях ові еві єві ові ом ем єм ім им ого ього ому ьому ими іми ою ею єю оі іи ии ів ев єв а я у
              ю о е є і и ь ам ям ати яти ити іти ув ала яла ила іла ав яв ив али яли или іли ало яло ило іло аю яю уєм
              уємо ємо емо имо імо аєш уєш еш єш иш іш ає ує ить ають ують ять уть ють ість істю ости ості ння нню
              нням"""));

  private final Map<Language, SnowballStemmer> stemmers = new EnumMap<>(Language.class);
  private final SnowballStemmer cyrillic = new RussianStemmer();
  private final SnowballStemmer arabic = new ArabicStemmer();
  private final SnowballStemmer greek = new GreekStemmer();
  private final SnowballStemmer devanagari = new HindiStemmer();

  public Stems() {
    stemmers.put(Language.ENGLISH, new EnglishStemmer());
    stemmers.put(Language.GERMAN, new GermanStemmer());
    stemmers.put(Language.FRENCH, new FrenchStemmer());
    stemmers.put(Language.SPANISH, new SpanishStemmer());
    stemmers.put(Language.ITALIAN, new ItalianStemmer());
    stemmers.put(Language.DUTCH, new DutchStemmer());
    stemmers.put(Language.PORTUGUESE, new PortugueseStemmer());
    stemmers.put(Language.SWEDISH, new SwedishStemmer());
    stemmers.put(Language.FINNISH, new FinnishStemmer());
    stemmers.put(Language.TURKISH, new TurkishStemmer());
    stemmers.put(Language.DANISH, new DanishStemmer());
    stemmers.put(Language.HUNGARIAN, new HungarianStemmer());
    stemmers.put(Language.ROMANIAN, new RomanianStemmer());
  }

  private static String[] endings(String listed) {
    return listed.replace('\n', ' ').split(" ", -1);
  }

  /** Whether words like this one are stemmed in a language. */
  public static boolean has(String word, Language language) {
    return language != Language.OTHER
        || isCyrillic(word)
        || isArabic(word)
        || isHebrew(word)
        || isGreek(word)
        || isDevanagari(word);
  }

  /**
   * The stem of a word in lower case: in the scripts of Greek, Arabic and Hindi by the rules of
   * these, whatever the language, in Cyrillic by those of Russian where the language is not
   * Ukrainian; in the script of Hebrew without one prefix of a letter; in Latin script the word
   * itself in other languages.
   */
  public String of(String word, Language language) {
    if (isHebrew(word)) {
      return word.length() > 3 && HEBREW_PREFIXES.indexOf(word.charAt(0)) >= 0
          ? word.substring(1)
          : word;
    }
    if (word.length() < 3 || word.length() > 40) {
      return word;
    }
    String[] endings = ENDINGS.get(language);
    if (endings != null && isCyrillic(word) == (language == Language.UKRAINIAN)) {
      return language + " " + without(endings, word);
    }
    String plain = isArabic(word) ? withoutArticle(word) : word;
    SnowballStemmer stemmer =
        isCyrillic(word)
            ? cyrillic
            : isArabic(word)
                ? arabic
                : isGreek(word) ? greek : isDevanagari(word) ? devanagari : stemmers.get(language);
    if (stemmer == null) {
      return word;
    }
    stemmer.setCurrent(plain);
    return stemmer.stem() ? stemmer.getCurrent() : plain;
  }

  /** A word without the longest of the endings that it has. */
  private static String without(String[] endings, String word) {
    int left = word.length();
    for (String ending : endings) {
      if (word.endsWith(ending)) {
        int length = word.length() - ending.length();
        left = length < LEFT_LETTERS ? left : Math.min(left, length);
      }
    }
    return word.substring(0, left);
  }

  private static String withoutArticle(String word) {
    return ARABIC_ARTICLES.stream()
        .filter(article -> word.startsWith(article))
        .filter(article -> word.length() - article.length() >= LEFT_LETTERS)
        .findFirst()
        .map(article -> word.substring(article.length()))
        .orElse(word);
  }

  private static boolean isGreek(String word) {
    return isIn(word, '\u0370', '\u03ff');
  }

  private static boolean isDevanagari(String word) {
    return isIn(word, '\u0900', '\u097f');
  }

  private static boolean isCyrillic(String word) {
    return isIn(word, '\u0400', '\u04ff');
  }

  private static boolean isHebrew(String word) {
    return isIn(word, '\u05d0', '\u05ea');
  }

  private static boolean isArabic(String word) {
    return isIn(word, '\u0620', '\u064a');
  }

  private static boolean isIn(String word, char first, char last) {
    return !word.isEmpty() && word.charAt(0) >= first && word.charAt(0) <= last;
  }
}
