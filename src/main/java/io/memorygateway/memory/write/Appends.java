package io.memorygateway.memory.write;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.auth.Caller;
import io.memorygateway.concurrent.GroupCommit;
import io.memorygateway.database.ConnectionSource;
import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.database.Deadline;
import io.memorygateway.database.DedicatedConnection;
import io.memorygateway.database.Home;
import io.memorygateway.database.OutcomeUnknownException;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.replay.IdempotencyClaim;
import io.memorygateway.memory.replay.IdempotentWrites;
import io.memorygateway.memory.replay.MessageRevisions;
import io.memorygateway.memory.replay.PendingResponse;
import io.memorygateway.memory.replay.StoredResponse;
import io.memorygateway.memory.replay.WriteResult;
import io.memorygateway.memory.rows.Appended;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.NewMessage;
import io.memorygateway.memory.rows.ThreadHead;
import io.memorygateway.memory.rows.ThreadName;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends messages to threads, for the memory API and for turns.
 *
 * <p>Small appends of many callers share a transaction ({@link AppendBatch}): a commit, above all
 * its write to the disk, is paid once for all concurrent callers. The shared transaction neither
 * waits for a thread that is locked elsewhere nor reports errors. An append that it cannot do gets
 * a transaction of its own, with the same outcome, even after a commit whose acknowledgement was
 * lost: every message has its id beforehand, so it is found, or stored, under the lock of its
 * thread.
 */
public final class Appends {
  private static final Logger LOGGER = LoggerFactory.getLogger(Appends.class);

  /** The first one is used while it is quick: the larger a batch, the less an append costs. */
  private static final int CONNECTIONS = 2;

  /**
   * Time after which the next connection takes what comes while a batch is still stored: the disk,
   * the network or a lock is slow, so it pays to store batches side by side.
   */
  public static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final int MAX_BATCH = 64;

  /**
   * Largest append that is batched, in characters: {@link #MAX_BATCH} take 6 MiB at most, and what
   * is told of their answers 8.
   */
  private static final int MAX_BATCHED_CHARACTERS = 16 << 10;

  private static final int MAX_BATCHED_MESSAGES = 50;

  /** Heap bytes of the numbers of threads that are remembered: those of some 50,000. */
  private static final long KNOWN_BYTES = 16 << 20;

  private final Transactions transactions;
  private final Threads threads;
  private final Messages messages;
  private final IdempotentWrites writes;
  private final StorageLimit limit;
  private final ConnectionSource source;
  private final Queue<DedicatedConnection> connections = new ConcurrentLinkedQueue<>();
  private final Map<Home, List<GroupCommit<AppendBatch.Append>>> batches =
      new ConcurrentHashMap<>();
  private final Cache<ThreadName, Long> known =
      Caffeine.newBuilder()
          .maximumWeight(KNOWN_BYTES)
          .weigher((ThreadName name, Long thread) -> name.weight())
          .build();

  /**
   * Creates an appender that opens its connections when they are needed.
   *
   * @param source of dedicated connections
   */
  public Appends(
      Transactions transactions,
      Threads threads,
      Messages messages,
      IdempotentWrites writes,
      StorageLimit limit,
      ConnectionSource source) {
    this.transactions = transactions;
    this.threads = threads;
    this.messages = messages;
    this.writes = writes;
    this.limit = limit;
    this.source = source;
  }

  private GroupCommit<AppendBatch.Append> open() {
    DedicatedConnection own = new DedicatedConnection(source);
    connections.add(own);
    return new GroupCommit<>(MAX_BATCH, appends -> storeTogether(own, appends));
  }

  /**
   * Stores a turn at the end of its thread, its messages without others between them. When this
   * returns, they are durable.
   *
   * @param thread {@code threads.id}
   * @throws ApiException 404 if the thread is gone, also if its name belongs to another by now; 409
   *     if the Idempotency-Key has been used meanwhile; 503
   * @throws OutcomeUnknownException if the connection was lost at the commit, and the database
   *     cannot be asked for its outcome
   */
  public Appended append(Caller caller, String threadId, long thread, TurnWrite turn) {
    Deadline deadline = transactions.deadline();
    boolean uncertain = false;
    if (turn.onlyAdds() && isSmall(turn.messages())) {
      AppendBatch.Append append =
          new AppendBatch.Append(
              thread, List.of(), named(turn.messages()), turn, turn.answer(), deadline);
      together(append);
      if (append.appended != null) {
        return append.appended;
      }
      uncertain = append.uncertain;
    }
    return transactions.writeFinding(
        deadline, uncertain, handle -> alone(handle, caller, threadId, thread, turn));
  }

  private Appended alone(
      Handle handle, Caller caller, String threadId, long thread, TurnWrite asked) {
    ThreadHead head = messages.lock(handle, caller, threadId, thread);
    TurnWrite turn = messages.afterOthers(handle, head, asked);
    Appended appended = messages.append(handle, head, turn);
    boolean onlyMarks = turn.messages().isEmpty() && !turn.onlyAdds() && turn.complete();
    if (appended.found() == turn.messages().size() && !onlyMarks) {
      return appended; // by an attempt whose commit was not answered
    }
    messages.mark(handle, appended, turn);
    if (turn.answer() != null) {
      writes.store(handle, turn.answer(), appended);
    }
    return appended;
  }

