package io.memorygateway.search;

/**
 * The terms of messages of one thread that were indexed together. Its arrays never change.
 *
 * @param seqs of the messages, ascending
 * @param roles of the messages, as {@link Roles} numbers them
 * @param times of the messages, in milliseconds since the epoch
 * @param ends of message i: its terms are those from {@code ends[i]} up to {@code ends[i + 1]}
 * @param vocabulary the longer words, maybe of messages that are gone as well
 */
@SuppressWarnings("ArrayRecordComponent") // its values are never compared
record Segment(
    long[] seqs, byte[] roles, long[] times, int[] ends, int[] terms, Vocabulary vocabulary) {
  static final Segment EMPTY =
      new Segment(new long[0], new byte[0], new long[0], new int[1], new int[0], Vocabulary.NONE);

  private static final int BYTES_OF_MESSAGE = 21;
  private static final int OVERHEAD = 150;

  int messages() {
    return seqs.length;
  }

  /** Number of words of a message. */
  int length(int message) {
    return ends[message + 1] - ends[message];
  }

  /** Counts the words of a query in a message. */
  void count(int message, Query query, int[] counts) {
    for (int i = ends[message]; i < ends[message + 1]; i++) {
      int slot = query.slot(terms[i]);
      if (slot >= 0) {
        counts[slot]++;
      }
    }
    query.countPhrases(terms, ends[message], ends[message + 1], counts);
  }

  /**
   * Adds the words of a query to what each message has of them.
   *
   * @param words of the messages of the thread, a bit for each word
   * @param first the place of the first message among them
   */
  void addWords(Query query, long[] words, int first) {
    for (int message = 0; message < seqs.length; message++) {
      long own = 0;
      for (int i = ends[message]; i < ends[message + 1]; i++) {
        int slot = query.slot(terms[i]);
        if (slot >= 0) {
          own |= 1L << slot;
        }
      }
      words[first + message] = query.withPhrases(terms, ends[message], ends[message + 1], own);
    }
  }

  /** Bytes of heap. */
  long weight() {
    return (long) BYTES_OF_MESSAGE * seqs.length
        + 4L * terms.length
        + vocabulary.weight()
        + OVERHEAD;
  }

  /** A segment with these messages and later ones. */
  Segment plus(Segment later) {
    SegmentWriter writer =
        new SegmentWriter(messages() + later.messages(), terms.length + later.terms.length);
    writer.add(this);
    writer.add(later);
    return writer.toSegment();
  }
}
