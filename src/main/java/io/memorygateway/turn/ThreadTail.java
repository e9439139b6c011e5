package io.memorygateway.turn;

import io.memorygateway.format.align.Left;
import io.memorygateway.format.align.NamelessResults;
import io.memorygateway.format.align.NormalForm;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.observation.ContextConfig;
import io.memorygateway.observation.ContextNotes;
import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tail of a thread as a turn needs it: the newest unobserved messages, as many as may be sent,
 * and enough older ones to recognise a caller that resends them.
 *
 * @param config in force for the thread
 * @param notes the observations, as they go upstream
 * @param elided number of unobserved messages that are not held, because there is too much after
 *     them
 * @param messages oldest first: first those that are only compared, then those that may be sent;
 *     superseded ones are left out
 * @param left superseded messages, oldest first, that are compared in case a call goes back to them
 * @param firstHeld index of the first message that may be sent
 * @param asked what the user said last before that message; null if it was not read
 * @param size of the messages
 */
record ThreadTail(
    ContextConfig config,
    ContextNotes notes,
    long elided,
    List<TailEntry> messages,
    List<TailEntry> left,
    int firstHeld,
    @Nullable StoredMessage asked,
    Size size) {
  /** The least number of messages that a call is compared with, those that are sent included. */
  static final int WITNESSES = 40;

  /** Most characters that are retained of what the user said last. */
  private static final int MAX_ASKED = 32 << 10;

  /** Bytes of heap of a text for each of its tokens. */
  private static final long BYTES_PER_TOKEN = 2 * ContextNotes.MAX_CHARACTERS_PER_TOKEN;

  /**
   * Sums over messages.
   *
   * @param bytes of the messages that may be sent
   * @param weight bytes of heap, approximately
   * @param tokens estimate of {@link SizeBound} for the first {@code settled} messages, of those
   *     that may be sent
   * @param settled number of first messages whose tokens were counted for a turn
   */
  private record Size(long bytes, long weight, long tokens, int settled) {}

  ThreadTail {
    messages = List.copyOf(messages);
    left = List.copyOf(left);
  }

  /** Bytes of the messages that may be sent, {@link SizeBound#OVERHEAD} for each included. */
  long bytes() {
    return size.bytes;
  }

  /** Bytes of the contents of the messages that may be sent. */
  long contentBytes() {
    return size.bytes - SizeBound.OVERHEAD * (messages.size() - firstHeld);
  }

  /** Bytes of heap, approximately. */
  long weight() {
    return size.weight;
  }

  /** The tail of a thread that does not exist yet. */
  static ThreadTail empty(ContextConfig config) {
    return empty(config, ContextNotes.NONE);
  }

  /** The same, with what is known of its resource. */
  static ThreadTail empty(ContextConfig config, ContextNotes notes) {
    return of(config, notes, 0, List.of(), List.of(), null);
  }

  /** The tail without what is known of the resource. */
  ThreadTail alone() {
    return new ThreadTail(config, notes.ofThread(), elided, messages, left, firstHeld, asked, size);
  }

  /**
   * Builds the tail of a thread from its messages.
   *
   * @param texts oldest first: those that are only compared, then those that may be sent
   */
  static ThreadTail read(
      ContextConfig config, ContextNotes notes, long elided, List<TailEntry.Text> texts) {
    TimeMarks marks = new TimeMarks(config);
    List<TailEntry> all = new ArrayList<>(texts.size());
    for (TailEntry.Text text : texts) {
      all.add(TailEntry.of(text, text.row().superseded() ? new TimeMarks(config) : marks));
    }
    NamelessResults.ids(all.stream().map(TailEntry::normal).toList(), List.of())
        .forEach(
            (at, ids) ->
                all.set(at, TailEntry.of(texts.get(at).named(ids), new TimeMarks(config))));
    List<TailEntry> entries = new ArrayList<>(texts.size());
    List<TailEntry> left = new ArrayList<>();
    TailEntry.Text asked = null;
    for (int at = 0; at < all.size(); at++) {
      TailEntry entry = all.get(at);
      TailEntry.Text text = texts.get(at);
      if (text.row().superseded()) {
        left.add(entry.onlyCompared());
      } else {
        entries.add(entry);
        asked = !text.sent() && entry.ofUser() ? text : asked;
      }
    }
    StoredMessage message =
        asked == null
            ? null
            : new StoredMessage(asked.row().role(), asked.content(), asked.row().type());
    return of(config, notes, elided, entries, left, message);
  }

  private static ThreadTail of(
      ContextConfig config,
      ContextNotes notes,
      long elided,
      List<TailEntry> entries,
      List<TailEntry> left,
      @Nullable StoredMessage askedBefore) {
    StoredMessage asked = askedBefore;
    int sent = firstHeld(entries);
    int from = firstWithin(config, entries, sent);
    // What is cut off here is still compared, but only a bounded number of messages.
    int least = from > sent ? Math.max(0, Math.min(from, entries.size()) - WITNESSES) : 0;
    List<TailEntry> rest = new ArrayList<>(entries.size() - least);
    for (TailEntry entry : entries.subList(sent, from)) {
      asked = entry.ofUser() ? entry.heldMessage().stored() : asked;
    }
    if (asked != null) {
      boolean fits = asked.content().length() <= MAX_ASKED;
      asked = (fits ? asked : asked.shortened(MAX_ASKED)).withoutParts();
    }
    long weight = TailEntry.WEIGHT * left.size() + BYTES_PER_TOKEN * notes.tokens();
    weight += asked == null ? 0 : TailEntry.COPIES * asked.content().length();
    long bytes = 0;
    for (int i = least; i < entries.size(); i++) {
      TailEntry entry = entries.get(i);
      TailEntry kept = i < from && entry.held() != null ? entry.onlyCompared() : entry;
      rest.add(kept);
      bytes += kept.bytes();
      weight += kept.weight();
    }
    return new ThreadTail(
        config,
        notes,
        elided + (from - sent),
        rest,
        left,
        firstHeld(rest),
        asked,
        new Size(bytes, weight, 0, 0));
  }

  private static int firstHeld(List<TailEntry> entries) {
    int first = 0;
    while (first < entries.size() && entries.get(first).held() == null) {
      first++;
    }
    return first;
  }

  /** Index of the first message that may fit the context, as {@link TailOutline} decides. */
  private static int firstWithin(ContextConfig config, List<TailEntry> entries, int sent) {
    SizeBound bound = new SizeBound(config.bound());
    int from = entries.size();
    while (from > sent) {
      TailEntry entry = entries.get(from - 1);
      int tokens = entry.heldMessage().counted();
      if (!bound.admits(entry.role(), entry.type(), entry.bytes() - SizeBound.OVERHEAD, tokens)) {
        break;
      }
      from--;
    }
    return from;
  }

  /** The tail with messages that were stored since; none of them is observed. */
  ThreadTail with(List<MessageRow> rows) {
    TimeMarks marks = new TimeMarks(config);
    int from = messages.size();
    while (from > 0 && !messages.get(from - 1).ofUser()) {
      from--;
    }
    for (TailEntry entry : messages.subList(Math.max(0, from - 1), messages.size())) {
      marks.next(entry.createdAt(), entry.ofUser());
    }
    long bytes = size.bytes;
    long weight = size.weight;
    long settledTokens = size.tokens;
    for (TailEntry entry : messages.subList(size.settled, messages.size())) {
      settledTokens += entry.tokens();
    }
    long tokens = settledTokens;
    List<TailEntry> entries = new ArrayList<>(messages.size() + rows.size());
    entries.addAll(messages);
    for (MessageRow row : rows) {
      TailEntry entry =
          TailEntry.of(new TailEntry.Text(TailRow.of(row), row.content(), true), marks);
      entries.add(entry);
      bytes += entry.bytes();
      weight += entry.weight();
      tokens += entry.tokens();
    }
    if (SizeBound.admitsAll(bytes, tokens, config.bound())) {
      // Everything still fits, so what was there before need not be looked at again.
      return new ThreadTail(
          config,
          notes,
          elided,
          entries,
          left,
          firstHeld,
          asked,
          new Size(bytes, weight, settledTokens, messages.size()));
    }
    return of(config, notes, elided, entries, left, asked);
  }

  /** When the last message was stored, or said to have been. */
  Instant storedAt() {
    return messages.isEmpty() ? Instant.MIN : messages.get(messages.size() - 1).createdAt();
  }

  /** Whether the last turn was interrupted. */
  boolean incomplete() {
    return !messages.isEmpty() && messages.get(messages.size() - 1).incomplete();
  }

  /**
   * Aligns a call with the thread.
   *
   * @param observedSeq of the last message that is observed; -1 for none
   */
  Conversation.Aligned align(Conversation call, long observedSeq) {
    Conversation.Aligned aligned = call.align(normalForms(), leftForms());
    boolean begins = !messages.isEmpty() && messages.get(0).seq() == 0;
    boolean isAll = begins || (observedSeq < 0 && elided == 0);
    return isAll ? aligned : aligned.behindOthers();
  }

  /** The messages in the form in which they are compared; a view, as most calls need the last. */
  List<NormalForm> normalForms() {
    return new AbstractList<>() {
      @Override
      public NormalForm get(int index) {
        return messages.get(index).normal();
      }

      @Override
      public int size() {
        return messages.size();
      }
    };
  }

  /** The superseded messages in the form in which they are compared. */
  List<Left> leftForms() {
    List<Left> forms = new ArrayList<>(left.size());
    int behind = 0;
    for (TailEntry entry : left) {
      while (behind < messages.size() && messages.get(behind).seq() < entry.seq()) {
        behind++;
      }
      forms.add(new Left(entry.normal(), behind));
    }
    return forms;
  }

  /** What the user said last before one of the messages; null if that was not read. */
  @Nullable StoredMessage askedBefore(int index) {
    for (int at = index - 1; at >= firstHeld; at--) {
      if (messages.get(at).ofUser()) {
        return messages.get(at).heldMessage().stored();
      }
    }
    // A copy, so that what is made of it is not retained.
    return index < firstHeld || asked == null
        ? null
        : new StoredMessage(asked.role(), asked.content(), asked.type());
  }

  /**
   * The user's message that a call without new messages ends with; null if there is none.
   *
   * @param upTo number of this tail's messages up to which the call repeats the thread
   */
  @Nullable StoredMessage question(int upTo, List<StoredMessage> asked) {
    if (!asked.isEmpty() || upTo == 0) {
      return null;
    }
    TailEntry last = messages.get(upTo - 1);
    return last.ofUser() && last.held() != null ? last.held().stored() : null;
  }
}
