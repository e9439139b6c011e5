package io.memorygateway.observation.text;

import java.lang.Character.UnicodeScript;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The words of a sentence, in lower case. Where a script sets no spaces between words, pairs of
 * characters take their place.
 */
final class Words {
  private static final Pattern WORD =
      Pattern.compile("[\\p{L}\\p{M}\\p{N}]++(?:['’_.@-][\\p{L}\\p{M}\\p{N}]++)*+");
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
    Matcher matcher = WORD.matcher(sentence);
    while (matcher.find()) {
      words.add(matcher.group());
    }
    return words;
  }
}
