package io.memorygateway.observation.text;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Scores how much a sentence says for its length, among the given sentences: the author's own
 * affairs, wishes, decisions, dates, numbers, names, and words that are rare here. Works for any
 * language; lists of words, where a language has them, add to the score.
 */
final class SentenceScore {
  private static final double RARITY = 0.25;

  /**
   * Exponent of the length; below 1, so that of equal density the longer sentence scores higher.
   */
  private static final double LENGTH = 0.75;

  /** Words that the frame of a line counts. */
  private static final double FRAME = 4;

  private static final double PAIR = 0.6;

  /** Sentences from which on words that occur in every eighth count as usual, in any language. */
  private static final int MIN_SENTENCES_FOR_COMMON_WORDS = 40;

  private static final double COMMON_WORD_SHARE = 1.0 / 8;

  /** Weight of a signal word: most are frequent words, which fill sentences that say little. */
  private static final double SIGNAL = 0.3;

  /** Penalty of a sentence that says nothing but courtesies. */
  private static final double COURTESY = 3;

  private static final double QUESTION = 1.5;
  private static final String QUESTION_MARKS = "?？؟";

  private final SignalWords signals;
  private final Map<String, Integer> frequency = new HashMap<>();
  private int sentences;

  SentenceScore(SignalWords signals) {
    this.signals = signals;
  }

  /** Counts the words of a sentence towards those that are usual here. */
  void learn(String sentence) {
    sentences++;
    new HashSet<>(Words.of(sentence)).forEach(word -> frequency.merge(word, 1, Integer::sum));
  }

  /** The score of a sentence, about -1 to 3; higher for more content in fewer words. */
  double of(String sentence) {
    List<String> words = Words.of(sentence);
    if (words.isEmpty()) {
      return 0;
    }
    Set<String> content = content(words);
    double rules = Math.min(1, signals.count("me", words));
    rules += SIGNAL * Math.min(1.5, signals.count("signal", words));
    rules += Math.min(2, 1.5 * signals.count("date", words));
    int numbers = numbers(words);
    int names = names(sentence);
    rules += Math.min(2, numbers);
    rules += Math.min(2.4, 0.8 * names);
    rules -= isQuestion(sentence.stripTrailing()) ? QUESTION : 0;
    boolean courtesy = numbers == 0 && names == 0 && signals.isCourtesy(words);
    rules -= courtesy ? COURTESY : 0;
    double length = words.stream().mapToDouble(SentenceScore::share).sum();
    return (rules + RARITY * rarity(content)) / Math.pow(length + FRAME, LENGTH);
  }

  private static boolean isQuestion(String sentence) {
    return !sentence.isEmpty()
        && QUESTION_MARKS.indexOf(sentence.charAt(sentence.length() - 1)) >= 0;
  }

  /** The words that are not usual. */
  private Set<String> content(List<String> words) {
    Set<String> content = new HashSet<>();
    for (String word : words) {
      boolean usual =
          sentences >= MIN_SENTENCES_FOR_COMMON_WORDS
              && frequency.getOrDefault(word, 0) > COMMON_WORD_SHARE * sentences;
      if (!usual && !signals.isCommon(word)) {
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

  /**
   * Number of names: capitalised words but the first, words with an inner capital, and addresses.
   */
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

  /** How much of a word this is: pairs of characters overlap, and words have about two. */
  private static double share(String word) {
    return Words.isUnspaced(word) ? PAIR : 1;
  }

  private double rarity(Set<String> content) {
    double sum = 0;
    for (String word : content) {
      sum +=
          share(word) * Math.log((double) Math.max(2, sentences) / frequency.getOrDefault(word, 1));
    }
    return sum;
  }
}
