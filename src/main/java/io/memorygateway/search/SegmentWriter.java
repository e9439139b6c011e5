package io.memorygateway.search;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

/** Collects the terms of messages into a {@link Segment}. */
final class SegmentWriter {
  private long[] seqs;
  private byte[] roles;
  private long[] times;
  private int[] bytes;
  private int[] ends;
  private int[] terms;
  private final Set<String> vocabulary = new LinkedHashSet<>();
  private int messages;
  private int words;

  SegmentWriter(int messages, int words) {
    seqs = new long[messages];
    roles = new byte[messages];
    times = new long[messages];
    bytes = new int[messages];
    ends = new int[messages + 1];
    terms = new int[words];
  }

  /**
   * Adds a message; its seq is larger than those before.
   *
   * @param size bytes of its content
   */
  void add(long seq, byte role, long time, int size, int[] from, int start, int end) {
    if (messages == seqs.length) {
      int more = Math.max(16, 2 * messages);
      seqs = Arrays.copyOf(seqs, more);
      roles = Arrays.copyOf(roles, more);
      times = Arrays.copyOf(times, more);
      bytes = Arrays.copyOf(bytes, more);
      ends = Arrays.copyOf(ends, more + 1);
    }
    int count = end - start;
    if (words + count > terms.length) {
      terms = Arrays.copyOf(terms, Math.max(terms.length + terms.length / 2, words + count));
    }
    System.arraycopy(from, start, terms, words, count);
    seqs[messages] = seq;
    roles[messages] = role;
    times[messages] = time;
    bytes[messages] = size;
    words += count;
    ends[++messages] = words;
  }

  void addWords(Collection<String> longWords) {
    vocabulary.addAll(longWords);
  }

  void add(Segment segment) {
    addWords(segment);
    for (int i = 0; i < segment.messages(); i++) {
      add(segment, i);
    }
  }

  void addWords(Segment segment) {
    segment.vocabulary().addTo(vocabulary);
  }

  void add(Segment segment, int message) {
    add(
        segment.seqs()[message],
        segment.roles()[message],
        segment.times()[message],
        segment.bytes()[message],
        segment.terms(),
        segment.ends()[message],
        segment.ends()[message + 1]);
  }

  int words() {
    return words;
  }

  Segment toSegment() {
    return new Segment(
        Arrays.copyOf(seqs, messages),
        Arrays.copyOf(roles, messages),
        Arrays.copyOf(times, messages),
        Arrays.copyOf(bytes, messages),
        Arrays.copyOf(ends, messages + 1),
        Arrays.copyOf(terms, words),
        Vocabulary.of(vocabulary));
  }
}
