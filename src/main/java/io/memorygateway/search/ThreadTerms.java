package io.memorygateway.search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;

/**
 * The terms of a thread's messages, one message after the other, at four bytes a word, and of many
 * messages by term as well ({@link Postings}), so that it takes about as much memory as the text.
 * Immutable.
 */
final class ThreadTerms {
  static final ThreadTerms EMPTY = new ThreadTerms(List.of(), true);

  /** Bytes; larger segments are not merged. */
  private static final long MAX_MERGED_BYTES = 1 << 20;

  /**
   * A message of a thread.
   *
   * @param role as {@link Roles} numbers it
   * @param bytes of its content when it was indexed
   */
  record Sized(long seq, byte role, int bytes) {}

  interface Messages {
    /**
     * Receives a message.
     *
     * @param message its index in the thread
     */
    void message(Segment segment, int position, int message);
  }

  private final List<Segment> segments;

  /** The index of each segment's first message. */
  private final int[] firsts;

  private final int messages;
  private final long words;
  private final long weight;
  private final boolean complete;

  private ThreadTerms(List<Segment> segments, boolean complete) {
    this.segments = List.copyOf(segments);
    this.complete = complete;
    this.firsts = new int[segments.size()];
    int all = 0;
    for (int i = 0; i < firsts.length; i++) {
      firsts[i] = all;
      all += segments.get(i).messages();
    }
    this.messages = all;
    this.words = segments.stream().mapToLong(segment -> segment.terms().length).sum();
    this.weight = 100 + segments.stream().mapToLong(Segment::weight).sum();
  }

  /**
   * These messages and later ones. Segments of about the same size are merged, so that there are
   * few however often messages are added.
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
    return new ThreadTerms(all, complete);
  }

  /** These messages and later ones of the same thread. */
  ThreadTerms plus(ThreadTerms later) {
    ThreadTerms all = this;
    for (Segment segment : later.segments) {
      all = all.plus(segment);
    }
    return later.complete ? all : new ThreadTerms(all.segments, false);
  }

  private static boolean isMerged(Segment one, Segment next) {
    return one.weight() < 4 * next.weight() && one.weight() + next.weight() <= MAX_MERGED_BYTES;
  }

  /** The newest of these messages, in about so many bytes. */
  ThreadTerms newest(long maxWeight) {
    if (weight() <= maxWeight || segments.size() <= 1) {
      return this;
    }
    int first = segments.size() - 1;
    long left = maxWeight - segments.get(first).weight();
    while (first > 0 && segments.get(first - 1).weight() <= left) {
      left -= segments.get(--first).weight();
    }
    return new ThreadTerms(segments.subList(first, segments.size()), false);
  }

  /** These messages without some. */
  ThreadTerms without(Set<Long> seqs) {
    List<Segment> rest = new ArrayList<>();
    for (Segment segment : segments) {
      if (Arrays.stream(segment.seqs()).noneMatch(seqs::contains)) {
        rest.add(segment);
        continue;
      }
      SegmentWriter writer = new SegmentWriter(segment.messages(), segment.terms().length);
      writer.addWords(segment);
      for (int i = 0; i < segment.messages(); i++) {
        if (!seqs.contains(segment.seqs()[i])) {
          writer.add(segment, i);
        }
      }
      Segment written = writer.toSegment();
      if (written.messages() > 0) {
        rest.add(written);
      }
    }
    return new ThreadTerms(rest, complete);
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

  /** Whether no older messages were dropped. */
  boolean isComplete() {
    return complete;
  }

  int messages() {
    return messages;
  }

  /** The longer words of all messages. */
  Stream<Vocabulary> vocabulary() {
    return segments.stream().map(Segment::vocabulary);
  }

  long words() {
    return words;
  }

  /** Bytes of heap. */
  long weight() {
    return weight;
  }

  /** Passes all messages in their order. */
  void forEach(Messages receiver) {
    int message = 0;
    for (Segment segment : segments) {
      for (int position = 0; position < segment.messages(); position++) {
        receiver.message(segment, position, message++);
      }
    }
  }

  /**
   * A message's neighbours, the nearest first.
   *
   * @param message its index in the thread
   * @param context neighbours on each side, at most
   */
  List<Sized> neighbours(int message, int context) {
    List<Sized> neighbours = new ArrayList<>(2 * context);
    for (int distance = 1; distance <= context; distance++) {
      if (message - distance >= 0) {
        neighbours.add(sized(message - distance));
      }
      if (message + distance < messages) {
        neighbours.add(sized(message + distance));
      }
    }
    return neighbours;
  }

  Sized sized(int message) {
    Segment segment = segment(message);
    int position = position(message);
    return new Sized(
        segment.seqs()[position], segment.roles()[position], segment.bytes()[position]);
  }

  Segment segment(int message) {
    return segments.get(index(message));
  }

  /** The index of a message in its segment. */
  int position(int message) {
    return message - firsts[index(message)];
  }

  private int index(int message) {
    int found = Arrays.binarySearch(firsts, message);
    return found < 0 ? -found - 2 : found;
  }

  /** The words of a query that a message itself contains, in the order of the query. */
  List<String> matched(int message, Query query) {
    int[] counts = new int[query.size()];
    segment(message).count(position(message), query, counts);
    List<String> words = new ArrayList<>();
    for (int i = 0; i < query.size(); i++) {
      if (counts[i] > 0) {
        words.add(query.word(i));
      }
    }
    return words;
  }

  /**
   * The words of a query that each message contains, a bit for each; throws a {@link
   * CancellationException} when the current thread is interrupted.
   */
  long[] words(Query query) {
    long[] words = new long[messages];
    for (int i = 0; i < segments.size(); i++) {
      if (Thread.currentThread().isInterrupted()) {
        throw new CancellationException();
      }
      segments.get(i).addWords(query, words, firsts[i]);
    }
    return words;
  }
}
