package io.memorygateway.memory.replay;

import static java.util.Objects.requireNonNull;

import io.memorygateway.json.Characters;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.replay.IdempotencyDao.LastResponse;
import io.memorygateway.memory.rows.MessageDao;
import io.memorygateway.memory.rows.MessageRevision;
import io.memorygateway.memory.rows.MessageRevisionDao;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.MessageSizes;
import io.memorygateway.memory.rows.MessageSnapshot;
import io.memorygateway.memory.rows.ThreadHead;
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
 * Reads and stores the states that messages had when a response was stored, for its replays.
 * Nothing is copied until a message is changed; then its old state is stored for as long as a
 * replay may need it, unless the message is deleted.
 */
public final class MessageRevisions {
  /** Largest tolerated difference of the nodes' clocks. */
  private static final Duration MAX_CLOCK_SKEW = Duration.ofMinutes(5);

  private MessageRevisions() {}

  /**
   * Reads the messages of a stored response, without those that have been deleted.
   *
   * @param heap called with the bytes that they have now, before they are read, and with those of
   *     all that are answered, if these are more: some may be there several times
   */
  public static List<MessageRow> read(
      Handle handle, StoredResponse.Content stored, LongConsumer heap) {
    long thread = requireNonNull(stored.threadId());
    MessageSnapshot snapshot = requireNonNull(stored.messages());
    List<Long> wanted = snapshot.seqs().toList();
    if (wanted.isEmpty()) {
      return List.of();
    }
    MessageDao dao = handle.attach(MessageDao.class);
    long read = MessageSizes.fitting(dao.sizesBySeq(thread, wanted), Long.MAX_VALUE).bytes();
    heap.accept(read);
    List<MessageRow> now = dao.findBySeq(thread, wanted);
    Map<Long, MessageRow> found = new HashMap<>();
    restore(handle, thread, snapshot, now).forEach(row -> found.put(row.seq(), row));
    List<MessageRow> all = wanted.stream().map(found::get).filter(Objects::nonNull).toList();
    long answered = all.stream().mapToLong(row -> Characters.utf8Length(row.content())).sum();
    if (answered > read) {
      heap.accept(answered);
    }
    return all;
  }

  /**
   * Restores the states that messages had at the version of a snapshot.
   *
   * @param now the same messages, read before this is called, in the same transaction or in none
   */
  static List<MessageRow> restore(
      Handle handle, long thread, MessageSnapshot snapshot, List<MessageRow> now) {
    if (snapshot.version() == null || now.isEmpty()) {
      return now;
    }
    Collection<Long> seqs = now.stream().map(MessageRow::seq).toList();
    Map<Long, MessageRevision> revisions = new HashMap<>();
    handle
        .attach(MessageRevisionDao.class)
        .at(thread, snapshot.version(), seqs)
        .forEach(message -> revisions.put(message.seq(), message));
    return now.stream()
        .map(
            row -> {
              MessageRevision revision = revisions.get(row.seq());
              return revision == null ? row : revision.restore(row);
            })
        .toList();
  }

  /**
   * Stores the present states of messages that are about to change, if a replay may need them.
   *
   * @param changed the thread's head after the change; it is locked
   * @param messages in their present state; only read if they are to be stored
   * @param storage called with the bytes to store
   */
  public static void keep(
      Handle handle,
      ThreadHead changed,
      Supplier<List<MessageRow>> messages,
      Instant now,
      LongConsumer storage) {
    LastResponse last =
        handle
            .attach(IdempotencyDao.class)
            .lastResponse(
                changed.id(), now.minus(IdempotentWrites.RETENTION).minus(MAX_CLOCK_SKEW));
    if (last.version() == null) {
      return;
    }
    Instant neededUntil = requireNonNull(last.createdAt()).plus(IdempotentWrites.RETENTION);
    MessageRevisionDao dao = handle.attach(MessageRevisionDao.class);
    for (MessageRow message : messages.get()) {
      if (last.version() >= dao.unchangedSince(changed.id(), message.seq())) {
        MessageRevision revision = MessageRevision.of(message);
        storage.accept(StorageLimit.MESSAGE_BYTES + revision.bytes());
        dao.keep(changed.id(), changed.version(), neededUntil, revision);
      }
    }
  }
}
