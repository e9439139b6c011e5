package io.memorygateway.search;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Scores messages of one thread after another, each together with its neighbours, because an answer
 * seldom repeats the words of its question. Where messages are short, a message and its neighbours
 * are scored as one text, in which words of a neighbour count half; where they are long, such a
 * text would be about too much, and each is scored by itself, a neighbour's score counting half. In
 * between both count, by the mean length of the messages.
 */
final class MessageScores {
  private static final double K1 = 1.2;
  private static final double B = 0.8;

  /** Weight of a word in the message before or after, and of the score of one. */
  static final double NEIGHBOUR = 0.5;

  /** The mean length, in words, at which both ways count alike. */
  private static final double EVEN_LENGTH = 30;

  /** More than a word counts however often it occurs, and than is lost by rounding. */
  private static final double MOST = (K1 + 1) * (1 + 1e-9);

  /** The words of a query are added up by so many at once. */
  private static final int BITS = 8;

  private final Query query;
  private final WordWeights weights;
  private final double together;

  /** What a word adds to a score at most, wherever it stands. */
  private final double[] most;

  private final double[] sumsAlone;
  private final double[] sumsTogether;
  private final int[] lightestFirst;
  private final Row[] rows;
  private double reached = Double.NaN;
  private long needed;
  private ThreadTerms thread = ThreadTerms.EMPTY;
  private long[] has = new long[0];

  /**
   * @param weights of its words
   */
  MessageScores(Query query, WordWeights weights) {
    this.query = query;
    this.weights = weights;
    this.together = 1 / (1 + weights.meanLength() / EVEN_LENGTH);
    this.most = new double[query.size()];
    for (int i = 0; i < most.length; i++) {
      double apart = (1 + 2 * NEIGHBOUR) * weights.alone()[i];
      most[i] = MOST * (together * weights.together()[i] + (1 - together) * apart);
    }
    this.lightestFirst =
        IntStream.range(0, most.length)
            .boxed()
            .sorted(Comparator.comparingDouble(word -> most[word]))
            .mapToInt(word -> word)
            .toArray();
    this.sumsAlone = sums(weights.alone());
    this.sumsTogether = sums(weights.together());
    this.rows = new Row[] {new Row(query.size()), new Row(query.size()), new Row(query.size())};
  }

  /** The sums of all subsets of each {@value #BITS} words. */
  private static double[] sums(double[] weights) {
    double[] sums = new double[((weights.length + BITS - 1) / BITS) << BITS];
    for (int i = 0; i < sums.length; i++) {
      int low = i & ((1 << BITS) - 1);
      int word = (i >> BITS) * BITS + Integer.numberOfTrailingZeros(low);
      sums[i] = low == 0 || word >= weights.length ? 0 : sums[i & (i - 1)] + weights[word];
    }
    return sums;
  }

  private static double sum(double[] sums, long words) {
    double sum = 0;
    long left = words;
    for (int from = 0; left != 0; from += 1 << BITS) {
      sum += sums[from + (int) (left & ((1 << BITS) - 1))];
      left >>>= BITS;
    }
    return sum;
  }

  /**
   * Starts a thread.
   *
   * @param words that each of its messages has, a bit for each
   */
  void start(ThreadTerms newThread, long[] words) {
    thread = newThread;
    has = words;
    for (Row row : rows) {
      row.message = Row.NONE;
    }
  }

  /** Whether the score of a message may come to another one, whatever the message's length. */
  boolean mayReach(double score, int message) {
    if (score != reached) {
      reached = score;
      needed = needed(score);
    }
    if ((near(message) & needed) == 0) {
      return false;
    }
    double apart =
        sum(sumsAlone, has[message])
            + NEIGHBOUR * (sum(sumsAlone, has(message - 1)) + sum(sumsAlone, has(message + 1)));
    return MOST * (together * sum(sumsTogether, near(message)) + (1 - together) * apart) >= score;
  }

  /** The words that a message has or stands beside. */
  private long near(int message) {
    return has(message - 1) | has[message] | has(message + 1);
  }

  private long has(int message) {
    return message < 0 || message == has.length ? 0 : has[message];
  }

  /** Words of which a message that comes to a score has one, or stands beside one that has. */
  private long needed(double score) {
    long words = -1;
    double rest = score;
    for (int word : lightestFirst) {
      rest -= most[word];
      if (rest <= 0) {
        break;
      }
      words &= ~(1L << word);
    }
    return words;
  }

  /** The score of a message that has a word of the query. */
  double of(int message) {
    Row before = row(message - 1);
    Row own = row(message);
    Row after = row(message + 1);
    double length = own.length + NEIGHBOUR * (before.length + after.length);
    double norm = norm(length / ((1 + 2 * NEIGHBOUR) * weights.meanLength()));
    double window = 0;
    for (long left = near(message); left != 0; left &= left - 1) {
      int i = Long.numberOfTrailingZeros(left);
      double count = own.counts[i] + NEIGHBOUR * (before.counts[i] + after.counts[i]);
      window += weights.together()[i] * saturated(count, norm);
    }
    double apart = own.score + NEIGHBOUR * (before.score + after.score);
    return together * window + (1 - together) * apart;
  }

  /** A message, or an empty one beside the first and the last. */
  private Row row(int message) {
    Row row = rows[(message + rows.length) % rows.length];
    if (row.message != message) {
      row.message = message;
      row.length = 0;
      row.score = 0;
      Arrays.fill(row.counts, 0);
      if (message >= 0 && message < has.length) {
        read(row);
      }
    }
    return row;
  }

  private void read(Row row) {
    Segment segment = thread.segment(row.message);
    int position = thread.position(row.message);
    row.length = segment.length(position);
    if (has[row.message] != 0) {
      segment.count(position, query, row.counts);
      double norm = norm(row.length / weights.meanLength());
      for (long left = has[row.message]; left != 0; left &= left - 1) {
        int i = Long.numberOfTrailingZeros(left);
        row.score += weights.alone()[i] * saturated(row.counts[i], norm);
      }
    }
  }

  private static double norm(double length) {
    return K1 * (1 - B + B * length);
  }

  private static double saturated(double count, double norm) {
    return count == 0 ? 0 : count * (K1 + 1) / (count + norm);
  }

  /** What a message has of the query. */
  private static final class Row {
    private static final int NONE = -2;

    private final int[] counts;
    private int message = NONE;
    private int length;
    private double score;

    Row(int width) {
      this.counts = new int[width];
    }
  }
}
