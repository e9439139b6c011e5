package io.memorygateway.observation.text;

import java.text.BreakIterator;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Splits texts of any language into sentences, each verbatim. */
final class Sentences {
  /** Characters; longer sentences are cut where a clause or a word ends. */
  static final int MAX_CHARACTERS = 320;

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
    int from = 0;
    while (sentence.length() - from > MAX_CHARACTERS) {
      String part = sentence.substring(from, TextCuts.before(sentence, from + MAX_CHARACTERS));
      int at = part.length();
      for (String separator : new String[] {"; ", ", ", "、", "，", " "}) {
        int clause = part.lastIndexOf(separator);
        if (clause > MAX_CHARACTERS / 2) {
          at = clause + separator.length();
          break;
        }
      }
      sentences.add(part.substring(0, at).strip());
      from += at;
      while (from < sentence.length() && Character.isWhitespace(sentence.charAt(from))) {
        from++;
      }
    }
    String rest = sentence.substring(from);
    if (rest.codePoints().anyMatch(Character::isLetterOrDigit)) {
      sentences.add(rest);
    }
  }
}
