package io.memorygateway.search;

import io.memorygateway.language.Language;
import io.memorygateway.language.Stems;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

  /** Characters that words have, and those in whose place they stand: see below. */
  private static final String SPECIAL = "\u02bb\u02bc\u200c\u202f";

  private static final String PLAIN = "''- ";

  /** Stems that are cached for each language: texts repeat their words. */
  private static final int MAX_CACHED = 16_384;

  private final StandardTokenizer tokenizer = new StandardTokenizer();
  private final CharTermAttribute characters = tokenizer.getAttribute(CharTermAttribute.class);
  private final OffsetAttribute offset = tokenizer.getAttribute(OffsetAttribute.class);
  private final TypeAttribute type = tokenizer.getAttribute(TypeAttribute.class);
  private final Stems stems = new Stems();
  private final Map<Language, Map<String, Integer>> terms = new HashMap<>();

  /** Types of words of scripts that have no spaces between words, or whose words have endings. */
  private static final Set<String> UNSPACED =
      Set.of(
          "<IDEOGRAPHIC>", "<HIRAGANA>", "<KATAKANA>", "<HANGUL>", "<SOUTHEAST_ASIAN>", "<EMOJI>");

  /** What English writes behind an apostrophe. */
  private static final Set<String> ENGLISH_ENDINGS = Set.of("s", "t", "m", "d", "re", "ve", "ll");

  private static final Set<String> ORDINALS = Set.of("st", "nd", "rd", "th");

  TermReader() {
    tokenizer.setMaxTokenLength(MAX_WORD_CHARACTERS);
  }

  /** Receives the words of a text in their order. */
  interface Words {
    /**
     * Receives a word.
     *
     * @param text in lower case, without accents and blanks, not empty, not stemmed
     * @param spaced whether its script has spaces between words, so that stems apply
     * @return false to end the reading
     */
    boolean word(String text, boolean spaced);
  }

  void read(String text, Words words) {
    try {
      String plain = withPlainCharacters(text);
      tokenizer.setReader(new StringReader(plain));
      tokenizer.reset();
      NumberTerms numbers = new NumberTerms();
      HyphenTerms hyphens = new HyphenTerms();
      DateTerms dates = new DateTerms();
      String previous = "";
      int previousEnd = -1;
      boolean more = true;
      while (more && tokenizer.incrementToken()) {
        String token = characters.toString();
        boolean isUnspaced = UNSPACED.contains(type.type());
        for (int start = 0, end; more && start < token.length(); start = end) {
          boolean syllables = isUnspaced || isHangul(token.charAt(start));
          end = isUnspaced ? token.length() : endOfScript(token, start);
          String raw = token.substring(start, end);
          String word = WordFolding.fold(raw);
          int from = offset.startOffset() + start;
          int to = end == token.length() ? offset.endOffset() : offset.startOffset() + end;
          if (syllables) {
            more = unspaced(previousEnd == from ? previous : "", word, words);
            previous = word.substring(word.offsetByCodePoints(word.length(), -1));
            previousEnd = to;
          } else {
            more =
                spaced(raw, word, words)
                    && sign(plain, word, words)
                    && all(numbers.next(plain, word, from, to), words)
                    && all(hyphens.next(plain, word, from, to), words);
          }
          more = more && all(dates.next(word), words);
        }
      }
      if (more
          && all(numbers.end(), words)
          && all(hyphens.end(), words)
          && all(dates.end(), words)) {
        tokenizer.end();
      }
      tokenizer.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a StringReader does not fail
    }
  }

  /**
   * The text with the digits of all scripts as those of ASCII; with plain apostrophes for those
   * that are letters of Hawaiian and Ukrainian; and with plain hyphens and blanks for what is part
   * of a word to Unicode: what Persian joins endings with, and the narrow blank of French.
   */
  private static String withPlainCharacters(String text) {
    StringBuilder plain = null;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      int special = c < SPECIAL.charAt(0) ? -1 : SPECIAL.indexOf(c);
      if (special >= 0 || (c > SPECIAL.charAt(0) && Character.isDigit(c))) {
        plain = plain == null ? new StringBuilder(text) : plain;
        char other = special < 0 ? (char) ('0' + Character.digit(c, 10)) : PLAIN.charAt(special);
        plain.setCharAt(i, other);
      }
    }
    return plain == null ? text : plain.toString();
  }

  /** The end of the run of Hangul syllables, or of other characters, that begins there. */
  private static int endOfScript(String token, int start) {
    int end = start + 1;
    while (end < token.length() && isHangul(token.charAt(end)) == isHangul(token.charAt(start))) {
      end++;
    }
    return end;
  }

  private static boolean isHiragana(String character) {
    return character.charAt(0) >= '\u3041' && character.charAt(0) <= '\u309f';
  }

  private static boolean isHangul(char c) {
    return c >= '\uac00' && c <= '\ud7a3';
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
    return (!isCompound(word) || pieces(word, words))
        && humps(raw, words)
        && name(word, words)
        && code(word, words);
  }

  /** Letters and number of a code such as {@code LH2043}, or of a measure such as {@code 9.5km}. */
  private static boolean code(String word, Words words) {
    boolean isMeasure = isDigit(word, 0);
    int change = 1;
    while (change < word.length() && isNumber(word, change) == isMeasure) {
      change++;
    }
    int digits = isMeasure ? change : word.length() - change;
    for (int i = change; i < word.length(); i++) {
      boolean isOfNumber = isNumber(word, i);
      if (isOfNumber == isMeasure || !(isOfNumber || Character.isLetter(word.charAt(i)))) {
        return true;
      }
    }
    return digits == word.length()
        || (digits < 2 && !(isMeasure && word.length() > 2))
        || ORDINALS.contains(word.substring(change))
        || (words.word(word.substring(0, change), true)
            && words.word(word.substring(change), true));
  }

  private static boolean isNumber(String word, int at) {
    char c = word.charAt(at);
    boolean isMark = (c == '.' || c == ',') && at + 1 < word.length() && isDigit(word, at - 1);
    return isDigit(word, at) || (isMark && isDigit(word, at + 1));
  }

  private static boolean isDigit(String word, int at) {
    return Character.isDigit(word.charAt(at));
  }

  /**
   * The name before an apostrophe and an ending, as in {@code Ankara'ya}, or behind a letter and an
   * apostrophe, as in {@code O'Brien}; and the word without, as many write {@code Xi'an}.
   */
  private static boolean name(String word, Words words) {
    int at = word.indexOf('\'');
    return at < 1
        || at == word.length() - 1
        || ENGLISH_ENDINGS.contains(word.substring(at + 1))
        || (words.word(at > 1 ? word.substring(0, at) : word.substring(at + 1), true)
            && words.word(word.replace("'", ""), true));
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
      if ((previous.isEmpty() || !isHiragana(character)) && !words.word(character, false)) {
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
