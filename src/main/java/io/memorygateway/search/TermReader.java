package io.memorygateway.search;

import io.memorygateway.language.Language;
import io.memorygateway.language.Stems;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.OffsetAttribute;
import org.apache.lucene.analysis.tokenattributes.TypeAttribute;

/**
 * Splits text into search terms: words by Unicode's rules (UAX 29), in lower case, without accents
 * ({@link WordFolding}), stemmed in the language of the text. Scripts without spaces between words,
 * and Korean, whose words carry their particles, give single characters and pairs of neighbours. A
 * name such as {@code config.yml}, which is one word, gives its pieces too, and a number its
 * digits. Not safe for use by several threads at once.
 */
final class TermReader {
  /** Longer words are cut by the tokenizer into pieces of this many characters. */
  private static final int MAX_WORD_CHARACTERS = 64;

  /** Stems that are cached for each language: texts repeat their words. */
  private static final int MAX_CACHED = 16_384;

  private final StandardTokenizer tokenizer = new StandardTokenizer();
  private final CharTermAttribute characters = tokenizer.getAttribute(CharTermAttribute.class);
  private final OffsetAttribute offset = tokenizer.getAttribute(OffsetAttribute.class);
  private final TypeAttribute type = tokenizer.getAttribute(TypeAttribute.class);
  private final Stems stems = new Stems();
  private final Map<Language, Map<String, Integer>> terms = new HashMap<>();

  TermReader() {
    tokenizer.setMaxTokenLength(MAX_WORD_CHARACTERS);
  }

  /** Receives the words of a text in their order. */
  interface Words {
    /**
     * Receives a word.
     *
     * @param text in lower case, without accents, not stemmed
     * @param spaced whether its script has spaces between words, so that stems apply
     * @return false to end the reading
     */
    boolean word(String text, boolean spaced);
  }

  void read(String text, Words words) {
    try {
      tokenizer.setReader(new StringReader(text));
      tokenizer.reset();
      NumberTerms numbers = new NumberTerms();
      DateTerms dates = new DateTerms();
      String previous = "";
      int previousEnd = -1;
      boolean more = true;
      while (more && tokenizer.incrementToken()) {
        String word = WordFolding.fold(characters.toString());
        switch (type.type()) {
          case "<IDEOGRAPHIC>",
              "<HIRAGANA>",
              "<KATAKANA>",
              "<HANGUL>",
              "<SOUTHEAST_ASIAN>",
              "<EMOJI>" -> {
            String before = previousEnd == offset.startOffset() ? previous : "";
            more = unspaced(before, word, words);
            previous = word.substring(word.offsetByCodePoints(word.length(), -1));
            previousEnd = offset.endOffset();
          }
          default ->
              more =
                  spaced(characters.toString(), word, words)
                      && sign(text, word, words)
                      && all(
                          numbers.next(text, word, offset.startOffset(), offset.endOffset()),
                          words);
        }
        more = more && all(dates.next(word), words);
      }
      if (more && all(numbers.end(), words) && all(dates.end(), words)) {
        tokenizer.end();
      }
      tokenizer.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a StringReader does not fail
    }
  }

  private static boolean all(List<String> forms, Words words) {
    for (String form : forms) {
      if (!words.word(form, Character.isLetter(form.charAt(0)))) {
        return false;
      }
    }
    return true;
  }

  /** Adds the names of languages such as {@code C#} and {@code C++}. */
  private boolean sign(String text, String word, Words words) {
    int end = offset.endOffset();
    String sign = text.startsWith("#", end) ? "#" : text.startsWith("++", end) ? "++" : "";
    return sign.isEmpty() || words.word(word + sign, false);
  }

  private static boolean spaced(String raw, String word, Words words) {
    if (!words.word(word, true)) {
      return false;
    }
    if (word.charAt(0) == 'v' && word.length() > 2 && Character.isDigit(word.charAt(1))) {
      return words.word(word.substring(1), true)
          && pieces(word.substring(1), words)
          && humps(raw, words);
    }
    return (!isCompound(word) || pieces(word, words)) && humps(raw, words);
  }

  /** The parts of a name such as {@code getUserProfile}. */
  private static boolean humps(String raw, Words words) {
    int start = 0;
    for (int i = 1; i <= raw.length(); i++) {
      if (i < raw.length() ? isHump(raw, i) : start > 0) {
        if (!words.word(WordFolding.fold(raw.substring(start, i)), true)) {
          return false;
        }
        start = i;
      }
    }
    return true;
  }

  private static boolean isHump(String raw, int at) {
    char before = raw.charAt(at - 1);
    return Character.isUpperCase(raw.charAt(at))
        && (Character.isLowerCase(before)
            || ((Character.isUpperCase(before) || Character.isDigit(before))
                && isLowerCase(raw, at + 1)));
  }

  /** Whether a small letter stands there, which is not the v of a number as in {@code IPv6}. */
  private static boolean isLowerCase(String raw, int at) {
    return at < raw.length()
        && Character.isLowerCase(raw.charAt(at))
        && (raw.charAt(at) != 'v'
            || at + 1 == raw.length()
            || !Character.isDigit(raw.charAt(at + 1)));
  }

  /** Whether a word is joined from others, and is not a number. */
  private static boolean isCompound(String word) {
    boolean joined = false;
    boolean letters = false;
    for (int i = 0; i < word.length(); i++) {
      joined |= isJoint(word.charAt(i));
      letters |= Character.isLetter(word.charAt(i));
    }
    return joined && letters;
  }

  private static boolean pieces(String word, Words words) {
    int start = 0;
    for (int i = 0; i <= word.length(); i++) {
      if (i == word.length() || isJoint(word.charAt(i))) {
        if (i > start && !words.word(word.substring(start, i), true)) {
          return false;
        }
        start = i + 1;
      }
    }
    return true;
  }

  private static boolean isJoint(char c) {
    return c == '.' || c == '_' || c == ':';
  }

  private static boolean unspaced(String before, String word, Words words) {
    String previous = before;
    for (int i = 0; i < word.length(); i = word.offsetByCodePoints(i, 1)) {
      String character = word.substring(i, word.offsetByCodePoints(i, 1));
      if (!previous.isEmpty() && !words.word(previous + character, false)) {
        return false;
      }
      if (!words.word(character, false)) {
        return false;
      }
      previous = character;
    }
    return true;
  }

  int term(String word, boolean spaced, Language language) {
    if (!spaced || !Stems.has(word, language)) {
      return hash(word);
    }
    Map<String, Integer> known = terms.computeIfAbsent(language, key -> new HashMap<>());
    Integer term = known.get(word);
    if (term == null) {
      if (known.size() == MAX_CACHED) {
        known.clear();
      }
      term = hash(stems.of(word, language));
      known.put(word, term);
    }
    return term;
  }

  /** The 32-bit hash of a term. Two terms of one thread hardly ever have the same. */
  static int hash(String term) {
    int hash = 0x9747b28c;
    for (int i = 0; i < term.length(); i++) {
      hash = (hash ^ term.charAt(i)) * 0x01000193;
      hash = Integer.rotateLeft(hash, 13);
    }
    hash ^= hash >>> 16;
    hash *= 0x85ebca6b;
    hash ^= hash >>> 13;
    hash *= 0xc2b2ae35;
    return hash ^ (hash >>> 16);
  }
}
