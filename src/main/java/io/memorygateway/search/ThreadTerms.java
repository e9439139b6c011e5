package io.memorygateway.search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;

/**
 * The terms of a thread's messages, one message after the other: a forward index that is scanned,
 * at four bytes a word, so that it takes about as much memory as the text. Immutable.
 */
final class ThreadTerms {
  static final ThreadTerms EMPTY = new ThreadTerms(List.of(), true);

  /** Segments up to this many bytes are merged. */
  private static final long LARGEST_MERGED = 1 << 20;

  /** Receives the messages of a thread, each together with its neighbours. */
  interface Windows {
    /**
     * A message.
     *
     * @param message its index in the thread
     * @param counts of each word of the query; those of neighbours count less
     * @param length in words, counted alike
     */
    void message(Segment segment, int place, int message, double[] counts, double length);
  }

  private final List<Segment> segments;
  private final int messages;
  private final long words;
  private final boolean whole;

  private ThreadTerms(List<Segment> segments, boolean whole) {
    this.segments = List.copyOf(segments);
    this.whole = whole;
    this.messages = segments.stream().mapToInt(Segment::messages).sum();
    this.words = segments.stream().mapToLong(segment -> segment.terms().length).sum();
  }

  /**
   * These messages and later ones. Segments of about the same size are merged, so that there are
   * few however often it grows.
   */
  ThreadTerms plus(Segment later) {
    if (later.messages() == 0) {
      return this;
    }
    List<Segment> all = new ArrayList<>(segments);
    Segment last = later;
    while (!all.isEmpty() && isMerged(all.get(all.size() - 1), last)) {
      last = all.remove(all.size() - 1).plus(last);
    }
    all.add(last);
    return new ThreadTerms(all, whole);
  }

  /** These messages and later ones of the same thread. */
  ThreadTerms plus(ThreadTerms later) {
    ThreadTerms all = this;
    for (Segment segment : later.segments) {
      all = all.plus(segment);
    }
    return later.whole ? all : new ThreadTerms(all.segments, false);
  }

  private static boolean isMerged(Segment one, Segment next) {
    return one.weight() < 4 * next.weight() && one.weight() + next.weight() <= LARGEST_MERGED;
  }

  /** The newest of these messages, in about so many bytes. */
  ThreadTerms newest(long mostWeight) {
    if (weight() <= mostWeight || segments.size() <= 1) {
      return this;
    }
    int first = segments.size() - 1;
    long left = mostWeight - segments.get(first).weight();
    while (first > 0 && segments.get(first - 1).weight() <= left) {
      left -= segments.get(--first).weight();
    }
    return new ThreadTerms(segments.subList(first, segments.size()), false);
  }

  /** These messages but some. */
  ThreadTerms without(Set<Long> seqs) {
    List<Segment> rest = new ArrayList<>();
    for (Segment segment : segments) {
      SegmentWriter writer = new SegmentWriter(segment.messages(), segment.terms().length);
      for (int i = 0; i < segment.messages(); i++) {
        if (!seqs.contains(segment.seqs()[i])) {
          writer.add(segment, i);
        }
      }
      Segment written = writer.toSegment();
      if (written.messages() > 0) {
        rest.add(written.messages() == segment.messages() ? segment : written);
      }
    }
    return new ThreadTerms(rest, whole);
  }

  /** The seqs of the messages in a range, the end not included. */
  List<Long> seqs(long from, long to) {
    List<Long> seqs = new ArrayList<>();
    for (Segment segment : segments) {
      int start = Arrays.binarySearch(segment.seqs(), from);
      for (int i = start < 0 ? -start - 1 : start;
          i < segment.messages() && segment.seqs()[i] < to;
          i++) {
        seqs.add(segment.seqs()[i]);
      }
    }
    return seqs;
  }

  /** The seq of the first message; the largest number if there is none. */
  long firstSeq() {
    return segments.isEmpty() ? Long.MAX_VALUE : segments.get(0).seqs()[0];
  }

  /** Whether no older messages were left out. */
  boolean isWhole() {
    return whole;
  }

  int messages() {
    return messages;
  }

  /** All words of the thread. */
  long words() {
    return words;
  }

  /** What it takes of the heap, in bytes. */
  long weight() {
    return 100 + segments.stream().mapToLong(Segment::weight).sum();
  }

  /** The words of a query that a message itself holds, in their order. */
  List<String> matched(int message, Query query) {
    int place = message;
    int index = 0;
    while (place >= segments.get(index).messages()) {
      place -= segments.get(index++).messages();
    }
    Row row = new Row(query.size());
    row.count(segments.get(index), place, query);
    List<String> words = new ArrayList<>();
    for (int i = 0; i < query.size(); i++) {
      if (row.counts[i] > 0) {
        words.add(query.word(i));
      }
    }
    return words;
  }

  /**
   * Goes through all messages; ends with a {@link CancellationException} when the current thread is
   * interrupted.
   *
   * @param neighbour what a word of a neighbour counts
   */
  void scan(Query query, double neighbour, Windows windows) {
    int width = query.size();
    Row before = new Row(width);
    Row at = new Row(width);
    Row after = new Row(width);
    double[] counts = new double[width];
    int index = -1;
    for (Segment segment : segments) {
      if (Thread.currentThread().isInterrupted()) {
        throw new CancellationException();
      }
      for (int place = 0; place < segment.messages(); place++) {
        Row free = before;
        before = at;
        at = after;
        after = free;
        after.count(segment, place, query);
        if (index >= 0) {
          emit(before, at, after, neighbour, counts, index, windows);
        }
        index++;
      }
    }
    if (index >= 0) {
      Row free = before;
      before = at;
      at = after;
      free.clear();
      emit(before, at, free, neighbour, counts, index, windows);
    }
  }

  private static void emit(
      Row before,
      Row at,
      Row after,
      double neighbour,
      double[] counts,
      int index,
      Windows windows) {
    if (!before.any && !at.any && !after.any) {
      return;
    }
    for (int i = 0; i < counts.length; i++) {
      counts[i] = at.counts[i] + neighbour * (before.counts[i] + after.counts[i]);
    }
    double length = at.length + neighbour * (before.length + after.length);
    windows.message(at.segment(), at.place, index, counts, length);
  }

  /** The words of a query in one message. */
  private static final class Row {
    private final int[] counts;
    private Segment segment = EMPTY_SEGMENT;
    private int place;
    private int length;
    private boolean any;

    Row(int width) {
      this.counts = new int[width];
    }

    Segment segment() {
      return segment;
    }

    void clear() {
      Arrays.fill(counts, 0);
      length = 0;
      any = false;
    }

    void count(Segment in, int message, Query query) {
      clear();
      segment = in;
      place = message;
      int from = in.ends()[message];
      int to = in.ends()[message + 1];
      length = to - from;
      int[] terms = in.terms();
      for (int i = from; i < to; i++) {
        int slot = query.slot(terms[i]);
        if (slot >= 0) {
          counts[slot]++;
          any = true;
        }
      }
    }
  }

  private static final Segment EMPTY_SEGMENT =
      new Segment(new long[0], new byte[0], new long[0], new int[1], new int[0]);
}
