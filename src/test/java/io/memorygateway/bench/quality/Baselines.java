package io.memorygateway.bench.quality;

import io.memorygateway.observation.text.TokenCounter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Simple ways to fill a context of a given size, to compare with. */
final class Baselines {
  private static final double K1 = 1.2;
  private static final double B = 0.75;

  private final TokenCounter counter;

  Baselines(TokenCounter counter) {
    this.counter = counter;
  }

  /** The newest messages. */
  Retained last(Conversation conversation, long tokens) {
    Retained retained = new Retained(conversation);
    long left = tokens;
    List<Conversation.Utterance> all = conversation.utterances();
    for (int i = all.size() - 1; i >= 0 && left > 0; i--) {
      left -= counter.count(all.get(i).text());
      if (left >= 0) {
        retained.add(all.get(i));
      }
    }
    return retained;
  }

  /** Sentences drawn by lot. */
  Retained random(Conversation conversation, long tokens) {
    List<String> sentences = new ArrayList<>();
    conversation.utterances().forEach(said -> sentences.addAll(Retained.sentences(said.text())));
    Collections.shuffle(sentences, new Random(1));
    StringBuilder context = new StringBuilder();
    long left = tokens;
    for (String sentence : sentences) {
      left -= counter.count(sentence) + 1;
      if (left < 0) {
        break;
      }
      context.append(sentence).append('\n');
    }
    return new Retained(conversation).add(context.toString());
  }

  /** The messages that BM25 ranks best for a question. */
  Retained best(Conversation conversation, Conversation.Question question, long tokens) {
    Retained retained = new Retained(conversation);
    long left = tokens;
    for (Conversation.Utterance utterance : ranked(conversation, question.text())) {
      left -= counter.count(utterance.text());
      if (left < 0) {
        break;
      }
      retained.add(utterance);
    }
    return retained;
  }

  private static List<Conversation.Utterance> ranked(Conversation conversation, String query) {
    List<Conversation.Utterance> all = conversation.utterances();
    Map<String, Integer> holders = new HashMap<>();
    double words = 0;
    for (Conversation.Utterance utterance : all) {
      List<String> own = Retained.words(utterance.text());
      words += own.size();
      new HashSet<>(own).forEach(word -> holders.merge(word, 1, Integer::sum));
    }
    double average = words / all.size();
    Set<String> wanted = Retained.content(query);
    Map<Conversation.Utterance, Double> scores = new HashMap<>();
    for (Conversation.Utterance utterance : all) {
      List<String> own = Retained.words(utterance.text());
      double score = 0;
      for (String word : wanted) {
        int count = Collections.frequency(own, word);
        int df = holders.getOrDefault(word, 0);
        double idf = Math.log(1 + (all.size() - df + 0.5) / (df + 0.5));
        score += idf * count * (K1 + 1) / (count + K1 * (1 - B + B * own.size() / average));
      }
      scores.put(utterance, score);
    }
    List<Conversation.Utterance> ranked = new ArrayList<>(all);
    ranked.sort(Comparator.comparingDouble((Conversation.Utterance u) -> -scores.get(u)));
    return ranked;
  }
}
