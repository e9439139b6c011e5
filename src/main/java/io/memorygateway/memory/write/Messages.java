package io.memorygateway.memory.write;

import io.memorygateway.auth.Caller;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ErrorType;
import io.memorygateway.json.Characters;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.replay.MessageRevisions;
import io.memorygateway.memory.replay.StoredResponse;
import io.memorygateway.memory.replay.WriteResult;
import io.memorygateway.memory.rows.Appended;
import io.memorygateway.memory.rows.LastCall;
import io.memorygateway.memory.rows.MessageDao;
import io.memorygateway.memory.rows.MessageGap;
import io.memorygateway.memory.rows.MessageGapDao;
import io.memorygateway.memory.rows.MessagePatch;
import io.memorygateway.memory.rows.MessageRevisionDao;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.MessageSizes;
import io.memorygateway.memory.rows.MessageVectorDao;
import io.memorygateway.memory.rows.NewMessage;
import io.memorygateway.memory.rows.NotFound;
import io.memorygateway.memory.rows.ThreadDao;
import io.memorygateway.memory.rows.ThreadHead;
import io.memorygateway.observation.ObservationJobs;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Stores, changes and deletes messages of a thread, inside the caller's transaction and under the
 * lock of the thread's row: the messages of one call are stored in their order, without those of
 * others between them.
 */
public record Messages(Threads threads) {
  private static final int ROWS_PER_STATEMENT = 100;
  private static final int CHARACTERS_PER_STATEMENT = 2 << 20;

  /** Contents of existing messages that one call may find, in bytes: two of the largest. */
  private static final long MAX_FOUND_BYTES = 64 << 20;

  /** Appends messages whose bytes are neither reserved nor checked against the storage limit. */
  public Appended append(Handle handle, Caller caller, String threadId, List<NewMessage> batch) {
    return append(handle, caller, threadId, batch, bytes -> {}, bytes -> {});
  }

  /**
   * Stores messages at the end of a thread. A message whose id exists with the same role and
   * content is found instead.
   *
   * @param heap called with the bytes of existing contents before they are read
   * @param storage called with the bytes to be stored
   * @throws ApiException 404 if the thread does not exist; 409 if an id is used by another message;
   *     413 if the existing messages are too large for one answer, or the new ones for the storage
   *     limit
   */
  Appended append(
      Handle handle,
      Caller caller,
      String threadId,
      List<NewMessage> batch,
      LongConsumer heap,
      LongConsumer storage) {
    return append(handle, lock(handle, caller, threadId), batch, null, heap, storage);
  }

  /**
   * Locks a thread that has been read before.
   *
   * @param thread {@code threads.id}
   * @throws ApiException 404 also if the name belongs to another thread by now
   */
  ThreadHead lock(Handle handle, Caller caller, String threadId, long thread) {
    ThreadHead head = lock(handle, caller, threadId);
    if (head.id() != thread) {
      throw NotFound.thread();
    }
    return head;
  }

  /** Stores the messages of a turn at the end of a thread that is locked. */
  Appended append(Handle handle, ThreadHead thread, TurnWrite turn) {
    return append(handle, thread, turn.messages(), turn.call(), bytes -> {}, bytes -> {});
  }

  /**
   * Returns a turn as it is to be stored: one whose call has been answered meanwhile, by another
   * attempt, brings its answer alone; one that goes on with messages which others have left
   * meanwhile goes back to them; one that repeats an interrupted turn is a new turn if others have
   * written to the thread since, because messages of one turn are stored together.
   */
  TurnWrite afterOthers(Handle handle, ThreadHead thread, TurnWrite turn) {
    MessageDao dao = handle.attach(MessageDao.class);
    List<String> ids =
        turn.messages().stream().map(NewMessage::id).filter(Objects::nonNull).toList();
    if (!ids.isEmpty()) {
      List<String> found = dao.knownIds(thread.id(), ids);
      if (!found.isEmpty()) {
        return turn.asStored(Set.copyOf(found));
      }
    }
    Long question = turn.question();
    TurnWrite own =
        question != null && !turn.interrupted().isEmpty() && dao.isFollowed(thread.id(), question)
            ? turn.asNewTurn(dao.findBySeq(thread.id(), turn.interrupted()), threads::newId)
            : followed(handle, thread, turn);
    LastCall last = thread.lastCall();
    TurnCall call = own.call();
    if (last == null || call == null || !call.isOf(last)) {
      return own;
    }
    boolean broken = dao.isIncomplete(thread.id(), last.end() - 1);
    if (!call.wasStoredAs(last, broken)) {
      return own;
    }
    List<Long> asked = dao.lastLive(thread.id(), last.answer(), call.asked());
    // Of a call for a summary, that has no answer either, some messages may not be stored.
    boolean all =
        broken
            || !last.isUnanswered()
            || own.asks(asked.isEmpty() ? List.of() : dao.findBySeq(thread.id(), asked));
    return all ? own.inPlaceOf(last, broken, asked) : own;
  }

