package io.memorygateway.memory;

import io.memorygateway.observation.ObservationJobs;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * SQL statements of {@link Appends}, each for many callers at a time. In plain JDBC: binding lists
 * by name would cost more than all the rest.
 */
final class AppendStatements {
  private static final String ROW = "(?,?,?,?,?,?,?,?,?)";
  private static final String CLAIM =
      """
      INSERT INTO idempotency_keys (project_id, key_hash, request_hash, status, thread_id, body, message_seqs, thread_version,
                                    created_at)
      VALUES\s""";
  private static final String CLAIMED = "(?,UNHEX(?),UNHEX(?),?,?,?,?,?,?)";
  private static final String ADVANCE =
      """
      UPDATE thread_heads SET message_count = message_count + CAST(%1$s AS SIGNED) - next_seq, next_seq = %1$s,
        stored_bytes = %1$s, version = %1$s, updated_at = GREATEST(updated_at, ?) WHERE thread_id IN (%2$s)""";

  /** Values of the parameters of {@link #ADVANCE}, in its order. */
  private static final List<ToLongFunction<ThreadHead>> ADVANCED =
      List.of(
          ThreadHead::nextSeq, ThreadHead::nextSeq, ThreadHead::storedBytes, ThreadHead::version);

  private final Connection connection;

  AppendStatements(Connection connection) {
    this.connection = connection;
  }

  /** Locks the heads of threads, skipping those that another transaction has locked. */
  Map<Long, ThreadHead> lockFree(Collection<Long> threads) throws SQLException {
    String sql =
        ThreadDao.HEADS
            + "WHERE thread_id IN ("
            + placeholders(threads.size())
            + ") FOR UPDATE SKIP LOCKED";
    Map<Long, ThreadHead> heads = new HashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, 1, threads);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          ThreadHead head = ThreadHead.of(rows);
          heads.put(head.id(), head);
        }
      }
    }
    return heads;
  }

  /** Requests observation of the threads that have reached the observer's threshold. */
  void requestObservation(Collection<ThreadHead> heads) throws SQLException {
    ObservationJobs.request(
        connection, heads.stream().filter(ThreadHead::isToBeObserved).map(ThreadHead::id).toList());
  }

  /**
   * Returns the ids given by clients that exist already.
   *
   * @param given ids by {@code threads.id}
   */
  Map<Long, Set<String>> known(Map<Long, List<String>> given) throws SQLException {
    List<String> conditions = new ArrayList<>();
    given
        .values()
        .forEach(
            ids ->
                conditions.add(
                    "(thread_id = ? AND public_id IN (" + placeholders(ids.size()) + "))"));
    String sql =
        "SELECT thread_id, public_id FROM messages WHERE " + String.join(" OR ", conditions);
    Map<Long, Set<String>> known = new HashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int index = 1;
      for (Map.Entry<Long, List<String>> thread : given.entrySet()) {
        statement.setLong(index++, thread.getKey());
        for (String id : thread.getValue()) {
          statement.setString(index++, id);
        }
      }
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          known
              .computeIfAbsent(rows.getLong(1), thread -> new HashSet<>())
              .add(Identifier.ofBytes(rows.getBytes(2)));
        }
      }
    }
    return known;
  }

  /** Returns the keys that have been used, without those that another transaction is claiming. */
  Set<IdempotencyClaim.Key> used(Collection<IdempotencyClaim.Key> keys) throws SQLException {
    String sql =
        "SELECT project_id, LOWER(HEX(key_hash)) FROM idempotency_keys WHERE "
            + String.join(
                " OR ", Collections.nCopies(keys.size(), "project_id = ? AND key_hash = UNHEX(?)"));
    Set<IdempotencyClaim.Key> used = new HashSet<>();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int index = 1;
      for (IdempotencyClaim.Key key : keys) {
        statement.setLong(index++, key.projectId());
        statement.setString(index++, key.hash());
      }
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          used.add(new IdempotencyClaim.Key(rows.getLong(1), rows.getString(2)));
        }
      }
    }
    return used;
  }

  /**
   * Stores rows, updates the heads of their threads, stores responses for replays, and commits, in
   * one round trip. Callers bound the size of the text. The text depends only on the number of
   * each, so that the driver finds it in its cache of parsed statements.
   *
   * @param heads of the threads that rows are appended to, in their new state
   */
  void commit(
      List<MessageDao.Insert> rows,
      List<ThreadHead> heads,
      List<IdempotencyClaim.WithResponse> responses,
      Instant now)
      throws SQLException {
    String sql =
        MessageDao.INSERT
            + list(ROW, rows.size())
            + "; "
            + (responses.isEmpty() ? "" : CLAIM + list(CLAIMED, responses.size()) + "; ")
            + advance(heads.size())
            + "; COMMIT";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int index = 1;
      for (MessageDao.Insert row : rows) {
        statement.setLong(index++, row.threadId());
        statement.setLong(index++, row.seq());
        statement.setString(index++, row.publicId());
        statement.setString(index++, row.role());
        statement.setString(index++, row.type());
        statement.setString(index++, row.content());
        statement.setTimestamp(index++, Timestamp.from(row.createdAt()));
        statement.setBoolean(index++, row.incomplete());
        statement.setLong(index++, row.contentBytes());
      }
      for (IdempotencyClaim.WithResponse claimed : responses) {
        StoredResponse.Content response = claimed.response();
        statement.setLong(index++, claimed.claim().key().projectId());
        statement.setString(index++, claimed.claim().key().hash());
        statement.setString(index++, claimed.claim().requestHash());
        statement.setInt(index++, response.status());
        statement.setObject(index++, response.threadId());
        statement.setString(index++, response.body());
        statement.setString(index++, response.messageSeqs());
        statement.setObject(index++, response.threadVersion());
        statement.setTimestamp(index++, Timestamp.from(now));
      }
      List<Long> ids = values(heads, ThreadHead::id);
      for (ToLongFunction<ThreadHead> column : ADVANCED) {
        index = bind(statement, index, ids);
        index = bind(statement, index, values(heads, column));
      }
      statement.setTimestamp(index++, Timestamp.from(now));
      bind(statement, index, ids);
      statement.execute();
    }
  }

  private static String advance(int heads) {
    String placeholders = placeholders(heads);
    // Selects the value for the thread of each row.
    String chosen = "ELT(FIELD(thread_id, " + placeholders + "), " + placeholders + ")";
    return ADVANCE.formatted(chosen, placeholders);
  }

  private static List<Long> values(List<ThreadHead> heads, ToLongFunction<ThreadHead> of) {
    return heads.stream().map(of::applyAsLong).toList();
  }

  /** Finds {@code threads.id} by name; empty if there is no such thread. */
  Optional<Long> thread(ThreadName name) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT thread_id FROM thread_heads WHERE project_id = ? AND public_id = ?")) {
      statement.setLong(1, name.projectId());
      statement.setString(2, name.threadId());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? Optional.of(row.getLong(1)) : Optional.empty();
      }
    }
  }

  private static String placeholders(int count) {
    return list("?", count);
  }

  private static String list(String element, int count) {
    return element + ("," + element).repeat(count - 1);
  }

  private static int bind(PreparedStatement statement, int first, Collection<Long> values)
      throws SQLException {
    int index = first;
    for (long value : values) {
      statement.setLong(index++, value);
    }
    return index;
  }
}
