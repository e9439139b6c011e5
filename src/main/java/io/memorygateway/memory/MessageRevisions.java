package io.memorygateway.memory;

import static java.util.Objects.requireNonNull;

import io.memorygateway.memory.IdempotencyDao.LastResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;

/**
 * The messages of first answers, for requests that repeat an Idempotency-Key. No copy of them is
 * kept until they are changed: then what they were is, as long as such an answer may be asked for
 * again and they are not deleted.
 */
public final class MessageRevisions {
  /** By how much the clocks of nodes may differ. */
  private static final Duration CLOCKS_APART = Duration.ofMinutes(5);

  private MessageRevisions() {}

  /**
   * In the order of the answer and as they were, but without those that have been deleted.
   *
   * @param room is told how many bytes they have now
   */
  public static List<MessageRow> of(Handle handle, StoredResponse first, LongConsumer room) {
    long thread = requireNonNull(first.threadId());
    MessageSnapshot answered = requireNonNull(first.messages());
    List<Long> wanted = answered.seqs().toList();
    if (wanted.isEmpty()) {
      return List.of();
    }
    MessageDao dao = handle.attach(MessageDao.class);
    room.accept(
        new MessageSizes(handle, thread)
            .fitting(dao.sizesBySeq(thread, wanted), Long.MAX_VALUE)
            .bytes());
    List<MessageRow> now = dao.findBySeq(thread, wanted);
    Map<Long, MessageRow> found = new HashMap<>();
    asTheyWere(handle, thread, answered, now).forEach(row -> found.put(row.seq(), row));
    return wanted.stream().map(found::get).filter(Objects::nonNull).toList();
  }

  /**
   * Messages as they were when they were answered.
   *
   * @param now the same, read before this is called, in the same transaction or in none
   */
  public static List<MessageRow> asTheyWere(
      Handle handle, long thread, MessageSnapshot answered, List<MessageRow> now) {
    if (answered.version() == null || now.isEmpty()) {
      return now;
    }
    Collection<Long> seqs = now.stream().map(MessageRow::seq).toList();
    Map<Long, MessageRevision> former = new HashMap<>();
    handle
        .attach(MessageRevisionDao.class)
        .at(thread, answered.version(), seqs)
        .forEach(message -> former.put(message.seq(), message));
    return now.stream()
        .map(
            row -> {
              MessageRevision then = former.get(row.seq());
              return then == null ? row : then.restore(row);
            })
        .toList();
  }

  /**
   * Keeps what messages are that are about to change, if a first answer may need it.
   *
   * @param changed the thread's head afterwards; it is locked
   * @param messages as they are; only read if they are to be kept
   */
  static void keep(
      Handle handle, ThreadHead changed, Supplier<List<MessageRow>> messages, Instant now) {
    LastResponse last =
        handle
            .attach(IdempotencyDao.class)
            .lastAnswer(changed.id(), now.minus(IdempotentWrites.KEPT).minus(CLOCKS_APART));
    if (last.version() == null) {
      return;
    }
    Instant neededUntil = requireNonNull(last.createdAt()).plus(IdempotentWrites.KEPT);
    MessageRevisionDao dao = handle.attach(MessageRevisionDao.class);
    for (MessageRow message : messages.get()) {
      if (last.version() >= dao.unchangedSince(changed.id(), message.seq())) {
        dao.keep(changed.id(), changed.version(), neededUntil, MessageRevision.of(message));
      }
    }
  }
}
