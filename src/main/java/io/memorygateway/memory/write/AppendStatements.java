package io.memorygateway.memory.write;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.database.Home;
import io.memorygateway.database.SqlText;
import io.memorygateway.memory.replay.IdempotencyClaim;
import io.memorygateway.memory.replay.StoredResponse;
import io.memorygateway.memory.rows.Identifier;
import io.memorygateway.memory.rows.LastCall;
import io.memorygateway.memory.rows.MessageDao;
import io.memorygateway.memory.rows.ThreadDao;
import io.memorygateway.memory.rows.ThreadHead;
import io.memorygateway.memory.rows.ThreadName;
import io.memorygateway.observation.ObservationJobs;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * SQL statements of {@link Appends}, each for many callers at a time. In plain JDBC: binding lists
 * by name would cost more than all the rest.
 */
record AppendStatements(Connection connection) {
  private static final String CLAIM =
      """
      INSERT INTO idempotency_keys (project_id, key_hash, request_hash, status, thread_id, body, message_seqs, thread_version,
                                    created_at, body_bytes)
      VALUES\s""";

  /** Characters of the text for a message or a response besides its content, about. */
  private static final int ROW_LENGTH = 200;

  /**
   * A change of a thread's head by appends.
   *
   * @param before the head as it was locked
   */
  record Advance(ThreadHead before, ThreadHead after) {}

  /** Locks the heads of threads, skipping those that another transaction has locked. */
  Map<Long, ThreadHead> lockFree(Collection<Long> threads) throws SQLException {
    Map<Long, ThreadHead> heads = new HashMap<>();
    new SqlText(1_000)
        .sql(ThreadDao.HEADS)
        .sql("AND h.thread_id IN (")
        .numbers(threads)
        .sql(") FOR UPDATE SKIP LOCKED")
        .query(
            connection,
            row -> {
              ThreadHead head = ThreadHead.of(row);
              heads.put(head.id(), head);
            });
    return heads;
  }

  /**
   * Returns the ids given by clients that exist already.
   *
   * @param given ids by {@code threads.id}
   */
  Map<Long, Set<String>> known(Map<Long, List<String>> given) throws SQLException {
    Map<Long, Set<String>> known = new HashMap<>();
    new SqlText(1_000)
        .sql("SELECT thread_id, public_id FROM messages WHERE thread_id IN (")
        .numbers(given.keySet())
        .sql(") AND ")
        .any(
            given.entrySet(),
            (sql, thread) ->
                sql.sql("thread_id = ")
                    .number(thread.getKey())
                    .sql(" AND public_id IN (")
                    .list(thread.getValue(), (text, id) -> text.bytes(id.getBytes(UTF_8)))
                    .sql(")"))
        .query(
            connection,
            row ->
                known
                    .computeIfAbsent(row.getLong(1), thread -> new HashSet<>())
                    .add(Identifier.ofBytes(row.getBytes(2))));
    return known;
  }

  /** Returns the keys that have been used, without those that another transaction is claiming. */
  Set<IdempotencyClaim.Key> used(Collection<IdempotencyClaim.Key> keys) throws SQLException {
    Set<IdempotencyClaim.Key> used = new HashSet<>();
    new SqlText(1_000)
        .sql("SELECT project_id, LOWER(HEX(key_hash)) FROM idempotency_keys WHERE project_id IN (")
        .list(keys, (sql, key) -> sql.number(key.projectId()))
        .sql(") AND ")
        .any(
            keys,
            (sql, key) ->
                sql.sql("project_id = ")
                    .number(key.projectId())
                    .sql(" AND key_hash = ")
                    .hex(key.hash()))
        .query(
            connection,
            row -> used.add(new IdempotencyClaim.Key(row.getLong(1), row.getString(2))));
    return used;
  }

  /**
   * Stores rows, updates the heads of their threads, requests observation of those that have
   * reached the observer's threshold, stores responses for replays, and commits, in one round trip.
   * Callers bound the size of the text.
   *
   * <p>Galera may roll back the transaction between two statements of a text, in favour of another
   * node's, and still run the rest of it, in a new transaction; its error comes with the end. The
   * savepoint is gone then, and to release it fails before anything is committed.
   *
   * @param advances of the threads that rows are appended to
   */
  void commit(
      List<MessageDao.Insert> rows,
      List<Advance> advances,
      List<IdempotencyClaim.WithResponse> responses,
      Instant now)
      throws SQLException {
    SqlText sql = new SqlText(length(rows, responses));
    List<Long> observed =
        advances.stream()
            .map(Advance::after)
            .filter(ThreadHead::isToBeObserved)
            .map(ThreadHead::id)
            .toList();
    sql.sql("SAVEPOINT batch; ");
    if (!observed.isEmpty()) {
      ObservationJobs.request(sql, observed).sql("; ");
    }
    sql.sql(MessageDao.INSERT).list(rows, AppendStatements::add);
    if (!responses.isEmpty()) {
      sql.sql("; ").sql(CLAIM).list(responses, (text, response) -> add(text, response, now));
    }
    advance(sql.sql("; "), advances, now);
    sql.sql("; RELEASE SAVEPOINT batch; COMMIT").execute(connection);
  }

