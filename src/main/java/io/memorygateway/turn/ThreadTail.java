package io.memorygateway.turn;

import io.memorygateway.dialect.MemoryContext;
import io.memorygateway.dialect.NormalForm;
import io.memorygateway.dialect.StoredMessage;
import io.memorygateway.json.Characters;
import io.memorygateway.memory.MessageRow;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The end of a thread as a turn needs it: the newest of what is not observed yet, as much as is
 * sent, and enough of what is before it that a caller who resends it is recognised. Superseded
 * answers are left out.
 *
 * @param observations what is observed, as it goes upstream; null if nothing is
 * @param elided messages that are not observed, and not sent because there is too much behind them
 * @param messages oldest first: first those that are only compared, then those that are sent
 * @param weight bytes, about
 */
record ThreadTail(@Nullable String observations, long elided, List<Entry> messages, long weight) {
  /**
   * Bytes of what is sent, with {@link #OVERHEAD}: far more than any model takes. The newest
   * message is sent whatever its size.
   */
  static final long MOST_SENT = 8 << 20;

  /** Bytes that a message counts besides its content. */
  static final long OVERHEAD = 200;

  /** Messages that are compared with a call, at least, sent ones included. */
  static final int WITNESSES = 40;

  private static final long WEIGHT_OF_AN_ENTRY = 500;

  /** Bytes for each of a text: as it is stored, in UTF-8 and in its parts. */
  private static final long COPIES = 3;

  static final ThreadTail EMPTY = of(null, 0, List.of());

  /**
   * A message, in the forms in which turns need it.
   *
   * @param message what is sent; null if it is only compared
   */
  record Entry(
      long seq,
      String role,
      boolean incomplete,
      @Nullable StoredMessage message,
      NormalForm normal,
      long bytes) {

    /**
     * A message.
     *
     * @param sent else it is observed or elided, and nothing of its text stays
     */
    static Entry of(TailOutline.Row row, String content, boolean sent) {
      StoredMessage message = new StoredMessage(row.role(), content, row.type());
      NormalForm normal = NormalForm.of(message);
      long bytes = sent ? OVERHEAD + row.bytes() : 0;
      return new Entry(
          row.seq(), row.role(), row.incomplete(), sent ? message : null, normal, bytes);
    }

    /** A message that has just been stored. */
    static Entry of(MessageRow row) {
      StoredMessage message = new StoredMessage(row.role(), row.content(), row.type());
      long bytes = OVERHEAD + Characters.utf8Length(row.content());
      return new Entry(
          row.seq(), row.role(), row.incomplete(), message, NormalForm.of(message), bytes);
    }

    private Entry onlyCompared() {
      return new Entry(seq, role, incomplete, null, normal, 0);
    }

    private long weight() {
      return message == null
          ? WEIGHT_OF_AN_ENTRY
          : WEIGHT_OF_AN_ENTRY + COPIES * bytes + message.weightOfParts();
    }

    boolean ofModel() {
      return role.equals("assistant");
    }

    boolean isResult() {
      return message != null && message.type().equals("tool-result");
    }
  }

  ThreadTail {
    messages = List.copyOf(messages);
  }

  /**
   * The end of a thread, cut to what is sent.
   *
   * @param entries oldest first: those that are only compared, then those that are sent
   */
  static ThreadTail of(@Nullable String observations, long elided, List<Entry> entries) {
    int sent = 0;
    while (sent < entries.size() && entries.get(sent).message() == null) {
      sent++;
    }
    int from = firstSent(entries, sent);
    List<Entry> all = new ArrayList<>(entries.size());
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      all.add(i < from && entry.message() != null ? entry.onlyCompared() : entry);
    }
    // What is cut off here stays to be compared with, but not without end.
    int least = from > sent ? Math.max(0, Math.min(from, entries.size() - WITNESSES)) : 0;
    List<Entry> kept = all.subList(least, all.size());
    long ofObservations = observations == null ? 0 : 2L * observations.length();
    long weight = ofObservations;
    for (Entry entry : kept) {
      weight += entry.weight();
    }
    return new ThreadTail(observations, elided + (from - sent), kept, weight);
  }

  /**
   * Index of the first message that fits. Not behind a call whose result is sent, and not within
   * what the model said last: its calls may be answered now.
   */
  private static int firstSent(List<Entry> entries, int sent) {
    long bytes = 0;
    int from = entries.size();
    boolean end = true;
    while (from > sent) {
      Entry entry = entries.get(from - 1);
      boolean first = from == entries.size();
      end &= entry.ofModel();
      bytes += entry.bytes();
      if (!first && !end && bytes > MOST_SENT) {
        break;
      }
      from--;
    }
    boolean cut = from > sent;
    while (cut && from < entries.size() - 1 && entries.get(from).isResult()) {
      from++;
    }
    return from;
  }

  /** The tail with messages that were stored since; none of them is observed. */
  ThreadTail with(List<MessageRow> rows) {
    List<Entry> all = new ArrayList<>(messages.size() + rows.size());
    all.addAll(messages);
    rows.forEach(row -> all.add(Entry.of(row)));
    return of(observations, elided, all);
  }

  /** Bytes of what is sent. */
  long bytes() {
    return messages.stream().mapToLong(Entry::bytes).sum();
  }

  /** Whether the last turn broke off. */
  boolean incomplete() {
    return !messages.isEmpty() && messages.get(messages.size() - 1).incomplete();
  }

  List<NormalForm> normalForms() {
    return messages.stream().map(Entry::normal).toList();
  }

  /** The context for a call that follows the first so many messages. */
  MemoryContext context(int upTo) {
    int skipped = 0;
    List<StoredMessage> stored = new ArrayList<>();
    for (Entry entry : messages.subList(0, upTo)) {
      if (entry.message() == null) {
        skipped++;
      } else {
        stored.add(entry.message());
      }
    }
    return new MemoryContext(observations, elided, skipped, stored);
  }

  /**
   * The changes that a call which brings nothing new makes to the turn that it repeats.
   *
   * @param upTo how many messages it repeats the thread up to
   */
  Amendment amendment(int upTo) {
    List<Entry> behind = messages.subList(upTo, messages.size());
    boolean answerOnly = behind.stream().allMatch(Entry::ofModel);
    int from = upTo;
    while (from > 0 && messages.get(from - 1).incomplete()) {
      from--;
    }
    Long question = answerOnly && upTo > 0 ? messages.get(upTo - 1).seq() : null;
    return new Amendment(question, seqs(messages.subList(from, upTo)));
  }

  private static List<Long> seqs(List<Entry> entries) {
    return entries.stream().map(Entry::seq).toList();
  }
}
