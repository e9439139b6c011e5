package io.memorygateway.language;

import java.util.Map;
import org.tartarus.snowball.SnowballStemmer;
import org.tartarus.snowball.ext.ArabicStemmer;
import org.tartarus.snowball.ext.EnglishStemmer;
import org.tartarus.snowball.ext.FrenchStemmer;
import org.tartarus.snowball.ext.GermanStemmer;
import org.tartarus.snowball.ext.RussianStemmer;
import org.tartarus.snowball.ext.SpanishStemmer;

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
          new SpanishStemmer());

  private final SnowballStemmer cyrillic = new RussianStemmer();
  private final SnowballStemmer arabic = new ArabicStemmer();

  /** Whether words like this one are stemmed in a language. */
  public static boolean has(String word, Language language) {
    return language != Language.OTHER || isCyrillic(word) || isArabic(word);
  }

  /**
   * The stem of a word in lower case: in the scripts of Russian and of Arabic by the rules of
   * these, whatever the language; in Latin script the word itself in other languages.
   */
  public String of(String word, Language language) {
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

  private static boolean isArabic(String word) {
    return !word.isEmpty() && word.charAt(0) >= '\u0620' && word.charAt(0) <= '\u064a';
  }
}
