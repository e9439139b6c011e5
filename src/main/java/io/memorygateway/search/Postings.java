package io.memorygateway.search;

import java.util.Arrays;

/**
 * The messages of a segment by their terms, so that a search passes over the different terms once,
 * and looks at the messages of those that it asks for. Its arrays never change.
 */
final class Postings {
  /**
   * Bits of a byte that are of a number, the lowest first; the highest one says that it goes on.
   */
  private static final int BITS = 7;

  private static final int GOES_ON = 1 << BITS;

  /** All different ones, ascending. */
  private final int[] terms;

  /** Of term i: its messages are told by the bytes from {@code ends[i]} up to {@code ends[i+1]}. */
  private final int[] ends;

  /** How far each message of a term is from the one before, the first one from the beginning. */
  private final byte[] distances;

  private Postings(int[] terms, int[] ends, byte[] distances) {
    this.terms = terms;
    this.ends = ends;
    this.distances = distances;
  }

  /**
   * The messages of each term.
   *
   * @param all terms of the messages
   * @param endsOfMessages as those of a {@link Segment}
   */
  static Postings of(int[] all, int[] endsOfMessages) {
    long[] sorted = new long[all.length];
    for (int message = 0; message + 1 < endsOfMessages.length; message++) {
      for (int i = endsOfMessages[message]; i < endsOfMessages[message + 1]; i++) {
        sorted[i] = ((long) all[i] << Integer.SIZE) | message;
      }
    }
    Arrays.sort(sorted);
    int[] terms = new int[all.length];
    int[] ends = new int[all.length + 1];
    byte[] distances = new byte[2 * all.length];
    int count = 0;
    int bytes = 0;
    for (int i = 0; i < sorted.length; i++) {
      int term = (int) (sorted[i] >> Integer.SIZE);
      boolean isNew = count == 0 || terms[count - 1] != term;
      if (isNew) {
        ends[count] = bytes;
        terms[count++] = term;
      } else if (sorted[i] == sorted[i - 1]) {
        continue;
      }
      int distance = (int) sorted[i] - (isNew ? 0 : (int) sorted[i - 1]);
      if (bytes + Integer.BYTES + 1 > distances.length) {
        distances = Arrays.copyOf(distances, 2 * bytes + 16);
      }
      for (; distance >= GOES_ON; distance >>>= BITS) {
        distances[bytes++] = (byte) (distance | GOES_ON);
      }
      distances[bytes++] = (byte) distance;
    }
    ends[count] = bytes;
    return new Postings(
        Arrays.copyOf(terms, count),
        Arrays.copyOf(ends, count + 1),
        Arrays.copyOf(distances, bytes));
  }

  /** As {@link Segment#addWords}, without phrases. */
  void addWords(Query query, long[] words, int first) {
    int[] asked = query.terms();
    int stride = 1 + (int) Math.sqrt((double) terms.length / Math.max(1, asked.length));
    int at = 0;
    for (int term : asked) {
      while (at + stride < terms.length && terms[at + stride] <= term) {
        at += stride;
      }
      while (at < terms.length && terms[at] < term) {
        at++;
      }
      if (at < terms.length && terms[at] == term) {
        add(1L << query.slot(term), ends[at], ends[at + 1], words, first);
      }
    }
  }

  private void add(long word, int from, int to, long[] words, int first) {
    int message = first;
    int shift = 0;
    for (int i = from; i < to; i++) {
      message += (distances[i] & (GOES_ON - 1)) << shift;
      if (distances[i] < 0) {
        shift += BITS;
      } else {
        shift = 0;
        words[message] |= word;
      }
    }
  }

  /** Bytes of heap. */
  long weight() {
    return 2L * Integer.BYTES * terms.length + distances.length;
  }
}
