package io.memorygateway.memory;

import io.memorygateway.dialect.NormalForm;
import io.memorygateway.dialect.StoredMessage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The end of a thread as a turn needs it: everything that is not observed yet, and enough of what
 * is that a caller who resends it is recognised. Superseded answers are left out.
 *
 * @param observations what is observed, as it goes upstream; null if nothing is
 * @param messages oldest first
 * @param weight bytes, about
 */
record ThreadTail(@Nullable String observations, List<Entry> messages, int weight) {
  private static final int WEIGHT_OF_AN_ENTRY = 500;

  static final ThreadTail EMPTY = of(null, List.of(), -1);

  /** A message, in the spellings in which turns need it. */
  record Entry(
      long seq, boolean observed, boolean incomplete, StoredMessage message, NormalForm normal) {

    static Entry of(MessageRow row, long observedSeq) {
      StoredMessage message = new StoredMessage(row.role(), row.content(), row.type());
      return new Entry(
          row.seq(), row.seq() <= observedSeq, row.incomplete(), message, NormalForm.of(message));
    }

    boolean ofModel() {
      return message.role().equals("assistant");
    }
  }

  ThreadTail {
    messages = List.copyOf(messages);
  }

  /**
   * The end of a thread.
   *
   * @param rows oldest first
   * @param observedSeq seq of the last one that is observed, or -1
   */
  static ThreadTail of(@Nullable String observations, List<MessageRow> rows, long observedSeq) {
    return new ThreadTail(
        observations,
        rows.stream().map(row -> Entry.of(row, observedSeq)).toList(),
        (observations == null ? 0 : observations.length()) + weight(rows));
  }

  /** With messages that were stored since; none of them is observed. */
  ThreadTail with(List<MessageRow> rows) {
    List<Entry> all = new ArrayList<>(messages.size() + rows.size());
    all.addAll(messages);
    rows.forEach(row -> all.add(Entry.of(row, -1)));
    return new ThreadTail(observations, all, weight + weight(rows));
  }

  private static int weight(List<MessageRow> rows) {
    long bytes = 0;
    for (MessageRow row : rows) {
      bytes += WEIGHT_OF_AN_ENTRY + 4L * row.content().length();
    }
    return (int) Math.min(bytes, Integer.MAX_VALUE / 4);
  }

  /** Whether the last turn broke off. */
  boolean incomplete() {
    return !messages.isEmpty() && messages.get(messages.size() - 1).incomplete();
  }

  List<NormalForm> normalForms() {
    return messages.stream().map(Entry::normal).toList();
  }

  /** What goes upstream of the first so many messages. */
  List<StoredMessage> context(int upTo) {
    return messages.subList(0, upTo).stream()
        .filter(entry -> !entry.observed())
        .map(Entry::message)
        .toList();
  }

  /**
   * What a call that brings nothing new does to the turn that it repeats.
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
    return new Amendment(answerOnly ? seqs(behind) : List.of(), seqs(messages.subList(from, upTo)));
  }

  private static List<Long> seqs(List<Entry> entries) {
    return entries.stream().map(Entry::seq).toList();
  }
}