  private static int length(
      List<MessageDao.Insert> rows, List<IdempotencyClaim.WithResponse> responses) {
    int length = ROW_LENGTH * (2 + rows.size() + responses.size());
    for (MessageDao.Insert row : rows) {
      length += row.content().length();
    }
    return length;
  }

  private static void add(SqlText sql, MessageDao.Insert row) {
    sql.sql("(").number(row.threadId());
    sql.sql(",").number(row.seq());
    sql.sql(",").bytes(row.publicId().getBytes(UTF_8));
    sql.sql(",").string(row.role());
    sql.sql(",").string(row.type());
    sql.sql(",").string(row.content());
    sql.sql(",").time(row.createdAt());
    sql.sql(row.incomplete() ? ",1," : ",0,").number(row.contentBytes());
    sql.sql(",").number(row.tokens()).sql(")");
  }

  private static void add(SqlText sql, IdempotencyClaim.WithResponse claimed, Instant now) {
    IdempotencyClaim claim = claimed.claim();
    StoredResponse.Content response = claimed.response();
    sql.sql("(").number(claim.key().projectId());
    sql.sql(",").hex(claim.key().hash());
    sql.sql(",").hex(claim.requestHash());
    sql.sql(",").number(response.status());
    sql.sql(",").number(response.threadId());
    sql.sql(",").string(response.body());
    sql.sql(",").string(response.messageSeqs());
    sql.sql(",").number(response.threadVersion());
    sql.sql(",").time(now);
    sql.sql(",").number(response.bodyBytes()).sql(")");
  }

  private static void advance(SqlText sql, List<Advance> advances, Instant now) {
    sql.sql("UPDATE thread_heads SET next_seq = next_seq + ");
    sum(sql, advances, ThreadHead::nextSeq);
    sql.sql(", message_count = message_count + ");
    sum(sql, advances, ThreadHead::messageCount);
    sql.sql(", stored_bytes = stored_bytes + ");
    sum(sql, advances, ThreadHead::storedBytes);
    sql.sql(", version = version + ");
    sum(sql, advances, ThreadHead::version);
    calls(
        sql,
        advances.stream().map(Advance::after).filter(head -> head.lastCall() != null).toList());
    sql.sql(", updated_at = GREATEST(updated_at, ").time(now).sql(") WHERE thread_id IN (");
    sql.numbers(advances.stream().map(advance -> advance.after().id()).toList()).sql(")");
  }

  /** Appends the calls whose turns the threads end with; of others, what stands there says so. */
  private static void calls(SqlText sql, List<ThreadHead> called) {
    if (!called.isEmpty()) {
      call(sql, "call_state", called, call -> sql.number(call.broken() ? LastCall.NOT_AGAIN : 0));
      call(sql, "call_hash", called, call -> sql.hex(call.hash()));
      call(sql, "call_again", called, call -> sql.number(call.again() ? 1 : 0));
      call(sql, "call_answer", called, call -> sql.number(call.answer()));
      call(sql, "call_end", called, call -> sql.number(call.end()));
      call(sql, "call_told", called, call -> sql.string(call.told()));
    }
  }

  private static void call(
      SqlText sql, String column, List<ThreadHead> called, Consumer<LastCall> value) {
    sql.sql(", " + column + " = CASE thread_id");
    for (ThreadHead head : called) {
      sql.sql(" WHEN ").number(head.id()).sql(" THEN ");
      value.accept(Objects.requireNonNull(head.lastCall()));
    }
    sql.sql(" ELSE " + column + " END");
  }

  /** Appends what is added to a column: one number, or one for the thread of each row. */
  private static void sum(SqlText sql, List<Advance> advances, ToLongFunction<ThreadHead> column) {
    List<Long> added =
        advances.stream()
            .map(
                advance ->
                    column.applyAsLong(advance.after()) - column.applyAsLong(advance.before()))
            .toList();
    if (added.stream().distinct().count() == 1) {
      sql.number(added.get(0));
      return;
    }
    sql.sql("CASE thread_id");
    for (int i = 0; i < added.size(); i++) {
      sql.sql(" WHEN ").number(advances.get(i).after().id()).sql(" THEN ").number(added.get(i));
    }
    sql.sql(" END");
  }

  /** Finds {@code threads.id} by name; empty if there is no such thread. */
  Optional<Long> thread(ThreadName name) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT h.thread_id FROM thread_heads h WHERE h.project_id = ? AND h.public_id = ? AND "
                + "h.thread_id BETWEEN ? AND ? AND "
                + ThreadDao.HAS_THREAD)) {
      statement.setLong(1, name.projectId());
      statement.setString(2, name.threadId());
      Home home = Home.of(name.projectId());
      statement.setLong(3, home.first());
      statement.setLong(4, home.last());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? Optional.of(row.getLong(1)) : Optional.empty();
      }
    }
  }
}
