package io.memorygateway.memory;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.auth.Caller;
import io.memorygateway.concurrent.GroupCommit;
import io.memorygateway.database.ConnectionSource;
import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.database.Deadline;
import io.memorygateway.database.OutcomeUnknownException;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.ApiException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one way to append messages to threads, for the memory API and for turns.
 *
 * <p>Small appends of many callers share a transaction ({@link AppendBatch}): what a commit costs,
 * above all its write to the disk, is paid once for all who come at the same time. Nobody waits
 * there for a thread that is locked elsewhere, or is told what is wrong: what cannot be done
 * together is done in a transaction of its own, with the same outcome. That may be after a commit
 * whose acknowledgement was lost. Every message has its id before, so it is found, or stored, under
 * the lock of its thread.
 */
public final class Appends {
  private static final Logger LOGGER = LoggerFactory.getLogger(Appends.class);

  /** A few, so that one can be worked on while the disk is written for another. */
  private static final int CONNECTIONS = 2;

  private static final int MOST = 64;

  /** Characters; so many of the largest fit into one statement of 4 MiB. */
  private static final int LARGEST = 16 << 10;

  private static final int LONGEST = 50;

  /** The status of an answer to who has stored something. */
  static final int CREATED = 201;

  private static final int KNOWN_THREADS = 100_000;

  private final Transactions transactions;
  private final Threads threads;
  private final Messages messages;
  private final IdempotentWrites writes;
  private final StorageLimit limit;
  private final List<AppendConnection> connections = new ArrayList<>();
  private final List<GroupCommit<AppendBatch.Append>> batches = new ArrayList<>();
  private final Cache<ThreadName, Long> known =
      Caffeine.newBuilder().maximumSize(KNOWN_THREADS).build();

  /**
   * Opens no connection yet.
   *
   * @param source of connections that are not shared with others
   */
  Appends(
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
    for (int i = 0; i < CONNECTIONS; i++) {
      AppendConnection connection = new AppendConnection(source);
      connections.add(connection);
      batches.add(new GroupCommit<>(MOST, appends -> store(connection, appends)));
    }
  }

  /**
   * Stores a turn at the end of its thread; its messages stand together. When this returns, they
   * are durable.
   *
   * @param thread {@code threads.id}
   * @throws ApiException 404, 409 as {@link Messages#appendTo} and if the key has been used
   *     meanwhile, 503
   * @throws OutcomeUnknownException if the connection was lost at the commit, and the database
   *     cannot be asked what became of it
   */
  public Messages.Appended append(Caller caller, String threadId, long thread, TurnWrite turn) {
    Deadline deadline = transactions.deadline();
    boolean uncertain = false;
    if (turn.onlyAdds() && isSmall(turn.messages())) {
      List<String> known = turn.shared() == null ? List.of() : List.of(turn.shared());
      AppendBatch.Append append =
          new AppendBatch.Append(thread, known, named(turn.messages()), turn.answer(), deadline);
      together(append);
      if (append.appended != null) {
        return append.appended;
      }
      uncertain = append.uncertain;
    }
    return transactions.writeFinding(
        deadline, uncertain, handle -> alone(handle, caller, threadId, thread, turn));
  }

