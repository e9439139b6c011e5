package io.memorygateway.memory;

import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.database.Deadline;
import io.memorygateway.http.ApiException;
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
 * What a transaction of {@link Appends} does for several callers, under the locks of the threads
 * that it found free.
 */
final class AppendBatch {
  private final Threads threads;
  private final List<Append> appends;
  private final Instant now;
  private final Map<Long, ThreadHead> heads;
  private final List<MessageDao.Insert> rows = new ArrayList<>();
  private final List<IdempotencyClaim.WithResponse> responses = new ArrayList<>();
  private final List<Messages.@Nullable Appended> appended = new ArrayList<>();

  private AppendBatch(Threads threads, List<Append> appends, Map<Long, ThreadHead> heads) {
    this.threads = threads;
    this.appends = appends;
    this.heads = heads;
    this.now = threads.now();
  }

  /** Messages for a thread, and what came of it; nothing, if they are to be stored alone. */
  static final class Append {
    final long thread;
    private final List<String> given;
    final List<NewMessage> batch;
    private final @Nullable PendingResponse response;
    final Deadline deadline;
    Messages.@Nullable Appended appended;

    /** Whether it may be stored although nothing came of it: its commit was not answered. */
    boolean uncertain;

    /**
     * Nothing came of it yet.
     *
     * @param given those ids that may be there already
     * @param batch with ids and times
     * @param response stored with the messages
     * @param deadline of the write, which is done alone if nothing comes of it here
     */
    Append(
        long thread,
        List<String> given,
        List<NewMessage> batch,
        @Nullable PendingResponse response,
        Deadline deadline) {
      this.thread = thread;
      this.given = given;
      this.batch = batch;
      this.response = response;
      this.deadline = deadline;
    }
  }

  /** Locks the threads that are free, and tells what can be stored; nothing is stored yet. */
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

  /** Ids of clients that are there already; to find them is cheaper than to fail over them. */
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

  /** Keys that are there already, likewise. */
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
   * Takes up what is to be done for a caller, if it can be done here.
   *
   * @param taken ids of the thread's messages
   */
  private void add(Append append, Set<String> taken, Set<IdempotencyClaim.Key> used) {
    boolean isKnown =
        append.given.stream().anyMatch(taken::contains)
            || (append.response != null && !used.add(append.response.claim().key()));
    MessagePlan plan = isKnown ? null : plan(heads.get(append.thread), append.batch);
    appended.add(plan == null ? null : plan.appended());
    if (plan == null) {
      return;
    }
    taken.addAll(append.given);
    heads.put(append.thread, plan.thread());
    rows.addAll(plan.inserts());
    if (append.response != null) {
      responses.add(
          new IdempotencyClaim.WithResponse(
              append.response.claim(), append.response.content(plan.appended())));
    }
  }

  private @Nullable MessagePlan plan(@Nullable ThreadHead head, List<NewMessage> batch) {
    try {
      return head == null ? null : MessagePlan.of(head, batch, Map.of(), now, threads::newId);
    } catch (ApiException e) {
      return null; // its caller is told why when it is stored alone
    }
  }

  /** Stores it, and tells the callers; false if there is nothing to commit. */
  boolean commit(AppendStatements statements) throws SQLException {
    if (rows.isEmpty()) {
      return false;
    }
    List<ThreadHead> advanced =
        rows.stream().map(MessageDao.Insert::threadId).distinct().map(heads::get).toList();
    statements.requestObservation(advanced);
    try {
      statements.commit(rows, advanced, responses, now);
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
}
