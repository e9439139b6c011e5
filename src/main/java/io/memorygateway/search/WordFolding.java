package io.memorygateway.search;

import io.memorygateway.language.WordTable;
import java.text.Normalizer;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.lucene.analysis.miscellaneous.ASCIIFoldingFilter;

/**
 * The form of a word in which it is compared: in lower case, without accents and vowel points, in
 * the usual width, and without an article or pronoun that is written together with it ({@code
 * l'avion}).
 */
final class WordFolding {
  /** Words of French and Italian that lose their vowel before the next one. */
  private static final Set<String> ELIDED =
      Set.of(
          "l", "m", "t", "qu", "n", "s", "j", "d", "c", "jusqu", "quoiqu", "lorsqu", "puisqu", "un",
          "all", "dall", "dell", "nell", "sull", "gl", "agl", "dagl", "degl", "negl", "sugl");

  private static final int MAX_ELIDED_CHARACTERS = 6;

  /**
   * Characters for which many write another one, each with that: a sign of Hindi; ye, kaf and he of
   * Persian and Urdu, which keyboards of Arabic have in other forms.
   */
  private static final String LIKE = "\u0901\u0902\u06cc\u064a\u06a9\u0643\u06c1\u0647\u06be\u0647";

  private static final Map<Character, Character> SIMPLIFIED = simplifiedForms();

  private WordFolding() {}

  static String fold(String word) {
    boolean plain = true;
    for (int i = 0; i < word.length() && plain; i++) {
      char c = word.charAt(i);
      plain = c < 128 && (c < 'A' || c > 'Z');
    }
    return withoutElided(plain ? word : folded(word));
  }

  private static String folded(String word) {
    char[] ascii = new char[4 * word.length()];
    int length = ASCIIFoldingFilter.foldToASCII(word.toCharArray(), 0, ascii, 0, word.length());
    String text = new String(ascii, 0, length);
    return simplified(mayHaveMarks(text) ? withoutMarks(text) : text).toLowerCase(Locale.ROOT);
  }

  /** Traditional Chinese characters with those in which they are compared. */
  private static Map<Character, Character> simplifiedForms() {
    String text = WordTable.read("/search/simplified.txt");
    int half = text.indexOf('\n');
    Map<Character, Character> forms = new HashMap<>();
    for (int i = 0; i < half; i++) {
      forms.put(text.charAt(i), text.charAt(half + 1 + i));
    }
    return Map.copyOf(forms);
  }

  private static String simplified(String text) {
    char[] simplified = text.toCharArray();
    for (int i = 0; i < simplified.length; i++) {
      char c = simplified[i];
      simplified[i] = c < '\u4e00' || c > '\u9fff' ? c : SIMPLIFIED.getOrDefault(c, c);
    }
    return new String(simplified);
  }

  private static boolean mayHaveMarks(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean combining = c >= '\u0300' && c <= '\u036f';
      boolean greekToArabic = c >= '\u0370' && c <= '\u06ff';
      boolean ofIndia = c >= '\u0900' && c <= '\u0dff';
      boolean oldGreek = c >= '\u1f00' && c <= '\u1fff';
      boolean presented = c >= '\ufb1d' && c <= '\ufeff';
      boolean halfWidth = c >= '\uff65' && c <= '\uff9f';
      if (combining || greekToArabic || ofIndia || oldGreek || presented || halfWidth) {
        return true;
      }
    }
    return false;
  }

  private static String withoutMarks(String text) {
    StringBuilder kept = new StringBuilder();
    for (char c : Normalizer.normalize(text, Normalizer.Form.NFKD).toCharArray()) {
      // Some letters stand for several words, or for a blank with a mark.
      if (c != ' ' && !isMark(c)) {
        int like = LIKE.indexOf(c);
        kept.append(like >= 0 && like % 2 == 0 ? LIKE.charAt(like + 1) : c);
      }
    }
    // Some words are of marks alone.
    return kept.isEmpty() ? text : Normalizer.normalize(kept, Normalizer.Form.NFC);
  }

  /**
   * Accents of Latin, Greek and Cyrillic; points and vowels of Hebrew and Arabic; the tatweel; the
   * nukta of Hindi, which many leave out.
   */
  private static boolean isMark(char c) {
    return (c >= '\u0300' && c <= '\u036f')
        || (c >= '\u0483' && c <= '\u0487')
        || (c >= '\u0591' && c <= '\u05c7')
        || (c >= '\u0610' && c <= '\u061a')
        || (c >= '\u064b' && c <= '\u065f')
        || c == '\u0640'
        || c == '\u0670'
        || (c >= '\u06d6' && c <= '\u06ed')
        || c == '\u093c';
  }

  /** One letter behind the apostrophe is an ending instead, as in {@code the T's}. */
  private static String withoutElided(String word) {
    int apostrophe = word.indexOf('\'');
    return apostrophe > 0
            && apostrophe <= MAX_ELIDED_CHARACTERS
            && apostrophe < word.length() - 2
            && ELIDED.contains(word.substring(0, apostrophe))
        ? word.substring(apostrophe + 1)
        : word;
  }
}
