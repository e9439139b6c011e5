package io.memorygateway.search;

import io.memorygateway.memory.rows.Identifier;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.ThreadDao;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** SQL by which search reads threads, and the messages of hits. */
final class SearchStatements {
  private static final String SCOPE =
      """
      SELECT h.thread_id, h.public_id, h.base_seq, h.next_seq, h.message_count, h.stored_bytes, h.version, h.resource_id
      FROM thread_heads h WHERE\s"""
          + ThreadDao.HAS_THREAD;

  private static final String THREAD = SCOPE + "AND h.project_id = ? AND h.public_id = ?";

  private static final String RESOURCE =
      SCOPE + "AND h.project_id = ? AND h.resource_id = ? ORDER BY h.updated_at DESC LIMIT ?";

  private SearchStatements() {}

  /** The position of a message. */
  record Position(long thread, long seq) {}

  /** Reads a thread by its id, if it belongs to the resource. */
  static Optional<ThreadScope> thread(
      Connection connection, long projectId, String threadId, @Nullable String resourceId)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(THREAD)) {
      statement.setLong(1, projectId);
      statement.setBytes(2, threadId.getBytes(StandardCharsets.UTF_8));
      try (ResultSet row = statement.executeQuery()) {
        boolean found =
            row.next()
                && (resourceId == null || resourceId.equals(Identifier.ofBytes(row.getBytes(8))));
        return found ? Optional.of(scope(row)) : Optional.empty();
      }
    }
  }

  /** Reads the threads of a resource, those that changed last first. */
  static List<ThreadScope> resource(
      Connection connection, long projectId, String resourceId, int limit) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(RESOURCE)) {
      statement.setLong(1, projectId);
      statement.setBytes(2, resourceId.getBytes(StandardCharsets.UTF_8));
      statement.setInt(3, limit);
      List<ThreadScope> threads = new ArrayList<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          threads.add(scope(row));
        }
      }
      return threads;
    }
  }

  private static ThreadScope scope(ResultSet row) throws SQLException {
    return new ThreadScope(
        row.getLong(1),
        Identifier.ofBytes(row.getBytes(2)),
        row.getLong(3),
        row.getLong(4),
        row.getLong(5),
        row.getLong(6),
        row.getLong(7));
  }

  /** Reads the sizes of the contents of messages, in bytes; deleted ones are missing. */
  static Map<Position, Long> sizes(Connection connection, Map<Long, SortedSet<Long>> seqs)
      throws SQLException {
    String sql = "SELECT m.thread_id, m.seq, m.content_bytes FROM messages m WHERE " + places(seqs);
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, seqs);
      Map<Position, Long> sizes = new HashMap<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          sizes.put(new Position(row.getLong(1), row.getLong(2)), row.getLong(3));
        }
      }
      return sizes;
    }
  }

  /**
   * A message to be shown.
   *
   * @param title of its thread
   */
  record Row(MessageRow message, @Nullable String title) {}

  /** Reads messages, by position. */
  static Map<Position, Row> rows(Connection connection, Map<Long, SortedSet<Long>> seqs)
      throws SQLException {
    String sql =
        "SELECT "
            + MessageRow.COLUMNS
            + ", m.thread_id, t.title FROM messages m JOIN threads t ON t.id = m.thread_id WHERE "
            + places(seqs);
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, seqs);
      Map<Position, Row> rows = new HashMap<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          MessageRow message = MessageRow.of(row);
          rows.put(
              new Position(row.getLong(9), message.seq()), new Row(message, row.getString(10)));
        }
      }
      return rows;
    }
  }

  /** The condition for messages {@code m} at some seqs of some threads. */
  private static String places(Map<Long, SortedSet<Long>> seqs) {
    List<String> conditions = new ArrayList<>();
    for (SortedSet<Long> own : seqs.values()) {
      String places = String.join(",", Collections.nCopies(own.size(), "?"));
      conditions.add("m.thread_id = ? AND m.seq IN (" + places + ")");
    }
    return String.join(" OR ", conditions);
  }

  private static void bind(PreparedStatement statement, Map<Long, SortedSet<Long>> seqs)
      throws SQLException {
    int parameter = 1;
    for (Map.Entry<Long, SortedSet<Long>> thread : seqs.entrySet()) {
      statement.setLong(parameter++, thread.getKey());
      for (long seq : thread.getValue()) {
        statement.setLong(parameter++, seq);
      }
    }
  }
}