  private static TurnWrite followed(Handle handle, ThreadHead thread, TurnWrite turn) {
    TurnWrite.Known known = turn.known();
    if (known == null
        || !turn.mayBeLeft(thread.version())
        || !turn.mayBeLeft(handle.attach(ThreadDao.class).changedVersion(thread.id()))) {
      return turn;
    }
    MessageDao dao = handle.attach(MessageDao.class);
    List<Long> left = new ArrayList<>();
    for (List<Long> seqs : batches(known.seqs())) {
      left.addAll(dao.superseded(thread.id(), seqs));
    }
    return left.isEmpty() ? turn : turn.goingBackTo(left);
  }

  private Appended append(
      Handle handle,
      ThreadHead thread,
      List<NewMessage> batch,
      @Nullable TurnCall call,
      LongConsumer heap,
      LongConsumer storage) {
    Map<String, MessageRow> known = known(handle, thread, batch, heap);
    MessagePlan plan = MessagePlan.of(thread, batch, known, threads.now(), threads::newId);
    coverAnswer(plan, heap);
    Appended appended = plan.appended(call);
    if (!plan.stored().isEmpty()) {
      storage.accept(plan.storageBytes());
      insert(handle, plan.inserts());
      handle.attach(ThreadDao.class).advance(appended.thread());
      if (plan.thread().isToBeObserved()) {
        ObservationJobs.request(handle, List.of(thread.id()));
      }
    }
    return appended;
  }

