package io.memorygateway.observation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/**
 * How much a sentence says that somebody may come back to: numbers, names, dates, wishes and
 * decisions, who speaks of themselves, words that are rare among the sentences at hand.
 */
final class SentenceScore {
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

  /** Higher for what is worth more; about 0 to 12. */
  double of(String sentence) {
    List<String> words = Words.of(sentence);
    double score = 2 * Math.min(1, signals.count("me", words));
    score += Math.min(4, 2 * signals.count("signal", words));
    score += Math.min(2, 1.5 * signals.count("date", words));
    score += Math.min(2.5, 1.0 * numbers(words));
    score += Math.min(2.0, 0.8 * names(sentence));
    score += rarity(words);
    if (words.size() < 3) {
      score -= 2;
    }
    return score;
  }

  private static int numbers(List<String> words) {
    int numbers = 0;
    for (String word : words) {
      if (word.codePoints().anyMatch(Character::isDigit)) {
        numbers++;
      }
    }
    return numbers;
  }

  /** Words with a capital that do not begin the sentence, or with one inside, and addresses. */
  private static int names(String sentence) {
    int names = 0;
    List<String> words = Words.asWritten(sentence);
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      boolean capital = Character.isUpperCase(word.codePointAt(0)) && word.length() > 1;
      boolean inside = word.chars().skip(1).anyMatch(c -> "_@.".indexOf(c) >= 0);
      if ((capital && i > 0) || inside) {
        names++;
      }
    }
    return names;
  }

  /** 0 for words that are in every sentence, 2 for words that are in this one alone. */
  private double rarity(List<String> words) {
    if (words.isEmpty() || sentences < 2) {
      return 0;
    }
    double sum = 0;
    for (String word : words) {
      sum += Math.log((double) sentences / frequency.getOrDefault(word, 1));
    }
    return 2 * sum / (words.size() * Math.log(sentences));
  }
}
