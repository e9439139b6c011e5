package io.memorygateway.memory;

import io.memorygateway.auth.Caller;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.http.ErrorType;
import io.memorygateway.json.Characters;
import io.memorygateway.observation.ObservationJobs;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Messages of a thread. All of this works inside the caller's transaction, under the lock of the
 * thread's row: what is stored in one call stands together, in its order, whoever else stores.
 */
public final class Messages {
  private static final int ROWS_A_STATEMENT = 100;
  private static final int CHARACTERS_A_STATEMENT = 2 << 20;

  /** Contents of messages that are there already, which one call may find: two of the largest. */
  private static final long MOST_FOUND_BYTES = 64 << 20;

  private final Threads threads;

  public Messages(Threads threads) {
    this.threads = threads;
  }

  /**
   * What was stored or found, in the order in which it was given, and the thread afterwards.
   *
   * @param found how many of the messages were there before
   */
  public record Appended(ThreadHead thread, List<MessageRow> messages, int found) {
    MessageSnapshot snapshot() {
      return snapshot(0);
    }

    /** The messages from this one on. */
    MessageSnapshot snapshot(int from) {
      return new MessageSnapshot(
          SeqRanges.of(messages.stream().skip(from).map(MessageRow::seq).toList()),
          thread.version());
    }
  }

  /** The same, where nobody need be asked for room. */
  public Appended append(Handle handle, Caller caller, String threadId, List<NewMessage> batch) {
    return append(handle, caller, threadId, batch, bytes -> {}, bytes -> {});
  }

  /**
   * Stores messages at the end of a thread. One whose id is there already with the same role and
   * content is found instead.
   *
   * @param room is told how many bytes the contents have that are found
   * @param storage is told how many bytes are to be stored
   * @throws ApiException 404 if the thread is not there, 409 if an id is used by another message,
   *     413 if what is found is too large to be answered at once, or what is new to be stored
   */
  Appended append(
      Handle handle,
      Caller caller,
      String threadId,
      List<NewMessage> batch,
      LongConsumer room,
      LongConsumer storage) {
    return append(handle, lock(handle, caller, threadId), batch, room, storage);
  }

  /**
   * The same, at the end of this very thread.
   *
   * @param thread {@code threads.id}
   * @throws ApiException 404 as well if another thread has its name by now
   */
  public Appended appendTo(
      Handle handle, Caller caller, String threadId, long thread, List<NewMessage> batch) {
    ThreadHead head = lock(handle, caller, threadId);
    if (head.id() != thread) {
      throw NotFound.thread();
    }
    return append(handle, head, batch, bytes -> {}, bytes -> {});
  }

  private Appended append(
      Handle handle,
      ThreadHead thread,
      List<NewMessage> batch,
      LongConsumer room,
      LongConsumer storage) {
    Map<String, MessageRow> known = known(handle, thread, batch, room);
    MessagePlan plan = MessagePlan.of(thread, batch, known, threads.now(), threads::newId);
    if (!plan.stored().isEmpty()) {
      storage.accept(plan.storageBytes());
      insert(handle, plan.inserts());
      handle.attach(ThreadDao.class).advance(plan.thread());
      if (plan.thread().isToBeObserved()) {
        ObservationJobs.request(handle, List.of(thread.id()));
      }
    }
    return plan.appended();
  }

  /**
   * Changes a message in its place.
   *
   * @param room is told how many bytes it has
   * @param storage asked for room if it grows
   * @throws ApiException 404, 413
   */
  public Written<MessageRow> patch(
      Handle handle,
      Caller caller,
      String threadId,
      String messageId,
      MessagePatch patch,
      LongConsumer room,
      StorageLimit.Admission storage) {
    ThreadHead thread = lock(handle, caller, threadId);
    MessageDao dao = handle.attach(MessageDao.class);
    cover(handle, thread, dao.sizesOf(thread.id(), List.of(messageId)), room);
    MessageRow old = dao.find(thread.id(), messageId).orElseThrow(NotFound::message);
    MessageRow patched =
        old.with(
            Objects.requireNonNullElse(patch.type(), old.type()),
            Objects.requireNonNullElse(patch.content(), old.content()));
    Instant now = threads.now();
    long bytes = Characters.utf8Length(patched.content());
    long oldBytes = Characters.utf8Length(old.content());
    storage.require(bytes - oldBytes);
    ThreadHead rewritten = thread.rewritten(oldBytes, bytes, now);
    if (!patched.equals(old)) {
      MessageRevisions.keep(
          handle,
          rewritten,
          () -> List.of(old),
          now,
          kept -> storage.require(kept + bytes - oldBytes));
    }
    dao.rewrite(thread.id(), patched.seq(), patched.type(), patched.content(), bytes);
    handle.attach(ThreadDao.class).advance(rewritten);
    handle.attach(ThreadDao.class).noteChange(thread.id());
    ObservationJobs.messagesChanged(handle, thread.id(), patched.seq());
    return new Written<>(
        patched,
        StoredResponse.Content.ofMessages(200, new Appended(rewritten, List.of(patched), 1)));
  }

  /** The message that a patch was answered with. */
  public MessageRow replay(Handle handle, StoredResponse.Content patched, LongConsumer room) {
    return MessageRevisions.read(handle, patched, room).stream()
        .findFirst()
        .orElseThrow(NotFound::message);
  }

