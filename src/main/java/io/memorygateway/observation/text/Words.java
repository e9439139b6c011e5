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

  private Words() {}

  static List<String> of(String sentence) {
    List<String> words = new ArrayList<>();
    for (String word : asWritten(sentence)) {
      if (WITHOUT_SPACES.contains(UnicodeScript.of(word.codePointAt(0)))) {
        int[] characters = word.codePoints().toArray();
        for (int i = 0; i + 1 < characters.length; i++) {
          words.add(new String(characters, i, 2));
        }
      } else {
        words.add(word.toLowerCase(Locale.ROOT));
      }
    }
    return words;
  }

  /** The words as they are written in the text. */
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
    for (int at = start; at < sentence.length(); ) {
      int c = sentence.codePointAt(at);
      if (isPartOfWord(c)) {
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

  /** Whether a character is a letter or a number, of whatever kind. */
  static boolean isLetter(int c) {
    return ((LETTERS | NUMBERS) >> Character.getType(c) & 1) != 0;
  }

  private static boolean isPartOfWord(int c) {
    return ((LETTERS | NUMBERS | MARKS) >> Character.getType(c) & 1) != 0;
  }
}
