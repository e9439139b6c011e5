package io.memorygateway.language;

import org.tartarus.snowball.SnowballStemmer;
import org.tartarus.snowball.ext.EnglishStemmer;
import org.tartarus.snowball.ext.FrenchStemmer;
import org.tartarus.snowball.ext.GermanStemmer;
import org.tartarus.snowball.ext.SpanishStemmer;

/**
 * Stems words by the Snowball rules of their language. Not safe for use by several threads at once.
 */
public final class Stems {
  private final SnowballStemmer[] stemmers = {
    new EnglishStemmer(), new GermanStemmer(), new FrenchStemmer(), new SpanishStemmer()
  };

  /** The stem of a word in lower case; the word itself in other languages. */
  public String of(String word, Language language) {
    if (language == Language.OTHER || word.length() < 3 || word.length() > 40) {
      return word;
    }
    SnowballStemmer stemmer = stemmers[language.ordinal()];
    stemmer.setCurrent(word);
    return stemmer.stem() ? stemmer.getCurrent() : word;
  }
}