  /**
   * Stores messages at the end of a thread, once for an Idempotency-Key. When this returns, they
   * are durable.
   *
   * @param claim null if the request has no key
   * @param heap called with the bytes of existing messages before they are read
   * @return the messages, in the order of the batch; of a replay, as they were
   * @throws ApiException 404 if the thread does not exist, or was deleted after the original
   *     request; 409 if an id or the key was used before; 413 if the storage limit would be
   *     exceeded; 503
   */
  public List<MessageRow> append(
      Caller caller,
      String threadId,
      List<NewMessage> batch,
      @Nullable IdempotencyClaim claim,
      LongConsumer heap) {
    try (StorageLimit.Hold storage = limit.open(caller.projectId(), bytesOf(batch))) {
      Attempt attempt = together(caller, threadId, batch, claim, storage);
      List<MessageRow> stored =
          attempt.appended() != null
              ? attempt.appended().messages()
              : writes.performRepeatable(
                  attempt.deadline(),
                  attempt.uncertain(),
                  claim,
                  handle -> {
                    Appended appended =
                        messages.append(
                            handle, caller, threadId, attempt.batch(), heap, storage::require);
                    return new WriteResult<>(
                        appended.messages(),
                        StoredResponse.Content.ofMessages(PendingResponse.CREATED, appended));
                  },
                  (handle, response) -> MessageRevisions.read(handle, response, heap));
      storage.stored();
      return stored;
    }
  }

  /**
   * Result of an attempt to store messages in a transaction shared with other callers.
   *
   * @param batch to be stored alone if this failed; each message has its id
   * @param appended durable; null if nothing was stored
   * @param uncertain whether they may be stored nevertheless, because the commit was not answered
   * @param deadline of the write, this attempt included
   */
  public record Attempt(
      List<NewMessage> batch, @Nullable Appended appended, boolean uncertain, Deadline deadline) {}

  /**
   * Tries to store messages in a transaction shared with other callers. That fails if the thread
   * does not exist or is locked, or if an id or the key has been used.
   *
   * @param claim of the write's Idempotency-Key, stored with the messages
   * @param storage hold of the write; if the messages do not fit, nothing is stored here
   */
  public Attempt together(
      Caller caller,
      String threadId,
      List<NewMessage> batch,
      @Nullable IdempotencyClaim claim,
      StorageLimit.Hold storage) {
    ThreadName name = ThreadName.of(caller, threadId);
    Deadline deadline = transactions.deadline();
    List<NewMessage> named = named(batch);
    Attempt attempt = new Attempt(named, null, false, deadline);
    Long thread = isSmall(batch) && storage.fits(bytesOf(batch)) ? id(name) : null;
    if (thread != null) {
      AppendBatch.Append append =
          new AppendBatch.Append(
              thread,
              batch.stream().map(NewMessage::id).filter(Objects::nonNull).toList(),
              named,
              null,
              PendingResponse.ofAppend(claim),
              deadline);
      together(append);
      attempt = new Attempt(named, append.appended, append.uncertain, deadline);
    }
    if (attempt.appended() == null) {
      // The thread may have been deleted, and its name given to another one.
      known.invalidate(name);
    }
    return attempt;
  }

  private void together(AppendBatch.Append append) {
    List<GroupCommit<AppendBatch.Append>> ofHome =
        batches.computeIfAbsent(
            Home.of(append.thread),
            home -> Stream.generate(this::open).limit(CONNECTIONS).toList());
    for (GroupCommit<AppendBatch.Append> batch : ofHome) {
      if (batch.roundNanos() < SLOW_NANOS) {
        batch.perform(append);
        return;
      }
    }
    ofHome.get((int) (append.thread % CONNECTIONS)).perform(append);
  }

  /** Gives messages ids and times, so that a second attempt finds what the first one stored. */
  private List<NewMessage> named(List<NewMessage> batch) {
    Instant now = threads.now();
    return batch.stream().map(message -> message.named(threads.newId(), now)).toList();
  }

  /** Caches the row id of a thread that has just been read. */
  public void isKnown(ThreadName name, long thread) {
    known.put(name, thread);
  }

  private @Nullable Long id(ThreadName name) {
    Long id = known.getIfPresent(name);
    if (id == null) {
      id =
          transactions
              .read(handle -> new AppendStatements(handle.getConnection()).thread(name))
              .orElse(null);
      if (id != null) {
        known.put(name, id);
      }
    }
    return id;
  }

  private static long bytesOf(List<NewMessage> batch) {
    return StorageLimit.bytesOf(batch.stream().map(NewMessage::content));
  }

  private static boolean isSmall(List<NewMessage> batch) {
    return batch.size() <= MAX_BATCHED_MESSAGES
        && batch.stream().mapToLong(message -> message.content().length()).sum()
            <= MAX_BATCHED_CHARACTERS;
  }

  /**
   * Stores the appends that can share a transaction; the callers of the others store theirs alone.
   */
  private void storeTogether(DedicatedConnection own, List<AppendBatch.Append> appends) {
    Connection connection =
        own.connection(Deadline.earliest(appends.stream().map(append -> append.deadline)));
    if (connection == null) {
      return;
    }
    AppendStatements statements = new AppendStatements(connection);
    boolean committed = false;
    try {
      committed = AppendBatch.plan(statements, threads, appends).commit(statements);
    } catch (SQLException e) {
      LOGGER.debug("Messages could not be stored together", e);
      if (DatabaseFailure.isTimeout(e)) {
        own.pause();
      }
    } finally {
      if (!committed) {
        own.rollBack();
      }
    }
  }

  public void close() {
    connections.forEach(DedicatedConnection::close);
  }
}
