package io.memorygateway.language;

import java.util.Map;
import org.tartarus.snowball.SnowballStemmer;
import org.tartarus.snowball.ext.EnglishStemmer;
import org.tartarus.snowball.ext.FrenchStemmer;
import org.tartarus.snowball.ext.GermanStemmer;
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

  /** The stem of a word in lower case; the word itself in other languages. */
  public String of(String word, Language language) {
    SnowballStemmer stemmer = stemmers.get(language);
    if (stemmer == null || word.length() < 3 || word.length() > 40) {
      return word;
    }
    stemmer.setCurrent(word);
    return stemmer.stem() ? stemmer.getCurrent() : word;
  }
}
