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
 * The statements of {@link Appends}, which run for many callers at a time, by hand: to bind lists
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

  /** What {@link #ADVANCE} sets, in its order. */
  private static final List<ToLongFunction<ThreadHead>> ADVANCED =
      List.of(
          ThreadHead::nextSeq, ThreadHead::nextSeq, ThreadHead::storedBytes, ThreadHead::version);

  private final Connection connection;

  AppendStatements(Connection connection) {
    this.connection = connection;
  }

  /** Locks the heads of threads, of those that nobody else holds at the moment. */
  Map<Long, ThreadHead> lockFree(Collection<Long> threads) throws SQLException {
    String sql =
        ThreadDao.HEADS
            + "WHERE thread_id IN ("
            + places(threads.size())
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

  /** Tells the observer of those threads that have come to what it waits for. */
  void requestObservation(Collection<ThreadHead> heads) throws SQLException {
    ObservationJobs.request(
        connection, heads.stream().filter(ThreadHead::isToBeObserved).map(ThreadHead::id).toList());
  }

  /**
   * Which of the ids that clients gave are there already.
   *
   * @param given ids by thread
   */
  Map<Long, Set<String>> known(Map<Long, List<String>> given) throws SQLException {
    List<String> conditions = new ArrayList<>();
    given
        .values()
        .forEach(
            ids -> conditions.add("(thread_id = ? AND public_id IN (" + places(ids.size()) + "))"));
    String sql =
        "SELECT thread_id, public_id FROM messages WHERE " + String.join(" OR ", conditions);
    Map<Long, Set<String>> known = new HashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int place = 1;
      for (Map.Entry<Long, List<String>> thread : given.entrySet()) {
        statement.setLong(place++, thread.getKey());
        for (String id : thread.getValue()) {
          statement.setString(place++, id);
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

  /** Which of the keys have been used; not those that somebody else is just using. */
  Set<IdempotencyClaim.Key> used(Collection<IdempotencyClaim.Key> keys) throws SQLException {
    String sql =
        "SELECT project_id, LOWER(HEX(key_hash)) FROM idempotency_keys WHERE "
            + String.join(
                " OR ", Collections.nCopies(keys.size(), "project_id = ? AND key_hash = UNHEX(?)"));
    Set<IdempotencyClaim.Key> used = new HashSet<>();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int place = 1;
      for (IdempotencyClaim.Key key : keys) {
        statement.setLong(place++, key.projectId());
        statement.setString(place++, key.hash());
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
   * Stores rows, writes the heads of their threads, keeps answers for those who ask again, and
   * commits, in one round trip; callers see to the size of the text. It depends on nothing but how
   * many there are of each, so that the driver, which keeps what it has parsed, finds it again.
   *
   * @param heads of the threads at whose ends rows are stored, as they are afterwards
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
      int place = 1;
      for (MessageDao.Insert row : rows) {
        statement.setLong(place++, row.threadId());
        statement.setLong(place++, row.seq());
        statement.setString(place++, row.publicId());
        statement.setString(place++, row.role());
        statement.setString(place++, row.type());
        statement.setString(place++, row.content());
        statement.setTimestamp(place++, Timestamp.from(row.createdAt()));
        statement.setBoolean(place++, row.incomplete());
        statement.setLong(place++, row.contentBytes());
      }
      for (IdempotencyClaim.WithResponse claimed : responses) {
        StoredResponse.Content response = claimed.response();
        statement.setLong(place++, claimed.claim().key().projectId());
        statement.setString(place++, claimed.claim().key().hash());
        statement.setString(place++, claimed.claim().requestHash());
        statement.setInt(place++, response.status());
        statement.setObject(place++, response.threadId());
        statement.setString(place++, response.body());
        statement.setString(place++, response.messageSeqs());
        statement.setObject(place++, response.threadVersion());
        statement.setTimestamp(place++, Timestamp.from(now));
      }
      List<Long> ids = values(heads, ThreadHead::id);
      for (ToLongFunction<ThreadHead> column : ADVANCED) {
        place = bind(statement, place, ids);
        place = bind(statement, place, values(heads, column));
      }
      statement.setTimestamp(place++, Timestamp.from(now));
      bind(statement, place, ids);
      statement.execute();
    }
  }

  private static String advance(int heads) {
    String places = places(heads);
    // The value of a row's own thread.
    String chosen = "ELT(FIELD(thread_id, " + places + "), " + places + ")";
    return ADVANCE.formatted(chosen, places);
  }

  private static List<Long> values(List<ThreadHead> heads, ToLongFunction<ThreadHead> of) {
    return heads.stream().map(of::applyAsLong).toList();
  }

  /** The id of a thread; nothing, if there is none. */
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

  private static String places(int count) {
    return list("?", count);
  }

  private static String list(String element, int count) {
    return element + ("," + element).repeat(count - 1);
  }

  private static int bind(PreparedStatement statement, int first, Collection<Long> values)
      throws SQLException {
    int place = first;
    for (long value : values) {
      statement.setLong(place++, value);
    }
    return place;
  }
}
