package io.memorygateway.observation.text;

import java.lang.Character.UnicodeScript;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The words of a sentence, in lower case. Where a script sets no spaces between words, pairs of
 * characters take their place.
 */
final class Words {
  private static final String JOINTS = "'’_.@-";
  private static final int LETTERS =
      1 << Character.UPPERCASE_LETTER
          | 1 << Character.LOWERCASE_LETTER
          | 1 << Character.TITLECASE_LETTER
          | 1 << Character.MODIFIER_LETTER
          | 1 << Character.OTHER_LETTER;
  private static final int NUMBERS =
      1 << Character.DECIMAL_DIGIT_NUMBER
          | 1 << Character.LETTER_NUMBER
          | 1 << Character.OTHER_NUMBER;
  private static final int MARKS =
      1 << Character.NON_SPACING_MARK
          | 1 << Character.ENCLOSING_MARK
          | 1 << Character.COMBINING_SPACING_MARK;
  private static final Set<UnicodeScript> WITHOUT_SPACES =
      Set.of(
          UnicodeScript.HAN,
          UnicodeScript.HIRAGANA,
          UnicodeScript.KATAKANA,
          UnicodeScript.THAI,
          UnicodeScript.LAO,
          UnicodeScript.KHMER,
          UnicodeScript.MYANMAR);

  /** Characters before this one are of scripts with spaces. */
  private static final int FIRST_UNSPACED = 0x0e00;

  private Words() {}

  static List<String> of(String sentence) {
    List<String> words = new ArrayList<>();
    for (String word : asWritten(sentence)) {
      if (isUnspaced(word)) {
        int[] characters = word.codePoints().toArray();
        for (int i = 0; i + 1 < Math.max(2, characters.length); i++) {
          words.add(new String(characters, i, Math.min(2, characters.length)));
        }
      } else {
        words.add(word.toLowerCase(Locale.ROOT));
      }
    }
    return words;
  }

  /** Whether a word is of a script without spaces. */
  static boolean isUnspaced(String word) {
    return !word.isEmpty() && isUnspaced(word.codePointAt(0));
  }

  private static boolean isUnspaced(int c) {
    return c >= FIRST_UNSPACED && WITHOUT_SPACES.contains(UnicodeScript.of(c));
  }

  /** The words as they are written in the text; they end where scripts with spaces begin. */
  static List<String> asWritten(String sentence) {
    List<String> words = new ArrayList<>();
    int at = 0;
    while (at < sentence.length()) {
      int end = end(sentence, at);
      if (end > at) {
        words.add(sentence.substring(at, end));
        at = end;
      } else {
        at += Character.charCount(sentence.codePointAt(at));
      }
    }
    return words;
  }

  /** The end of the word that begins here: letters, marks and digits, joined by single joints. */
  private static int end(String sentence, int start) {
    int end = start;
    boolean unspaced = isUnspaced(sentence.codePointAt(start));
    for (int at = start; at < sentence.length(); ) {
      int c = sentence.codePointAt(at);
      if (isPartOfWord(c)) {
        if (at > start && isOther(c, unspaced)) {
          break;
        }
        at += Character.charCount(c);
        end = at;
      } else if (at == end && at > start && JOINTS.indexOf(c) >= 0) {
        at++;
      } else {
        break;
      }
    }
    return end;
  }

  /** Whether a character ends a word of the other kind of script; marks belong to both. */
  private static boolean isOther(int c, boolean unspaced) {
    boolean isMark = ((MARKS | 1 << Character.MODIFIER_LETTER) >> Character.getType(c) & 1) != 0;
    return !isMark && isUnspaced(c) != unspaced;
  }

  /** Whether a character is a letter or a number, of whatever kind. */
  static boolean isLetter(int c) {
    return ((LETTERS | NUMBERS) >> Character.getType(c) & 1) != 0;
  }

  private static boolean isPartOfWord(int c) {
    return ((LETTERS | NUMBERS | MARKS) >> Character.getType(c) & 1) != 0;
  }
}
