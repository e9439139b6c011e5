package io.memorygateway.observation;

import java.text.BreakIterator;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Cuts texts of any language into sentences, each as it stands in the text. */
final class Sentences {
  /** Longer ones are cut where a clause or a word ends. */
  static final int LONGEST = 320;

  private Sentences() {}

  static List<String> of(String text) {
    List<String> sentences = new ArrayList<>();
    BreakIterator breaks = BreakIterator.getSentenceInstance(Locale.ROOT);
    text.lines()
        .forEach(
            line -> {
              breaks.setText(line);
              int from = breaks.first();
              for (int to = breaks.next(); to != BreakIterator.DONE; to = breaks.next()) {
                add(line.substring(from, to).strip(), sentences);
                from = to;
              }
            });
    return sentences;
  }

  private static void add(String sentence, List<String> sentences) {
    String rest = sentence;
    while (rest.length() > LONGEST) {
      int at = TextCuts.before(rest, LONGEST);
      for (String separator : new String[] {"; ", ", ", "、", "，", " "}) {
        int clause = rest.lastIndexOf(separator, LONGEST - separator.length());
        if (clause > LONGEST / 2) {
          at = clause + separator.length();
          break;
        }
      }
      sentences.add(rest.substring(0, at).strip());
      rest = rest.substring(at).strip();
    }
    if (rest.codePoints().anyMatch(Character::isLetterOrDigit)) {
      sentences.add(rest);
    }
  }
}