  /**
   * Changes the content or the type of a message.
   *
   * @param heap called with its bytes before they are read
   * @param storage hold that has to cover its growth
   * @throws ApiException 404; 413 if the storage limit would be exceeded
   */
  public WriteResult<MessageRow> patch(
      Handle handle,
      Caller caller,
      String threadId,
      String messageId,
      MessagePatch patch,
      LongConsumer heap,
      StorageLimit.Hold storage) {
    ThreadHead thread = lock(handle, caller, threadId);
    MessageDao dao = handle.attach(MessageDao.class);
    cover(dao.sizesOf(thread.id(), List.of(messageId)), heap);
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
          remaining -> storage.require(remaining + bytes - oldBytes));
    }
    dao.rewrite(thread.id(), patched.seq(), patched.type(), patched.content(), bytes);
    handle.attach(ThreadDao.class).advance(rewritten);
    handle.attach(ThreadDao.class).recordChange(thread.id());
    ObservationJobs.messagesChanged(handle, thread.id(), patched.seq());
    MessageVectorDao vectors = handle.attach(MessageVectorDao.class);
    vectors
        .find(thread.id())
        .ifPresent(
            embedded -> {
              vectors.delete(embedded, List.of(patched.seq()));
              vectors.embedAgain(thread.id(), patched.seq());
            });
    return new WriteResult<>(
        patched,
        StoredResponse.Content.ofMessages(200, new Appended(rewritten, List.of(patched), 1)));
  }

  /** Returns the message that a patch was answered with. */
  public MessageRow replay(Handle handle, StoredResponse.Content patched, LongConsumer heap) {
    return MessageRevisions.read(handle, patched, heap).stream()
        .findFirst()
        .orElseThrow(NotFound::message);
  }

  /**
   * Marks messages as superseded or complete, after others were stored in the same transaction.
   * Which answers are superseded is determined here, under the lock of the thread: of two
   * concurrent answers to one question, only the later one remains part of the conversation.
   *
   * @param stored what was stored, and the thread's head with it
   * @param turn as it was to be stored
   */
  void mark(Handle handle, Appended stored, TurnWrite turn) {
    boolean onlyMarks = stored.messages().isEmpty();
    ThreadHead thread =
        onlyMarks ? stored.thread().rewritten(0, 0, threads.now()) : stored.thread();
    MessageDao dao = handle.attach(MessageDao.class);
    long first = onlyMarks ? thread.nextSeq() : stored.messages().get(0).seq();
    Set<Long> superseded = new TreeSet<>();
    if (turn.question() != null) {
      superseded.addAll(dao.answersTo(thread.id(), turn.question(), first));
    }
    TurnWrite.Branch branch = turn.branch();
    List<Long> revived = branch == null ? List.of() : branch.revived();
    if (branch != null) {
      superseded.addAll(dao.liveBetween(thread.id(), branch.after(), first));
      superseded.removeAll(branch.staying());
    }
    List<Long> completed = turn.complete() ? turn.interrupted() : List.of();
    List<Long> marked =
        Stream.of(superseded, revived, completed).flatMap(Collection::stream).toList();
    if (marked.isEmpty()) {
      return;
    }
    if (onlyMarks) {
      handle.attach(ThreadDao.class).advance(thread);
    }
    handle.attach(ThreadDao.class).recordChange(thread.id());
    for (List<Long> seqs : batches(marked)) {
      MessageRevisions.keep(
          handle, thread, () -> dao.findBySeq(thread.id(), seqs), threads.now(), bytes -> {});
    }
    batches(superseded).forEach(seqs -> dao.supersede(thread.id(), seqs, true));
    batches(revived).forEach(seqs -> dao.supersede(thread.id(), seqs, false));
    Stream.concat(superseded.stream(), revived.stream())
        .min(Long::compare)
        .ifPresent(seq -> ObservationJobs.messagesChanged(handle, thread.id(), seq));
    if (!completed.isEmpty()) {
      dao.complete(thread.id(), completed);
    }
  }

  private static List<List<Long>> batches(Collection<Long> seqs) {
    List<Long> all = List.copyOf(seqs);
    return IntStream.iterate(0, from -> from < all.size(), from -> from + ROWS_PER_STATEMENT)
        .mapToObj(from -> all.subList(from, Math.min(all.size(), from + ROWS_PER_STATEMENT)))
        .toList();
  }

  /**
   * Deletes messages.
   *
   * @return how many of them existed
   * @throws ApiException 404 if the thread does not exist
   */
  public int delete(Handle handle, Caller caller, String threadId, List<String> messageIds) {
    ThreadHead thread = lock(handle, caller, threadId);
    MessageDao dao = handle.attach(MessageDao.class);
    List<MessageDao.Size> sizes = dao.lockSizes(thread.id(), messageIds);
    if (sizes.isEmpty()) {
      return 0;
    }
    List<Long> seqs = sizes.stream().map(MessageDao.Size::seq).toList();
    long bytes = MessageSizes.fitting(sizes, Long.MAX_VALUE).bytes();
    dao.delete(thread.id(), seqs);
    MessageRevisionDao former = handle.attach(MessageRevisionDao.class);
    if (former.hasAny(thread.id())) {
      // Only then: a search without a result would lock a gap against inserts of others.
      former.delete(thread.id(), seqs);
    }
    MessageVectorDao vectors = handle.attach(MessageVectorDao.class);
    vectors.find(thread.id()).ifPresent(embedded -> vectors.delete(embedded, seqs));
    MessageGapDao gaps = handle.attach(MessageGapDao.class);
    if (seqs.size() == thread.messageCount()) {
      gaps.clear(thread.id());
    } else {
      gaps.add(gaps(thread.id(), seqs));
    }
    handle.attach(ThreadDao.class).advance(thread.reduced(seqs.size(), bytes, threads.now()));
    handle.attach(ThreadDao.class).recordChange(thread.id());
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
      Handle handle, ThreadHead thread, List<NewMessage> batch, LongConsumer heap) {
    List<String> ids =
        batch.stream().map(NewMessage::id).filter(Objects::nonNull).distinct().toList();
    Map<String, MessageRow> known = new HashMap<>();
    if (!ids.isEmpty() && thread.messageCount() > 0) {
      MessageDao dao = handle.attach(MessageDao.class);
      List<MessageDao.Size> sizes = dao.sizesOf(thread.id(), ids);
      cover(sizes, heap);
      for (MessageRow row :
          sizes.isEmpty() ? List.<MessageRow>of() : dao.findLatest(thread.id(), ids)) {
        known.put(row.publicId(), row);
      }
    }
    return known;
  }

  private static void cover(List<MessageDao.Size> sizes, LongConsumer heap) {
    MessageSizes.Fitting found = MessageSizes.fitting(sizes, MAX_FOUND_BYTES);
    if (found.count() < sizes.size()) {
      throw tooLarge();
    }
    heap.accept(found.bytes());
  }

  /**
   * A message is answered as often as it is named, each time in the words in which it is stored.
   */
  private static void coverAnswer(MessagePlan plan, LongConsumer heap) {
    if (plan.answered().size() > plan.stored().size()) {
      long bytes = plan.foundBytes();
      if (bytes > MAX_FOUND_BYTES) {
        throw tooLarge();
      }
      heap.accept(bytes);
    }
  }

  private static ApiException tooLarge() {
    return ApiException.of(
        413,
        ErrorType.INVALID_REQUEST,
        "The messages with these ids are too large to be answered at once; send fewer.");
  }

  /** Inserts rows, in statements of bounded size. */
  static void insert(Handle handle, List<MessageDao.Insert> rows) {
    MessageDao dao = handle.attach(MessageDao.class);
    List<MessageDao.Insert> statement = new ArrayList<>();
    int characters = 0;
    for (MessageDao.Insert row : rows) {
      if (statement.size() == ROWS_PER_STATEMENT
          || (!statement.isEmpty()
              && characters + row.content().length() > CHARACTERS_PER_STATEMENT)) {
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
