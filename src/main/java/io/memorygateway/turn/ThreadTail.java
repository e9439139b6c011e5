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
 * The end of a thread as a turn needs it: everything that is not observed yet, and enough of what
 * is that a caller who resends it is recognised. Superseded answers are left out.
 *
 * @param observations what is observed, as it goes upstream; null if nothing is
 * @param messages oldest first
 * @param weight bytes, about
 */
record ThreadTail(@Nullable String observations, List<Entry> messages, long weight) {
  private static final long WEIGHT_OF_AN_ENTRY = 500;

  /** Of a text: as it is stored, in UTF-8, in its parts, and as it is compared. */
  private static final long COPIES = 4;

  static final ThreadTail EMPTY = of(null, List.of(), -1);

  /** A message, in the spellings in which turns need it. */
  record Entry(
      long seq, boolean observed, boolean incomplete, StoredMessage message, NormalForm normal) {

    static Entry of(MessageRow row, long observedSeq) {
      boolean observed = row.seq() <= observedSeq;
      StoredMessage message = said(row);
      // What is made out of a message stays with it, for when it is rendered: not if it never is.
      NormalForm normal = NormalForm.of(observed ? said(row) : message);
      return new Entry(row.seq(), observed, row.incomplete(), message, normal);
    }

    private static StoredMessage said(MessageRow row) {
      return new StoredMessage(row.role(), row.content(), row.type());
    }

    private long weight() {
      return WEIGHT_OF_AN_ENTRY
          + COPIES * Characters.utf8Length(message.content())
          + message.weightOfParts();
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
    List<Entry> entries = rows.stream().map(row -> Entry.of(row, observedSeq)).toList();
    long ofObservations = observations == null ? 0 : 2L * observations.length();
    return new ThreadTail(observations, entries, ofObservations + weight(entries));
  }

  /** With messages that were stored since; none of them is observed. */
  ThreadTail with(List<MessageRow> rows) {
    List<Entry> added = rows.stream().map(row -> Entry.of(row, -1)).toList();
    List<Entry> all = new ArrayList<>(messages.size() + added.size());
    all.addAll(messages);
    all.addAll(added);
    return new ThreadTail(observations, all, weight + weight(added));
  }

  private static long weight(List<Entry> entries) {
    return entries.stream().mapToLong(Entry::weight).sum();
  }

  /** Whether the last turn broke off. */
  boolean incomplete() {
    return !messages.isEmpty() && messages.get(messages.size() - 1).incomplete();
  }

  List<NormalForm> normalForms() {
    return messages.stream().map(Entry::normal).toList();
  }

  /** What goes upstream of the first so many messages. */
  MemoryContext context(int upTo) {
    int observed = 0;
    while (observed < upTo && messages.get(observed).observed()) {
      observed++;
    }
    List<StoredMessage> stored =
        messages.subList(observed, upTo).stream().map(Entry::message).toList();
    return new MemoryContext(observations, observed, stored);
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
    Long question = answerOnly && upTo > 0 ? messages.get(upTo - 1).seq() : null;
    return new Amendment(question, seqs(messages.subList(from, upTo)));
  }

  private static List<Long> seqs(List<Entry> entries) {
    return entries.stream().map(Entry::seq).toList();
  }
}
