package io.memorygateway.memory.rows;

import java.util.ArrayList;
import java.util.List;

/**
 * Seqs of messages in the order of a response, with consecutive ones written as a range: {@code
 * 12-14,3}.
 */
public record SeqRanges(List<Range> ranges) {
  /** Consecutive seqs, both ends included. */
  public record Range(long first, long last) {}

  public SeqRanges {
    ranges = List.copyOf(ranges);
  }

  static SeqRanges of(List<Long> seqs) {
    List<Range> ranges = new ArrayList<>();
    for (long seq : seqs) {
      int end = ranges.size() - 1;
      if (end >= 0 && ranges.get(end).last() + 1 == seq) {
        ranges.set(end, new Range(ranges.get(end).first(), seq));
      } else {
        ranges.add(new Range(seq, seq));
      }
    }
    return new SeqRanges(ranges);
  }

  public static SeqRanges between(long first, long last) {
    return new SeqRanges(first > last ? List.of() : List.of(new Range(first, last)));
  }

  public static SeqRanges parse(String text) {
    List<Range> ranges = new ArrayList<>();
    for (String range : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      int dash = range.indexOf('-');
      ranges.add(
          dash < 0
              ? new Range(Long.parseLong(range), Long.parseLong(range))
              : new Range(
                  Long.parseLong(range, 0, dash, 10),
                  Long.parseLong(range, dash + 1, range.length(), 10)));
    }
    return new SeqRanges(ranges);
  }

  public List<Long> toList() {
    List<Long> seqs = new ArrayList<>();
    for (Range range : ranges) {
      for (long seq = range.first(); seq <= range.last(); seq++) {
        seqs.add(seq);
      }
    }
    return seqs;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (Range range : ranges) {
      text.append(text.isEmpty() ? "" : ",").append(range.first());
      if (range.last() > range.first()) {
        text.append('-').append(range.last());
      }
    }
    return text.toString();
  }
}
