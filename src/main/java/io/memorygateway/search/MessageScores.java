package io.memorygateway.search;

/**
 * Scores the matching messages of one thread, which are passed in their order, each together with
 * its neighbours, because an answer seldom repeats the words of its question. Where messages are
 * short, a message and its neighbours are scored as one text, in which words of a neighbour count
 * half; where they are long, such a text would be about too much, and each is scored by itself, a
 * neighbour's score counting half. In between both count, by the mean length of the messages.
 */
final class MessageScores implements ThreadTerms.Matched {
  private static final double K1 = 1.2;
  private static final double B = 0.75;

  /** Weight of a word in the message before or after, and of the score of one. */
  static final double NEIGHBOUR = 0.5;

  /** The mean length, in words, at which both ways count alike. */
  private static final double EVEN_LENGTH = 40;

  private final WordWeights weights;
  private final double meanLength;
  private final double together;
  private final Scored receiver;
  private Row before;
  private Row at;
  private Row after;

  /** Receives scores. */
  interface Scored {
    /**
     * Receives the score of a message.
     *
     * @param message its index in the thread
     */
    void message(Segment segment, int position, int message, double score);
  }

  /**
   * Scores for a thread.
   *
   * @param weights of the words of the query
   */
  MessageScores(WordWeights weights, Scored receiver) {
    this.weights = weights;
    this.meanLength = weights.meanLength();
    this.together = 1 / (1 + meanLength / EVEN_LENGTH);
    this.receiver = receiver;
    this.before = new Row(weights.alone().length);
    this.at = new Row(weights.alone().length);
    this.after = new Row(weights.alone().length);
  }

  @Override
  public void message(
      Segment segment, int position, int message, int[] counts, int length, int lengthsAround) {
    after.segment = segment;
    after.position = position;
    after.message = message;
    System.arraycopy(counts, 0, after.counts, 0, counts.length);
    after.windowLength = length + NEIGHBOUR * lengthsAround;
    after.score = 0;
    double norm = norm(length / meanLength);
    for (int i = 0; i < counts.length; i++) {
      after.score += weights.alone()[i] * saturated(counts[i], norm);
    }
    shift();
  }

  /** Ends the thread: the last message has its score. */
  void end() {
    after.message = Row.NONE;
    shift();
  }

  private void shift() {
    if (at.message != Row.NONE) {
      emit();
    }
    Row free = before;
    before = at;
    at = after;
    after = free;
  }

  private void emit() {
    boolean follows = before.message != Row.NONE && before.message + 1 == at.message;
    boolean isFollowed = after.message == at.message + 1;
    double norm = norm(at.windowLength / ((1 + 2 * NEIGHBOUR) * meanLength));
    double window = 0;
    for (int i = 0; i < at.counts.length; i++) {
      double count =
          at.counts[i]
              + NEIGHBOUR * ((follows ? before.counts[i] : 0) + (isFollowed ? after.counts[i] : 0));
      window += weights.together()[i] * saturated(count, norm);
    }
    double apart =
        at.score + NEIGHBOUR * ((follows ? before.score : 0) + (isFollowed ? after.score : 0));
    receiver.message(
        at.segment, at.position, at.message, together * window + (1 - together) * apart);
  }

  private static double norm(double length) {
    return K1 * (1 - B + B * length);
  }

  private static double saturated(double count, double norm) {
    return count == 0 ? 0 : count * (K1 + 1) / (count + norm);
  }

  /** A message that matches. */
  private static final class Row {
    private static final int NONE = -1;

    private final int[] counts;
    private Segment segment = Segment.EMPTY;
    private int position;
    private int message = NONE;
    private double windowLength;
    private double score;

    Row(int width) {
      this.counts = new int[width];
    }
  }
}
