package io.memorygateway.search;

import org.jspecify.annotations.Nullable;

/**
 * The terms of messages of one thread that were indexed together. Its arrays never change.
 *
 * @param seqs of the messages, ascending
 * @param roles of the messages, as {@link Roles} numbers them
 * @param times of the messages, in milliseconds since the epoch
 * @param bytes of the contents of the messages
 * @param ends of message i: its terms are those from {@code ends[i]} up to {@code ends[i + 1]}
 * @param postings null if there are few terms, which are scanned as fast
 * @param vocabulary the longer words, maybe of messages that are gone as well
 */
@SuppressWarnings("ArrayRecordComponent") // its values are never compared
record Segment(
    long[] seqs,
    byte[] roles,
    long[] times,
    int[] bytes,
    int[] ends,
    int[] terms,
    @Nullable Postings postings,
    Vocabulary vocabulary) {
  private static final int MIN_POSTED_TERMS = 2_048;

  private static final int BYTES_OF_MESSAGE = 25;
  private static final int OVERHEAD = 150;

  Segment(
      long[] seqs,
      byte[] roles,
      long[] times,
      int[] bytes,
      int[] ends,
      int[] terms,
      Vocabulary vocabulary) {
    this(
        seqs,
        roles,
        times,
        bytes,
        ends,
        terms,
        terms.length < MIN_POSTED_TERMS ? null : Postings.of(terms, ends),
        vocabulary);
  }

  int messages() {
    return seqs.length;
  }

  int length(int message) {
    return ends[message + 1] - ends[message];
  }

  void count(int message, Query query, int[] counts) {
    for (int i = ends[message]; i < ends[message + 1]; i++) {
      int slot = query.slot(terms[i]);
      if (slot >= 0) {
        counts[slot]++;
      }
    }
    if (query.hasPhrases()) {
      query.countPhrases(terms, ends[message], ends[message + 1], counts);
    }
  }

  /**
   * Adds the words of a query to what each message has of them.
   *
   * @param words of the messages of the thread, a bit for each word
   * @param first the place of the first message among them
   */
  void addWords(Query query, long[] words, int first) {
    if (postings != null) {
      postings.addWords(query, words, first);
    }
    for (int i = 0; i < seqs.length && postings == null; i++) {
      words[first + i] = scanned(query, i);
    }
    for (int i = 0; i < seqs.length && query.hasPhrases(); i++) {
      words[first + i] = query.withPhrases(terms, ends[i], ends[i + 1], words[first + i]);
    }
  }

  private long scanned(Query query, int message) {
    long words = 0;
    for (int i = ends[message]; i < ends[message + 1]; i++) {
      int slot = query.slot(terms[i]);
      words |= slot < 0 ? 0 : 1L << slot;
    }
    return words;
  }

  /** Bytes of heap. */
  long weight() {
    return (long) BYTES_OF_MESSAGE * seqs.length
        + 4L * terms.length
        + (postings == null ? 0 : postings.weight())
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
