package io.memorygateway.search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The messages that contain words of a query, as found by a scan, so that they can be scored
 * without another scan once the rarity of the words is known. If they exceed some megabytes, none
 * are held, and the threads are scanned again.
 */
final class Matches {
  /** Counts of words, two bytes each. */
  private static final int MAX_COUNTS = 1 << 21;

  private final int width;
  private final List<Segment> segments = new ArrayList<>();
  private final List<Integer> ends = new ArrayList<>();
  private int[] positions = new int[256];
  private int[] messages = new int[256];
  private int[] segmentsOf = new int[256];
  private int[] lengths = new int[256];
  private int[] around = new int[256];
  private short[] counts;
  private int size;
  private boolean all = true;

  /**
   * Without messages so far.
   *
   * @param width number of words of the query
   */
  Matches(int width) {
    this.width = width;
    this.counts = new short[256 * width];
  }

  @SuppressWarnings("ReferenceEquality") // whether it is the same segment
  void add(Segment segment, int position, int message, int[] own, int length, int lengthsAround) {
    if (!all) {
      return;
    }
    if ((size + 1) * (long) width > MAX_COUNTS) {
      drop();
      return;
    }
    if (size == positions.length) {
      grow();
    }
    if (segments.isEmpty() || segments.get(segments.size() - 1) != segment) {
      segments.add(segment);
    }
    positions[size] = position;
    messages[size] = message;
    segmentsOf[size] = segments.size() - 1;
    lengths[size] = length;
    around[size] = lengthsAround;
    for (int i = 0; i < width; i++) {
      counts[size * width + i] = (short) Math.min(own[i], Short.MAX_VALUE);
    }
    size++;
  }

  private void grow() {
    int more = 2 * size;
    positions = Arrays.copyOf(positions, more);
    messages = Arrays.copyOf(messages, more);
    segmentsOf = Arrays.copyOf(segmentsOf, more);
    lengths = Arrays.copyOf(lengths, more);
    around = Arrays.copyOf(around, more);
    counts = Arrays.copyOf(counts, more * width);
  }

  private void drop() {
    all = false;
    positions = new int[0];
    messages = new int[0];
    segmentsOf = new int[0];
    lengths = new int[0];
    around = new int[0];
    counts = new short[0];
    segments.clear();
  }

  /** Ends a thread: messages added next are of the next one. */
  void endOfThread() {
    ends.add(size);
  }

  /** Whether all messages that were added are held. */
  boolean hasAll() {
    return all;
  }

  /** Passes the messages of a thread again, in their order. */
  void replay(int thread, ThreadTerms.Matched receiver) {
    int[] own = new int[width];
    for (int i = thread == 0 ? 0 : ends.get(thread - 1); i < ends.get(thread); i++) {
      for (int word = 0; word < width; word++) {
        own[word] = counts[i * width + word];
      }
      receiver.message(
          segments.get(segmentsOf[i]), positions[i], messages[i], own, lengths[i], around[i]);
    }
  }
}
