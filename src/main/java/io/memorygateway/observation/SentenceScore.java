package io.memorygateway.observation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * How much a sentence says for its length, among the sentences at hand: who speaks of themselves,
 * wishes, decisions, dates, numbers, names, and words that are rare here. Needs no list of words of
 * its language; where there is one, it adds to the score.
 */
final class SentenceScore {
  private static final double RARITY = 0.25;

  /** Below 1, so that a longer sentence is worth more than a shorter one of the same density. */
  private static final double LENGTH = 0.7;

  /** Words that the frame of a line costs. */
  private static final double FRAME = 4;

  /** Sentences from which on the words of every eighth count as usual, in any language. */
  private static final int ENOUGH_FOR_USUAL = 40;

  private static final double USUAL_SHARE = 1.0 / 8;

  /** Of a sentence that says nothing but courtesies. */
  private static final double COURTESY = 3;

  private static final double QUESTION = 1.5;
  private static final Pattern QUESTION_MARK = Pattern.compile("[?？؟]\\s*$");

  private final SignalWords signals;
  private final Map<String, Integer> frequency = new HashMap<>();
  private int sentences;

  SentenceScore(SignalWords signals) {
    this.signals = signals;
  }

  /** Counts the words of a sentence among those that are usual here. */
  void learn(String sentence) {
    sentences++;
    new HashSet<>(Words.of(sentence)).forEach(word -> frequency.merge(word, 1, Integer::sum));
  }

  /**
   * Higher for what says more in fewer words; about -1 to 3.
   *
   * @param bonus for who says it
   */
  double of(String sentence, double bonus) {
    List<String> words = Words.of(sentence);
    if (words.isEmpty()) {
      return 0;
    }
    Set<String> content = content(words);
    double rules = bonus + Math.min(1, signals.count("me", words));
    rules += Math.min(1.5, signals.count("signal", words));
    rules += Math.min(2, 1.5 * signals.count("date", words));
    int numbers = numbers(words);
    int names = names(sentence);
    rules += Math.min(2, numbers);
    rules += Math.min(2.4, 0.8 * names);
    rules -= QUESTION_MARK.matcher(sentence).find() ? QUESTION : 0;
    boolean courtesy = numbers == 0 && names == 0 && signals.isCourtesy(words);
    rules -= courtesy ? COURTESY : 0;
    return (rules + RARITY * rarity(content)) / Math.pow(words.size() + FRAME, LENGTH);
  }

  /** Words that are not in sentences of every kind. */
  private Set<String> content(List<String> words) {
    Set<String> content = new HashSet<>();
    for (String word : words) {
      boolean usual =
          sentences >= ENOUGH_FOR_USUAL
              && frequency.getOrDefault(word, 0) > USUAL_SHARE * sentences;
      if (!usual && !signals.isUsual(word)) {
        content.add(word);
      }
    }
    return content;
  }

  private int numbers(List<String> words) {
    int numbers = signals.count("number", words);
    for (String word : words) {
      if (word.codePoints().anyMatch(Character::isDigit)) {
        numbers++;
      }
    }
    return numbers;
  }

  /** Words with a capital that do not begin the sentence, or with one inside, and addresses. */
  private int names(String sentence) {
    int names = 0;
    List<String> words = Words.asWritten(sentence);
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      boolean capital =
          Character.isUpperCase(word.codePointAt(0))
              && word.length() > 1
              && word.charAt(1) != '\''
              && word.charAt(1) != '’';
      boolean inside = word.chars().skip(1).anyMatch(c -> "_@.".indexOf(c) >= 0);
      if ((capital && i > 0) || inside) {
        names++;
      }
    }
    return names;
  }

  private double rarity(Set<String> content) {
    double sum = 0;
    for (String word : content) {
      sum += Math.log((double) Math.max(2, sentences) / frequency.getOrDefault(word, 1));
    }
    return sum;
  }
}
