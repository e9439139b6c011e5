package io.memorygateway.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.language.SmallWords;
import io.memorygateway.testing.Runs;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is looked up and left out to be fast changes no result: the best messages are those of a
 * plain loop over all words of all messages, with the same scores to the last bit.
 */
class RankingPropertyTest {
  private static final Instant FIRST = Instant.parse("2023-05-08T13:56:00Z");

  private final TermReader reader = new TermReader();
  private final MessageTerms terms = new MessageTerms(reader);

  static LongStream seeds() {
    return LongStream.range(0, Runs.of(60));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void theBestMessagesAreThoseOfAPlainLoop(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int vocabulary = List.of(3, 40, 2_000).get((int) (seed % 3));
    List<ThreadTerms> threads = new ArrayList<>();
    for (int i = random.nextInt(5); i >= 0; i--) {
      threads.add(thread(random, vocabulary));
    }
    for (int round = 0; round < 5; round++) {
      Query query = Query.of(query(random, vocabulary), reader, LocalDate.of(2026, 11, 20));
      int limit = 1 + random.nextInt(30);
      Ranking.Filter filter =
          (thread, role, time, seq) -> role == Roles.number("user") || (seq + thread) % 3 == 0;
      Ranking.Best best = Ranking.rank(threads, query, filter, limit, 0, false);
      List<Ranking.Ranked> all = plain(threads, query, best.weights());
      assertThat(best.hits())
          .isEqualTo(
              all.stream()
                  .filter(hit -> admits(filter, threads.get(hit.thread()), hit))
                  .sorted(Ranking.Ranked.BEST_FIRST)
                  .limit(limit)
                  .toList());
      Spread scores = new Spread();
      all.forEach(hit -> scores.add(hit.score()));
      scores.fill(best.weights().messages());
      assertThat(Ranking.rank(threads, query, filter, limit, 0, true))
          .satisfies(
              of -> assertThat(of.hits()).isEqualTo(best.hits()),
              of -> assertThat(of.deviation()).isEqualTo(scores.deviation()));
    }
  }

  private static boolean admits(Ranking.Filter filter, ThreadTerms thread, Ranking.Ranked hit) {
    Segment segment = thread.segment(hit.message());
    int position = thread.position(hit.message());
    return filter.admits(
        hit.thread(), segment.roles()[position], segment.times()[position], hit.seq());
  }

  /** The score of each message that has a word of the query, in their order. */
  private static List<Ranking.Ranked> plain(
      List<ThreadTerms> threads, Query query, WordWeights weights) {
    List<Ranking.Ranked> all = new ArrayList<>();
    int[] alone = new int[query.size()];
    int[] together = new int[query.size()];
    List<List<Message>> read = new ArrayList<>();
    for (ThreadTerms thread : threads) {
      List<Message> messages = new ArrayList<>();
      thread.forEach((segment, position, at) -> messages.add(Message.of(segment, position, query)));
      read.add(messages);
      for (int i = 0; i < messages.size(); i++) {
        for (int word = 0; word < query.size(); word++) {
          boolean own = messages.get(i).counts[word] > 0;
          boolean beside = count(messages, i - 1, word) + count(messages, i + 1, word) > 0;
          alone[word] += own ? 1 : 0;
          together[word] += own || beside ? 1 : 0;
        }
      }
    }
    assertThat(weights.messages()).isEqualTo(read.stream().mapToInt(List::size).sum());
    assertThat(weights.alone()).isEqualTo(rarities(alone, query, weights.messages()));
    assertThat(weights.together()).isEqualTo(rarities(together, query, weights.messages()));
    for (int thread = 0; thread < read.size(); thread++) {
      List<Message> messages = read.get(thread);
      for (int i = 0; i < messages.size(); i++) {
        if (Arrays.stream(messages.get(i).counts).sum() > 0) {
          double score = score(messages, i, weights);
          all.add(new Ranking.Ranked(thread, i, messages.get(i).seq, score));
        }
      }
    }
    return all;
  }

  private static double[] rarities(int[] holders, Query query, long messages) {
    double[] rarities = new double[holders.length];
    for (int i = 0; i < holders.length; i++) {
      double rarity = Math.log(1 + (messages - holders[i] + 0.5) / (holders[i] + 0.5));
      rarities[i] = SmallWords.contains(query.word(i)) ? 0.3 * rarity : rarity;
    }
    return rarities;
  }

  private static double score(List<Message> messages, int at, WordWeights weights) {
    double mean = weights.meanLength();
    double length =
        messages.get(at).length + 0.5 * (length(messages, at - 1) + length(messages, at + 1));
    double window = 0;
    for (int word = 0; word < weights.alone().length; word++) {
      double count =
          count(messages, at, word)
              + 0.5 * (count(messages, at - 1, word) + count(messages, at + 1, word));
      window += weights.together()[word] * saturated(count, length / (2 * mean));
    }
    double apart =
        alone(messages, at, weights)
            + 0.5 * (alone(messages, at - 1, weights) + alone(messages, at + 1, weights));
    double together = 1 / (1 + mean / 30);
    return together * window + (1 - together) * apart;
  }

  private static double alone(List<Message> messages, int at, WordWeights weights) {
    double score = 0;
    for (int word = 0; word < weights.alone().length; word++) {
      double length = length(messages, at) / weights.meanLength();
      score += weights.alone()[word] * saturated(count(messages, at, word), length);
    }
    return score;
  }

  private static double saturated(double count, double length) {
    return count == 0 ? 0 : count * 2.2 / (count + 1.2 * (1 - 0.8 + 0.8 * length));
  }

  private static int count(List<Message> messages, int at, int word) {
    return at < 0 || at == messages.size() ? 0 : messages.get(at).counts[word];
  }

  private static int length(List<Message> messages, int at) {
    return at < 0 || at == messages.size() ? 0 : messages.get(at).length;
  }

  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Message(long seq, int[] counts, int length) {
    static Message of(Segment segment, int position, Query query) {
      int[] counts = new int[query.size()];
      int from = segment.ends()[position];
      int to = segment.ends()[position + 1];
      for (int i = from; i < to; i++) {
        int slot = query.slot(segment.terms()[i]);
        if (slot >= 0) {
          counts[slot]++;
        }
      }
      query.countPhrases(segment.terms(), from, to, counts);
      return new Message(segment.seqs()[position], counts, to - from);
    }
  }

  /** Threads of one message or of many, in one segment or in several, some without some. */
  private ThreadTerms thread(SplittableRandom random, int vocabulary) {
    ThreadTerms thread = ThreadTerms.EMPTY;
    long seq = 0;
    Set<Long> gone = new HashSet<>();
    int most = 1 << random.nextInt(9);
    for (int i = random.nextInt(5); i >= 0; i--) {
      SegmentWriter writer = new SegmentWriter(0, 0);
      for (int j = random.nextInt(most); j >= 0; j--) {
        int count = terms.read(text(random, vocabulary), FIRST.plusSeconds(10_000 * seq));
        byte role = Roles.number(random.nextBoolean() ? "user" : "assistant");
        writer.add(seq, role, seq, 0, terms.terms(), 0, count);
        writer.addWords(terms.longWords());
        if (random.nextInt(20) == 0) {
          gone.add(seq);
        }
        seq += 1 + random.nextInt(2);
      }
      thread = thread.plus(writer.toSegment());
    }
    return random.nextBoolean() ? thread : thread.without(gone);
  }

  private static String text(SplittableRandom random, int vocabulary) {
    int words = random.nextInt(10) == 0 ? 0 : random.nextInt(60);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < words; i++) {
      text.append(word(random, vocabulary)).append(' ');
    }
    return text.toString();
  }

  /** Few words are frequent, and most are rare. */
  private static String word(SplittableRandom random, int vocabulary) {
    int word = (int) Math.exp(random.nextDouble() * Math.log(vocabulary));
    return random.nextInt(4) == 0
        ? List.of("the", "is", "what", "in May").get(word % 4)
        : "word" + Integer.toString(word, 26).replaceAll("[0-9]", "x$0y");
  }

  private static String query(SplittableRandom random, int vocabulary) {
    StringBuilder query = new StringBuilder();
    for (int i = random.nextInt(random.nextInt(4) == 0 ? 80 : 12); i >= 0; i--) {
      boolean isPhrase = random.nextInt(5) == 0;
      String word = word(random, vocabulary);
      query.append(isPhrase ? "\"" + word + " " + word(random, vocabulary) + "\"" : word);
      query.append(random.nextInt(8) == 0 ? "x " : " ");
    }
    return query.toString();
  }
}
