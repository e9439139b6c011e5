package io.memorygateway.memory;

import io.memorygateway.auth.Caller;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.json.JsonEquality;
import io.memorygateway.json.JsonText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;

/**
 * Messages of a thread. All of this works inside the caller's transaction, under the lock of the
 * thread's row: what is stored in one call stands together, in its order, whoever else stores.
 */
public final class Messages {
  private static final int ROWS_A_STATEMENT = 100;
  private static final int CHARACTERS_A_STATEMENT = 2 << 20;

  private final Threads threads;

  public Messages(Threads threads) {
    this.threads = threads;
  }

  /** What was stored or found, in the order in which it was given, and the thread afterwards. */
  public record Appended(ThreadHead thread, List<MessageRow> messages) {}

  /**
   * Stores messages at the end of a thread. One whose id is there already with the same role, type
   * and content is found instead.
   *
   * @throws ApiException 404 if the thread is not there, 409 if an id is used by another message
   */
  public Appended append(Handle handle, Caller caller, String threadId, List<NewMessage> batch) {
    ThreadHead thread = lock(handle, caller, threadId);
    Map<String, MessageRow> known = known(handle, thread, batch);
    List<MessageRow> answered = new ArrayList<>(batch.size());
    List<MessageRow> stored = new ArrayList<>(batch.size());
    Instant now = threads.now();
    for (NewMessage message : batch) {
      MessageRow existing = message.id() == null ? null : known.get(message.id());
      if (existing == null) {
        MessageRow row = row(message, thread.nextSeq() + stored.size(), now);
        stored.add(row);
        answered.add(row);
        known.put(row.publicId(), row);
      } else if (isSame(existing, message)) {
        answered.add(existing);
      } else {
        throw new ApiException(
            ApiError.conflict("A message id is already used by a different message."));
      }
    }
    if (stored.isEmpty()) {
      return new Appended(thread, answered);
    }
    insert(handle, thread.id(), stored);
    ThreadHead advanced =
        change(handle, thread, stored.size(), thread.nextSeq() + stored.size(), thread.baseSeq());
    return new Appended(advanced, answered);
  }

  /**
   * Changes a message in its place.
   *
   * @throws ApiException 404
   */
  Appended patch(
      Handle handle, Caller caller, String threadId, String messageId, MessageBodies.Patch patch) {
    ThreadHead thread = lock(handle, caller, threadId);
    MessageDao dao = handle.attach(MessageDao.class);
    MessageRow old = dao.find(thread.id(), messageId).orElseThrow(NotFound::message);
    MessageRow patched =
        new MessageRow(
            old.seq(),
            old.publicId(),
            old.role(),
            Objects.requireNonNullElse(patch.type(), old.type()),
            Objects.requireNonNullElse(patch.content(), old.content()),
            old.createdAt());
    dao.rewrite(thread.id(), patched.seq(), patched.type(), patched.content());
    return new Appended(
        change(handle, thread, 0, thread.nextSeq(), thread.baseSeq()), List.of(patched));
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
    List<Long> seqs = dao.lockSeqs(thread.id(), messageIds);
    if (seqs.isEmpty()) {
      return 0;
    }
    dao.delete(thread.id(), seqs);
    MessageGapDao gaps = handle.attach(MessageGapDao.class);
    if (seqs.size() == thread.messageCount()) {
      gaps.clear(thread.id());
      change(handle, thread, -seqs.size(), thread.nextSeq(), thread.nextSeq());
    } else {
      gaps.add(gaps(thread.id(), seqs));
      change(handle, thread, -seqs.size(), thread.nextSeq(), thread.baseSeq());
    }
    return seqs.size();
  }

  /** Messages that an earlier answer was made of, in its order, as far as they are still there. */
  static List<MessageRow> again(Handle handle, long threadId, SeqRanges seqs) {
    List<Long> wanted = seqs.toList();
    Map<Long, MessageRow> found = new HashMap<>();
    if (!wanted.isEmpty()) {
      handle
          .attach(MessageDao.class)
          .findBySeq(threadId, wanted)
          .forEach(row -> found.put(row.seq(), row));
    }
    return wanted.stream().map(found::get).filter(Objects::nonNull).toList();
  }

  private static ThreadHead lock(Handle handle, Caller caller, String threadId) {
    return handle
        .attach(ThreadDao.class)
        .lockHead(caller.projectId(), threadId)
        .orElseThrow(NotFound::thread);
  }

  private ThreadHead change(
      Handle handle, ThreadHead thread, int more, long nextSeq, long baseSeq) {
    ThreadHead changed =
        new ThreadHead(
            thread.id(),
            thread.publicId(),
            thread.resourceId(),
            baseSeq,
            nextSeq,
            thread.messageCount() + more,
            threads.later(thread.updatedAt()));
    handle.attach(ThreadDao.class).advance(changed);
    return changed;
  }

  private static Map<String, MessageRow> known(
      Handle handle, ThreadHead thread, List<NewMessage> batch) {
    List<String> ids =
        batch.stream().map(NewMessage::id).filter(Objects::nonNull).distinct().toList();
    Map<String, MessageRow> known = new HashMap<>();
    if (!ids.isEmpty() && thread.messageCount() > 0) {
      for (MessageRow row : handle.attach(MessageDao.class).findLatest(thread.id(), ids)) {
        known.put(row.publicId(), row);
      }
    }
    return known;
  }

  private MessageRow row(NewMessage message, long seq, Instant now) {
    return new MessageRow(
        seq,
        Objects.requireNonNullElseGet(message.id(), threads::newId),
        message.role(),
        message.type(),
        message.content(),
        Objects.requireNonNullElse(message.createdAt(), now));
  }

  private static boolean isSame(MessageRow existing, NewMessage message) {
    return existing.role().equals(message.role())
        && existing.type().equals(message.type())
        && (existing.content().equals(message.content())
            || JsonEquality.same(
                JsonText.parse(existing.content(), JsonText.WHOLE),
                JsonText.parse(message.content(), JsonText.WHOLE)));
  }

  private static void insert(Handle handle, long threadId, List<MessageRow> rows) {
    MessageDao dao = handle.attach(MessageDao.class);
    List<MessageDao.Insert> statement = new ArrayList<>();
    int characters = 0;
    for (MessageRow row : rows) {
      if (statement.size() == ROWS_A_STATEMENT
          || (!statement.isEmpty()
              && characters + row.content().length() > CHARACTERS_A_STATEMENT)) {
        dao.insert(statement);
        statement.clear();
        characters = 0;
      }
      statement.add(
          new MessageDao.Insert(
              threadId,
              row.seq(),
              row.publicId(),
              row.role(),
              row.type(),
              row.content(),
              row.createdAt()));
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
