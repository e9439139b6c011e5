package io.memorygateway.turn;

import io.memorygateway.json.ValueCount;
import io.memorygateway.observation.ContextConfig;
import io.memorygateway.observation.ContextNotes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * The tail of a thread while it is read, newest message first: which messages are sent, which are
 * only compared, and when there are enough. Large contents are read later, once heap is reserved
 * for them.
 */
final class TailOutline {
  /** Bytes of messages that are read only to be compared. */
  private static final long MAX_COMPARED_BYTES = 16 << 20;

  /** Bytes of contents that are held before heap is reserved for them. */
  private static final long MAX_UNRESERVED_BYTES = 512 << 10;

  /** Bytes that are read by one statement, unless a single message has more. */
  private static final long MAX_STATEMENT_BYTES = 4 << 20;

  /** Heap for each byte of content that has been reserved for parsing it. */
  private static final long PARSING_HEAP_PER_BYTE = 2;

  /**
   * The most messages that are read only to be compared, in search of one of the model and one of
   * the user.
   */
  private static final int MAX_WITNESSES = 200;

  /** The most messages that are read because a call may go back to the branch that they are of. */
  private static final int MAX_LEFT = 1000;

  /** Reads the contents of messages in a range, by seq; deleted ones are missing. */
  @FunctionalInterface
  interface Contents {
    Map<Long, String> read(long first, long last);
  }

  private record Marked(TailRow row, boolean sent) {}

  private final TailHead head;
  private final ContextConfig config;
  private final ContextNotes notes;
  private final long observedSeq;
  private final SizeBound bound;
  private final List<Marked> rows = new ArrayList<>();
  private long sentBytes;
  private long comparedBytes;
  private long heldBytes;
  private int compared;
  private int left;
  private long oldest = Long.MAX_VALUE;
  private boolean ofModelSeen;
  private boolean ofUserCompared;
  private boolean cut;
  private boolean enough;
  private long elided;

  TailOutline(TailHead head, ContextConfig config, ContextNotes notes, long observedSeq) {
    this.head = head;
    this.config = config;
    this.notes = notes;
    this.observedSeq = observedSeq;
    this.bound = new SizeBound(config.bound());
  }

  TailHead head() {
    return head;
  }

  /** Adds the next older message, unless there are enough. */
  void add(TailRow row) {
    if (isEnough()) {
      return;
    }
    oldest = row.seq();
    if (row.superseded()) {
      addLeft(row);
      return;
    }
    boolean ofModel = row.role().equals("assistant");
    boolean unobserved = row.seq() > observedSeq;
    int tokens = row.tokens() == null ? ContextMessage.NOT_COUNTED : row.tokens();
    cut |= unobserved && !bound.admits(row.role(), row.type(), row.bytes(), tokens);
    boolean sent = unobserved && !cut;
    if (sent) {
      sentBytes += row.bytes() + SizeBound.OVERHEAD;
    } else {
      if (comparedBytes + row.bytes() > MAX_COMPARED_BYTES) {
        enough = true;
        return;
      }
      compared++;
      ofUserCompared |= row.role().equals("user");
      comparedBytes += row.bytes();
    }
    ofModelSeen |= ofModel;
    hold(row, sent);
  }

  /** Adds a message that was left, unless it is observed: it could not be sent any more. */
  private void addLeft(TailRow row) {
    if (row.seq() > observedSeq
        && left < MAX_LEFT
        && comparedBytes + row.bytes() <= MAX_COMPARED_BYTES / 2) {
      left++;
      comparedBytes += row.bytes();
      hold(row, false);
    }
  }

  private void hold(TailRow row, boolean sent) {
    rows.add(
        new Marked(
            heldBytes + row.bytes() > MAX_UNRESERVED_BYTES ? row.withoutContent() : row, sent));
    heldBytes += row.content() == null ? 0 : row.bytes();
  }

  /** Whether no older messages are needed. */
  boolean isEnough() {
    // The user message before those sent is needed: by it the first one gets a date or not.
    int live = rows.size() - left;
    boolean all = live >= ThreadTail.WITNESSES && ofModelSeen && ofUserCompared;
    boolean atEndOfSent = cut || oldest <= observedSeq + 1;
    return enough || (atEndOfSent && (all || compared >= MAX_WITNESSES));
  }

  /** Seq of the oldest message that was added. */
  long oldest() {
    return oldest;
  }

  /** Whether some messages are neither observed nor sent. */
  boolean isCut() {
    return cut;
  }

  long observedSeq() {
    return observedSeq;
  }

  long firstSent() {
    long first = Long.MAX_VALUE;
    for (Marked marked : rows) {
      first = marked.sent() ? marked.row().seq() : first;
    }
    return first;
  }

  /** Sets how many messages are neither observed nor sent. */
  void elided(long count) {
    elided = count;
  }

  /** Bytes of contents that are held at once, at most, while the tail is built. */
  long bytes() {
    long largest = 0;
    for (Marked marked : rows) {
      largest = Math.max(largest, marked.sent() ? 0 : marked.row().bytes());
    }
    return sentBytes + Math.min(comparedBytes, Math.max(largest, MAX_STATEMENT_BYTES));
  }

  /**
   * Builds the tail.
   *
   * @param contents reads the contents that are not held yet
   * @param heap reserves further bytes for contents of many short values, which take many times
   *     their length when they are parsed
   */
  ThreadTail tail(Contents contents, LongConsumer heap) {
    List<TailEntry.Text> texts = new ArrayList<>(rows.size());
    int from = 0;
    while (from < rows.size()) {
      int to = endOfBatch(from);
      boolean all = rows.subList(from, to).stream().allMatch(row -> row.row().content() != null);
      Map<Long, String> read =
          all ? Map.of() : contents.read(rows.get(to - 1).row().seq(), rows.get(from).row().seq());
      for (Marked marked : rows.subList(from, to)) {
        TailRow row = marked.row();
        String content = row.content() == null ? read.get(row.seq()) : row.content();
        if (content != null) {
          long parsed = ValueCount.heapOf(content);
          if (parsed > PARSING_HEAP_PER_BYTE * row.bytes()) {
            heap.accept(parsed - PARSING_HEAP_PER_BYTE * row.bytes());
          }
          texts.add(new TailEntry.Text(row, content, marked.sent()));
        }
      }
      from = to;
    }
    Collections.reverse(texts);
    return ThreadTail.read(config, notes, elided, texts);
  }

  private int endOfBatch(int from) {
    int to = from;
    long bytes = 0;
    while (to < rows.size()
        && (to == from || bytes + rows.get(to).row().bytes() <= MAX_STATEMENT_BYTES)) {
      bytes += rows.get(to++).row().bytes();
    }
    return to;
  }
}
