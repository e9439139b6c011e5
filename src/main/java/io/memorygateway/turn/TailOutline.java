package io.memorygateway.turn;

import io.memorygateway.json.ValueCount;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The end of a thread while it is read, newest first: which messages are sent, which are only
 * compared, and when it is enough. Larger contents are not there yet, so that room can be made for
 * them first.
 */
final class TailOutline {
  /** Bytes that are read only to be compared. */
  private static final long MOST_COMPARED = 16 << 20;

  /** Bytes of contents that are held before room has been made for them. */
  private static final long MOST_HELD = 512 << 10;

  /** Bytes that are read at once, unless a single message has more. */
  private static final long MOST_AT_ONCE = 4 << 20;

  /** Heap for each byte of content that has been reserved for parsing it. */
  private static final long COVERED = 2;

  /** Further messages that are compared where nothing of the model's is among the others. */
  private static final int MOST_WITNESSES = 200;

  /**
   * A message.
   *
   * @param bytes of the content
   * @param content null if it is too large to be read along
   */
  record Row(
      long seq,
      String role,
      String type,
      boolean incomplete,
      long bytes,
      @Nullable String content) {

    Row withoutContent() {
      return new Row(seq, role, type, incomplete, bytes, null);
    }
  }

  /** Reads the contents of messages by their seqs; those that are gone are left out. */
  @FunctionalInterface
  interface Contents {
    Map<Long, String> read(long first, long last);
  }

  private record Marked(Row row, boolean sent) {}

  private final ThreadTails.Head head;
  private final @Nullable String observations;
  private final long observedSeq;
  private final List<Marked> rows = new ArrayList<>();
  private long sentBytes;
  private long comparedBytes;
  private long heldBytes;
  private int compared;
  private boolean ofModelSeen;
  private boolean onlyOfModel = true;
  private boolean cut;
  private boolean enough;
  private long elided;

  TailOutline(ThreadTails.Head head, @Nullable String observations, long observedSeq) {
    this.head = head;
    this.observations = observations;
    this.observedSeq = observedSeq;
  }

  ThreadTails.Head head() {
    return head;
  }

  /** Takes the next older message, unless there are enough. */
  void add(Row row) {
    if (isEnough()) {
      return;
    }
    boolean ofModel = row.role().equals("assistant");
    onlyOfModel &= ofModel;
    boolean unobserved = row.seq() > observedSeq;
    long bytes = row.bytes() + ThreadTail.OVERHEAD;
    // As ThreadTail cuts: the newest message always, and all that the model said last.
    boolean fits = rows.isEmpty() || onlyOfModel || sentBytes + bytes <= ThreadTail.MOST_SENT;
    cut |= unobserved && !fits;
    boolean sent = unobserved && !cut;
    if (sent) {
      sentBytes += bytes;
    } else {
      if (comparedBytes + row.bytes() > MOST_COMPARED) {
        enough = true;
        return;
      }
      compared++;
      comparedBytes += row.bytes();
    }
    ofModelSeen |= ofModel;
    rows.add(new Marked(heldBytes + row.bytes() > MOST_HELD ? row.withoutContent() : row, sent));
    heldBytes += row.content() == null ? 0 : row.bytes();
  }

  /** Whether older messages are of no use. */
  boolean isEnough() {
    boolean all = rows.size() >= ThreadTail.WITNESSES && ofModelSeen;
    boolean atEndOfSent = cut || (!rows.isEmpty() && oldest() <= observedSeq + 1);
    return enough || (atEndOfSent && (all || compared >= MOST_WITNESSES));
  }

  /** The oldest message that has been read. */
  long oldest() {
    return rows.get(rows.size() - 1).row().seq();
  }

  /** Whether there are messages that are neither observed nor sent. */
  boolean isCut() {
    return cut;
  }

  long firstSent() {
    long first = Long.MAX_VALUE;
    for (Marked marked : rows) {
      first = marked.sent() ? marked.row().seq() : first;
    }
    return first;
  }

  /** Takes note of how many messages are neither observed nor sent. */
  void elided(long count) {
    elided = count;
  }

  /** Bytes of contents that making the tail takes, at most at once. */
  long bytes() {
    long largest = 0;
    for (Marked marked : rows) {
      largest = Math.max(largest, marked.sent() ? 0 : marked.row().bytes());
    }
    return sentBytes + Math.min(comparedBytes, Math.max(largest, MOST_AT_ONCE));
  }

  /**
   * The end of the thread.
   *
   * @param heap reserves further bytes for contents of many short values, which take many times
   *     their length when they are parsed
   */
  ThreadTail tail(Contents contents, LongConsumer heap) {
    List<ThreadTail.Entry> entries = new ArrayList<>(rows.size());
    int from = 0;
    while (from < rows.size()) {
      int to = endOfPortion(from);
      boolean all = rows.subList(from, to).stream().allMatch(row -> row.row().content() != null);
      Map<Long, String> read =
          all ? Map.of() : contents.read(rows.get(to - 1).row().seq(), rows.get(from).row().seq());
      for (Marked marked : rows.subList(from, to)) {
        Row row = marked.row();
        String content = row.content() == null ? read.get(row.seq()) : row.content();
        if (content != null) {
          long parsed = ValueCount.heapOf(content);
          if (parsed > COVERED * row.bytes()) {
            heap.accept(parsed - COVERED * row.bytes());
          }
          entries.add(ThreadTail.Entry.of(row, content, marked.sent()));
        }
      }
      from = to;
    }
    Collections.reverse(entries);
    return ThreadTail.of(observations, elided, entries);
  }

  private int endOfPortion(int from) {
    int to = from;
    long bytes = 0;
    while (to < rows.size() && (to == from || bytes + rows.get(to).row().bytes() <= MOST_AT_ONCE)) {
      bytes += rows.get(to++).row().bytes();
    }
    return to;
  }
}
