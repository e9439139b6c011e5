package io.memorygateway.turn;

import io.memorygateway.memory.Identifier;
import io.memorygateway.memory.MessageDao;
import io.memorygateway.memory.MessageRow;
import io.memorygateway.memory.ThreadName;
import io.memorygateway.observation.ObservationContext;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What turns read of threads, by hand. */
final class ThreadTailQuery {
  /** Messages that are compared with a call besides those that are not observed yet. */
  private static final int WITNESSES = 40;

  /** In one statement, so that what is observed and how far fit together. */
  private static final String THREAD =
      """
      SELECT h.thread_id, h.resource_id, h.next_seq, h.version, COALESCE(s.observed_seq, -1),
             r.observations, s.current_task, s.suggested_continuation
      FROM thread_heads h
      LEFT JOIN observation_states s ON s.thread_id = h.thread_id
      LEFT JOIN observation_records r ON r.thread_id = h.thread_id AND r.generation =
        (SELECT MAX(generation) FROM observation_records WHERE thread_id = h.thread_id)
      WHERE h.project_id = ? AND h.public_id = ?
      """;

  private static final String MESSAGES =
      MessageDao.ROW
          + "WHERE m.thread_id = ? AND m.seq >= ? AND m.seq < ? AND m.superseded = 0 ORDER BY m.seq";

  private ThreadTailQuery() {}

  /** The thread as it is now; nothing, if there is none. */
  static Optional<ThreadTails.Loaded> run(Connection connection, ThreadName name)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(THREAD)) {
      statement.setLong(1, name.projectId());
      statement.setString(2, name.threadId());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? Optional.of(loaded(connection, row)) : Optional.empty();
      }
    }
  }

  private static ThreadTails.Loaded loaded(Connection connection, ResultSet row)
      throws SQLException {
    long thread = row.getLong(1);
    long next = row.getLong(3);
    long observed = row.getLong(5);
    String observations =
        ObservationContext.of(row.getString(6), row.getString(7), row.getString(8));
    // What is stored meanwhile is left out, and makes the version another one.
    long from = Math.min(observed + 1, next - WITNESSES);
    return new ThreadTails.Loaded(
        thread,
        Identifier.ofBytes(row.getBytes(2)),
        row.getLong(4),
        ThreadTail.of(observations, messages(connection, thread, from, next), observed));
  }

  private static List<MessageRow> messages(Connection connection, long thread, long from, long to)
      throws SQLException {
    List<MessageRow> messages = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(MESSAGES)) {
      statement.setLong(1, thread);
      statement.setLong(2, from);
      statement.setLong(3, to);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          messages.add(MessageRow.of(rows));
        }
      }
    }
    return messages;
  }

  /** The versions of threads; those that are gone are left out. */
  static Map<Long, Long> versions(Connection connection, Collection<Long> threads)
      throws SQLException {
    String sql =
        "SELECT thread_id, version FROM thread_heads WHERE thread_id IN (?"
            + ",?".repeat(threads.size() - 1)
            + ")";
    Map<Long, Long> versions = new HashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int place = 1;
      for (long thread : threads) {
        statement.setLong(place++, thread);
      }
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          versions.put(rows.getLong(1), rows.getLong(2));
        }
      }
    }
    return versions;
  }
}
