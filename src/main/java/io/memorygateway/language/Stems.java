package io.memorygateway.language;

import java.util.Map;
import org.tartarus.snowball.SnowballStemmer;
import org.tartarus.snowball.ext.ArabicStemmer;
import org.tartarus.snowball.ext.DutchStemmer;
import org.tartarus.snowball.ext.EnglishStemmer;
import org.tartarus.snowball.ext.FinnishStemmer;
import org.tartarus.snowball.ext.FrenchStemmer;
import org.tartarus.snowball.ext.GermanStemmer;
import org.tartarus.snowball.ext.ItalianStemmer;
import org.tartarus.snowball.ext.PortugueseStemmer;
import org.tartarus.snowball.ext.RussianStemmer;
import org.tartarus.snowball.ext.SpanishStemmer;
import org.tartarus.snowball.ext.SwedishStemmer;
import org.tartarus.snowball.ext.TurkishStemmer;

/**
 * Stems words by the Snowball rules of their language. Not safe for use by several threads at once.
 */
public final class Stems {
  private final Map<Language, SnowballStemmer> stemmers =
      Map.of(
          Language.ENGLISH,
          new EnglishStemmer(),
          Language.GERMAN,
          new GermanStemmer(),
          Language.FRENCH,
          new FrenchStemmer(),
          Language.SPANISH,
          new SpanishStemmer(),
          Language.ITALIAN,
          new ItalianStemmer(),
          Language.DUTCH,
          new DutchStemmer(),
          Language.PORTUGUESE,
          new PortugueseStemmer(),
          Language.SWEDISH,
          new SwedishStemmer(),
          Language.FINNISH,
          new FinnishStemmer(),
          Language.TURKISH,
          new TurkishStemmer());

  /** Words that Hebrew writes together with the next one: and, in, the, as, to, from, that. */
  private static final String HEBREW_PREFIXES = "ובהכלמש";

  private final SnowballStemmer cyrillic = new RussianStemmer();
  private final SnowballStemmer arabic = new ArabicStemmer();

  /** Whether words like this one are stemmed in a language. */
  public static boolean has(String word, Language language) {
    return language != Language.OTHER || isCyrillic(word) || isArabic(word) || isHebrew(word);
  }

  /**
   * The stem of a word in lower case: in the scripts of Russian and of Arabic by the rules of
   * these, whatever the language; in that of Hebrew without one prefix of a letter; in Latin script
   * the word itself in other languages.
   */
  public String of(String word, Language language) {
    if (isHebrew(word)) {
      return word.length() > 3 && HEBREW_PREFIXES.indexOf(word.charAt(0)) >= 0
          ? word.substring(1)
          : word;
    }
    SnowballStemmer stemmer =
        isCyrillic(word) ? cyrillic : isArabic(word) ? arabic : stemmers.get(language);
    if (stemmer == null || word.length() < 3 || word.length() > 40) {
      return word;
    }
    stemmer.setCurrent(word);
    return stemmer.stem() ? stemmer.getCurrent() : word;
  }

  private static boolean isCyrillic(String word) {
    return !word.isEmpty() && word.charAt(0) >= '\u0400' && word.charAt(0) <= '\u04ff';
  }

  private static boolean isHebrew(String word) {
    return !word.isEmpty() && word.charAt(0) >= '\u05d0' && word.charAt(0) <= '\u05ea';
  }

  private static boolean isArabic(String word) {
    return !word.isEmpty() && word.charAt(0) >= '\u0620' && word.charAt(0) <= '\u064a';
  }
}