  /**
   * Marks messages, after others were stored in the same transaction. Which answers are superseded
   * is made out here, under the lock of the thread: of two that are given to one question at once,
   * only the later one is part of the conversation afterwards.
   *
   * @param stored what was stored, and the thread's head with it
   * @param question seq of a message that was answered again; null if none was
   * @param completed seqs of messages whose turn broke off, and which have been answered
   */
  public void mark(Handle handle, Appended stored, @Nullable Long question, List<Long> completed) {
    ThreadHead thread = stored.thread();
    MessageDao dao = handle.attach(MessageDao.class);
    List<Long> superseded =
        question == null || stored.found() == stored.messages().size()
            ? List.of()
            : dao.answersTo(thread.id(), question, stored.messages().get(stored.found()).seq());
    List<Long> marked = Stream.of(superseded, completed).flatMap(List::stream).toList();
    if (marked.isEmpty()) {
      return;
    }
    handle.attach(ThreadDao.class).noteChange(thread.id());
    MessageRevisions.keep(
        handle, thread, () -> dao.findBySeq(thread.id(), marked), threads.now(), bytes -> {});
    if (!superseded.isEmpty()) {
      dao.supersede(thread.id(), superseded);
      ObservationJobs.messagesChanged(handle, thread.id(), Collections.min(superseded));
    }
    if (!completed.isEmpty()) {
      dao.complete(thread.id(), completed);
    }
  }

  /**
   * Removes messages.
   *
   * @return how many of them there were
   * @throws ApiException 404 if the thread is not there
   */
  public int delete(Handle handle, Caller caller, String threadId, List<String> messageIds) {
    ThreadHead thread = lock(handle, caller, threadId);
    MessageDao dao = handle.attach(MessageDao.class);
    List<MessageDao.Size> sizes = dao.lockSizes(thread.id(), messageIds);
    if (sizes.isEmpty()) {
      return 0;
    }
    List<Long> seqs = sizes.stream().map(MessageDao.Size::seq).toList();
    long bytes = new MessageSizes(handle, thread.id()).fitting(sizes, Long.MAX_VALUE).bytes();
    dao.delete(thread.id(), seqs);
    MessageRevisionDao former = handle.attach(MessageRevisionDao.class);
    if (former.hasAny(thread.id())) {
      // Only then: to look in vain would keep others from adding to the table.
      former.delete(thread.id(), seqs);
    }
    MessageGapDao gaps = handle.attach(MessageGapDao.class);
    if (seqs.size() == thread.messageCount()) {
      gaps.clear(thread.id());
    } else {
      gaps.add(gaps(thread.id(), seqs));
    }
    handle.attach(ThreadDao.class).advance(thread.reduced(seqs.size(), bytes, threads.now()));
    handle.attach(ThreadDao.class).noteChange(thread.id());
    ObservationJobs.messagesChanged(handle, thread.id(), Collections.min(seqs));
    return seqs.size();
  }

  private static ThreadHead lock(Handle handle, Caller caller, String threadId) {
    return handle
        .attach(ThreadDao.class)
        .lockHead(caller.projectId(), threadId)
        .orElseThrow(NotFound::thread);
  }

  private static Map<String, MessageRow> known(
      Handle handle, ThreadHead thread, List<NewMessage> batch, LongConsumer room) {
    List<String> ids =
        batch.stream().map(NewMessage::id).filter(Objects::nonNull).distinct().toList();
    Map<String, MessageRow> known = new HashMap<>();
    if (!ids.isEmpty() && thread.messageCount() > 0) {
      MessageDao dao = handle.attach(MessageDao.class);
      List<MessageDao.Size> sizes = dao.sizesOf(thread.id(), ids);
      cover(handle, thread, sizes, room);
      for (MessageRow row :
          sizes.isEmpty() ? List.<MessageRow>of() : dao.findLatest(thread.id(), ids)) {
        known.put(row.publicId(), row);
      }
    }
    return known;
  }

  private static void cover(
      Handle handle, ThreadHead thread, List<MessageDao.Size> sizes, LongConsumer room) {
    MessageSizes.Fitting found =
        new MessageSizes(handle, thread.id()).fitting(sizes, MOST_FOUND_BYTES);
    if (found.count() < sizes.size()) {
      throw new ApiException(
          ApiError.of(
              413,
              ErrorType.INVALID_REQUEST,
              "The messages with these ids are too large to be answered at once; send fewer."));
    }
    room.accept(found.bytes());
  }

  /** Stores rows, in statements of a size that the database takes. */
  static void insert(Handle handle, List<MessageDao.Insert> rows) {
    MessageDao dao = handle.attach(MessageDao.class);
    List<MessageDao.Insert> statement = new ArrayList<>();
    int characters = 0;
    for (MessageDao.Insert row : rows) {
      if (statement.size() == ROWS_A_STATEMENT
          || (!statement.isEmpty()
              && characters + row.content().length() > CHARACTERS_A_STATEMENT)) {
        dao.insert(statement);
        statement.clear();
        characters = 0;
      }
      statement.add(row);
      characters += row.content().length();
    }
    dao.insert(statement);
  }

  private static List<MessageGapDao.Added> gaps(long threadId, List<Long> seqs) {
    Map<Long, Long> deleted = new TreeMap<>();
    seqs.forEach(seq -> deleted.merge(MessageGap.blockOf(seq), 1L, Long::sum));
    return deleted.entrySet().stream()
        .map(entry -> new MessageGapDao.Added(threadId, entry.getKey(), entry.getValue()))
        .toList();
  }
}
