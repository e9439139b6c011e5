package io.memorygateway.memory.write;

import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.database.Deadline;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.memory.replay.IdempotencyClaim;
import io.memorygateway.memory.replay.PendingResponse;
import io.memorygateway.memory.rows.Appended;
import io.memorygateway.memory.rows.MessageDao;
import io.memorygateway.memory.rows.NewMessage;
import io.memorygateway.memory.rows.ThreadHead;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One transaction that stores the appends of several callers, formed by {@link Appends}. It takes
 * part only in threads that no other transaction has locked.
 */
final class AppendBatch {
  private final Threads threads;
  private final List<Append> appends;
  private final Instant now;
  private final Map<Long, ThreadHead> locked;
  private final Map<Long, ThreadHead> heads;
  private final List<MessageDao.Insert> rows = new ArrayList<>();
  private final List<IdempotencyClaim.WithResponse> responses = new ArrayList<>();
  private final List<@Nullable Appended> appended = new ArrayList<>();

  private AppendBatch(Threads threads, List<Append> appends, Map<Long, ThreadHead> locked) {
    this.threads = threads;
    this.appends = appends;
    this.locked = locked;
    this.heads = new HashMap<>(locked);
    this.now = threads.now();
  }

  /** An append to one thread, with its result: null if it has to be stored alone. */
  static final class Append {
    final long thread;
    private final List<String> given;
    final List<NewMessage> batch;
    private final @Nullable TurnWrite turn;
    private final @Nullable PendingResponse response;
    final Deadline deadline;
    @Nullable Appended appended;

    /** Whether the append may be stored although it has no result: its commit was not answered. */
    boolean uncertain;

    /**
     * @param given ids given by the client, which may exist already
     * @param batch messages with ids and times
     * @param turn that they are of; null if they are of none
     * @param response stored with the messages; null if there is none
     * @param deadline of the whole write, storing it alone included
     */
    Append(
        long thread,
        List<String> given,
        List<NewMessage> batch,
        @Nullable TurnWrite turn,
        @Nullable PendingResponse response,
        Deadline deadline) {
      this.thread = thread;
      this.given = given;
      this.batch = batch;
      this.turn = turn;
      this.response = response;
      this.deadline = deadline;
    }
  }

  /** Locks the threads that are free and plans what can be stored; writes nothing yet. */
  static AppendBatch plan(AppendStatements statements, Threads threads, List<Append> appends)
      throws SQLException {
    TreeSet<Long> ids = new TreeSet<>();
    appends.forEach(append -> ids.add(append.thread));
    AppendBatch round = new AppendBatch(threads, appends, statements.lockFree(ids));
    Map<Long, Set<String>> known = known(statements, appends);
    Set<IdempotencyClaim.Key> used = used(statements, appends);
    for (Append append : appends) {
      round.add(append, known.computeIfAbsent(append.thread, thread -> new HashSet<>()), used);
    }
    return round;
  }

  /** Ids given by clients that exist already; a look-up is cheaper than a failed insert. */
  private static Map<Long, Set<String>> known(AppendStatements statements, List<Append> appends)
      throws SQLException {
    Map<Long, List<String>> given = new HashMap<>();
    for (Append append : appends) {
      if (!append.given.isEmpty()) {
        given.computeIfAbsent(append.thread, key -> new ArrayList<>()).addAll(append.given);
      }
    }
    return given.isEmpty() ? new HashMap<>() : statements.known(given);
  }

  /** Idempotency-Keys that are used already; a look-up is cheaper than a failed insert. */
  private static Set<IdempotencyClaim.Key> used(AppendStatements statements, List<Append> appends)
      throws SQLException {
    List<IdempotencyClaim.Key> keys =
        appends.stream()
            .map(append -> append.response)
            .filter(Objects::nonNull)
            .map(response -> response.claim().key())
            .toList();
    return keys.isEmpty() ? new HashSet<>() : statements.used(keys);
  }

  /**
   * Adds an append to the batch, unless it has to be stored alone.
   *
   * @param taken ids that messages of the thread have already
   */
  private void add(Append append, Set<String> taken, Set<IdempotencyClaim.Key> used) {
    boolean isKnown =
        append.given.stream().anyMatch(taken::contains)
            || (append.response != null && !used.add(append.response.claim().key()));
    ThreadHead head = heads.get(append.thread);
    TurnCall call = append.turn == null ? null : append.turn.call();
    boolean isSecond = call != null && head != null && call.isOf(head.lastCall());
    ThreadHead before = locked.get(append.thread);
    boolean mayBeLeft =
        append.turn != null && before != null && append.turn.mayBeLeft(before.version());
    MessagePlan plan = isKnown || isSecond || mayBeLeft ? null : plan(head, append.batch);
    Appended stored = plan == null ? null : plan.appended(call);
    appended.add(stored);
    if (plan == null || stored == null) {
      return;
    }
    taken.addAll(append.given);
    heads.put(append.thread, stored.thread());
    rows.addAll(plan.inserts());
    if (append.response != null) {
      responses.add(
          new IdempotencyClaim.WithResponse(
              append.response.claim(), append.response.content(stored)));
    }
  }

  private @Nullable MessagePlan plan(@Nullable ThreadHead head, List<NewMessage> batch) {
    try {
      return head == null ? null : MessagePlan.of(head, batch, Map.of(), now, threads::newId);
    } catch (ApiException e) {
      return null; // storing it alone reports the error
    }
  }

  /** Stores the batch and sets the appends' results; false if there was nothing to commit. */
  boolean commit(AppendStatements statements) throws SQLException {
    if (rows.isEmpty()) {
      return false;
    }
    List<AppendStatements.Advance> advances =
        rows.stream().map(MessageDao.Insert::threadId).distinct().map(this::advance).toList();
    try {
      statements.commit(rows, advances, responses, now);
    } catch (SQLException e) {
      DatabaseFailure failure = DatabaseFailure.of(e);
      if (failure == DatabaseFailure.CONNECTION_LOST || failure == DatabaseFailure.UNAVAILABLE) {
        for (int i = 0; i < appends.size(); i++) {
          appends.get(i).uncertain = appended.get(i) != null;
        }
      }
      throw e;
    }
    for (int i = 0; i < appends.size(); i++) {
      appends.get(i).appended = appended.get(i);
    }
    return true;
  }

  private AppendStatements.Advance advance(long thread) {
    return new AppendStatements.Advance(
        Objects.requireNonNull(locked.get(thread)), Objects.requireNonNull(heads.get(thread)));
  }
}