  private Messages.Appended alone(
      Handle handle, Caller caller, String threadId, long thread, TurnWrite turn) {
    Messages.Appended appended =
        messages.appendTo(handle, caller, threadId, thread, turn.messages());
    if (appended.found() == turn.messages().size()) {
      return appended; // by an attempt whose commit was not answered
    }
    // Where another attempt of the same call is found, this answer takes the place of that one's.
    Long question =
        appended.found() > 0
            ? Long.valueOf(appended.messages().get(appended.found() - 1).seq())
            : turn.question();
    messages.mark(handle, appended, question, turn.completed());
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
   * @param room is told how many bytes are read of messages that are there already
   * @return the messages, in the order of the batch; of a replay, as they were
   * @throws ApiException 404 if the thread is not there, or has been deleted since the request was
   *     made first; 409 if an id or the key was used before; 413 if there is no room; 503
   */
  public List<MessageRow> append(
      Caller caller,
      String threadId,
      List<NewMessage> batch,
      @Nullable IdempotencyClaim claim,
      LongConsumer room) {
    try (StorageLimit.Admission storage =
        limit.open(caller.projectId(), StorageLimit.bytesOf(batch))) {
      Attempt attempt = together(caller, threadId, batch, claim, storage);
      List<MessageRow> stored =
          attempt.appended() != null
              ? attempt.appended().messages()
              : writes.performRepeatable(
                  attempt.deadline(),
                  attempt.uncertain(),
                  claim,
                  handle -> {
                    Messages.Appended appended =
                        messages.append(
                            handle, caller, threadId, attempt.batch(), room, storage::require);
                    return new Written<>(
                        appended.messages(), StoredResponse.Content.ofMessages(CREATED, appended));
                  },
                  (handle, response) -> MessageRevisions.read(handle, response, room));
      storage.stored();
      return stored;
    }
  }

  /**
   * The outcome of storing messages together with those of others.
   *
   * @param batch to be stored alone if this failed; each message has its id
   * @param appended durable; null if nothing was stored
   * @param uncertain whether they may be stored all the same: the commit was not answered
   * @param deadline of the write, this attempt included
   */
  record Attempt(
      List<NewMessage> batch,
      Messages.@Nullable Appended appended,
      boolean uncertain,
      Deadline deadline) {}

  /**
   * Stores messages at the end of a thread with those of others, if that can be done: not with a
   * thread that is not there or locked, nor with an id or a key that has been used.
   *
   * @param claim of the write's Idempotency-Key, stored with the messages
   * @param storage asked for room; where there is none, nothing is stored here
   */
  Attempt together(
      Caller caller,
      String threadId,
      List<NewMessage> batch,
      @Nullable IdempotencyClaim claim,
      StorageLimit.Admission storage) {
    ThreadName name = ThreadName.of(caller, threadId);
    Deadline deadline = transactions.deadline();
    List<NewMessage> named = named(batch);
    Attempt attempt = new Attempt(named, null, false, deadline);
    Long thread = isSmall(batch) && storage.fits(StorageLimit.bytesOf(batch)) ? id(name) : null;
    if (thread != null) {
      AppendBatch.Append append =
          new AppendBatch.Append(
              thread,
              batch.stream().map(NewMessage::id).filter(Objects::nonNull).toList(),
              named,
              PendingResponse.ofAppend(claim),
              deadline);
      together(append);
      attempt = new Attempt(named, append.appended, append.uncertain, deadline);
    }
    if (attempt.appended() == null) {
      // Perhaps it was deleted, and another one has its name by now.
      known.invalidate(name);
    }
    return attempt;
  }

  private void together(AppendBatch.Append append) {
    batches.get((int) (append.thread % CONNECTIONS)).perform(append);
  }

  /** With ids and times, so that what is tried again is found. */
  private List<NewMessage> named(List<NewMessage> batch) {
    Instant now = threads.now();
    return batch.stream().map(message -> message.named(threads.newId(), now)).toList();
  }

  /** Tells of a thread that somebody has read. */
  public void isKnown(ThreadName name, long thread) {
    known.put(name, thread);
  }

  private @Nullable Long id(ThreadName name) {
    Long id = known.getIfPresent(name);
    if (id == null) {
      id =
          transactions
              .readOn(connection -> new AppendStatements(connection).thread(name))
              .orElse(null);
      if (id != null) {
        known.put(name, id);
      }
    }
    return id;
  }

  private static boolean isSmall(List<NewMessage> batch) {
    return batch.size() <= LONGEST
        && batch.stream().mapToLong(message -> message.content().length()).sum() <= LARGEST;
  }

  /** What is not stored together here, its callers store alone. */
  private void store(AppendConnection own, List<AppendBatch.Append> appends) {
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

  /** Closes the connections. */
  void close() {
    connections.forEach(AppendConnection::close);
  }
}
