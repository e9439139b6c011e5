package io.memorygateway.search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The windows of messages that hold words of a query, as a scan found them, so that they can be
 * scored without another scan once it is known how rare the words are. Of more windows than fit
 * some megabytes it holds none: then the threads are scanned again.
 */
final class Windows {
  /** Counts of words. */
  private static final int MOST_COUNTS = 1 << 20;

  private final int width;
  private final List<Segment> segments = new ArrayList<>();
  private final List<Integer> ends = new ArrayList<>();
  private int[] places = new int[256];
  private int[] messages = new int[256];
  private int[] segmentsOf = new int[256];
  private float[] lengths = new float[256];
  private float[] counts;
  private int size;
  private boolean all = true;

  /**
   * No windows yet.
   *
   * @param width words of the query
   */
  Windows(int width) {
    this.width = width;
    this.counts = new float[256 * width];
  }

  void add(Segment segment, int place, int message, double[] windowCounts, double length) {
    if (!all) {
      return;
    }
    if ((size + 1) * (long) width > MOST_COUNTS) {
      drop();
      return;
    }
    if (size == places.length) {
      grow();
    }
    if (segments.isEmpty() || segments.get(segments.size() - 1) != segment) {
      segments.add(segment);
    }
    places[size] = place;
    messages[size] = message;
    segmentsOf[size] = segments.size() - 1;
    lengths[size] = (float) length;
    for (int i = 0; i < width; i++) {
      counts[size * width + i] = (float) windowCounts[i];
    }
    size++;
  }

  private void grow() {
    int more = 2 * size;
    places = Arrays.copyOf(places, more);
    messages = Arrays.copyOf(messages, more);
    segmentsOf = Arrays.copyOf(segmentsOf, more);
    lengths = Arrays.copyOf(lengths, more);
    counts = Arrays.copyOf(counts, more * width);
  }

  private void drop() {
    all = false;
    places = new int[0];
    messages = new int[0];
    segmentsOf = new int[0];
    lengths = new float[0];
    counts = new float[0];
    segments.clear();
  }

  /** What is added next is of the next thread. */
  void endOfThread() {
    ends.add(size);
  }

  /** Whether all windows that were added are held. */
  boolean hasAll() {
    return all;
  }

  /** Hands out the windows of a thread again, in their order. */
  void replay(int thread, ThreadTerms.Windows receiver) {
    double[] windowCounts = new double[width];
    for (int i = thread == 0 ? 0 : ends.get(thread - 1); i < ends.get(thread); i++) {
      for (int word = 0; word < width; word++) {
        windowCounts[word] = counts[i * width + word];
      }
      receiver.message(
          segments.get(segmentsOf[i]), places[i], messages[i], windowCounts, lengths[i]);
    }
  }
}
