package io.memorygateway.turn;

import io.memorygateway.database.Home;
import io.memorygateway.observation.ContextConfig;
import io.memorygateway.observation.ContextNotes;
import io.memorygateway.observation.RecallScope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;
import org.jspecify.annotations.Nullable;

/**
 * The query that reads what is known of a thread's resource. A thread stays with the record that
 * was the newest when the thread was made, or its own log changed last, where its prompt changes
 * anyway, so that prompt caches hold; once that record is deleted, it gets the oldest.
 *
 * @param tokens that are kept of a resource, at most
 */
record KnownQuery(long projectId, String resourceId, int tokens) {
  /** Continues a query of threads by a row of a number and the id of a resource's oldest record. */
  static final String AND_OLDEST =
      """

      UNION ALL (SELECT 0, ?, o.public_id FROM resource_records o
      WHERE o.project_id = ? AND o.resource_id = ? ORDER BY o.generation LIMIT 1)""";

  private static final String KNOWN =
      """
      SELECT (SELECT o.public_id FROM resource_records o
              WHERE o.project_id = ? AND o.resource_id = ? ORDER BY o.generation LIMIT 1),
             k.observations, k.generation
      FROM resource_records k WHERE k.project_id = ? AND k.resource_id = ?
      ORDER BY ? IS NULL OR k.created_at <= ? DESC, IF(? IS NULL OR k.created_at <= ?, -k.generation, k.generation)
      LIMIT 1
      """;

  /** Whether something of a record came from another thread. */
  private static final String OTHERS =
      """
      SELECT EXISTS (SELECT 1 FROM resource_sources s JOIN thread_heads h ON h.thread_id = s.thread_id
                     WHERE s.project_id = ? AND s.resource_id = ? AND s.thread_id BETWEEN ? AND ?
                     AND s.since <= ? AND s.thread_id <> ?)
      """;

  record Resource(long projectId, String id) {}

  /**
   * What is known.
   *
   * @param oldest id of the oldest record; empty for none
   */
  record Known(String oldest, String observations, int tokens) {
    /** Notes with what is known, if it fits. */
    ContextNotes addTo(ContextNotes notes, ContextConfig config) {
      return notes.knowing(observations, config.maxKnownTokens(tokens, notes.tokens()));
    }
  }

  /** Whether a thread of this configuration is told nothing. */
  boolean isOff(ContextConfig config) {
    return tokens == 0 || config.recallScope() == RecallScope.THREAD;
  }

  /**
   * What is known for a thread.
   *
   * @param thread {@code threads.id}
   * @param changed when the thread was made, or its log changed last; null: now
   */
  Known read(Connection connection, long thread, @Nullable LocalDateTime changed)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(KNOWN)) {
      for (int at = 1; at <= 4; at += 2) {
        statement.setLong(at, projectId);
        statement.setString(at + 1, resourceId);
      }
      for (int at = 5; at <= 8; at++) {
        statement.setObject(at, changed);
      }
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          return new Known("", "", tokens);
        }
        boolean tells = hasOthers(connection, thread, row.getInt(3));
        return new Known(row.getString(1), tells ? row.getString(2) : "", tokens);
      }
    }
  }

  private boolean hasOthers(Connection connection, long thread, int generation)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(OTHERS)) {
      Home home = Home.of(projectId);
      statement.setLong(1, projectId);
      statement.setString(2, resourceId);
      statement.setLong(3, home.first());
      statement.setLong(4, home.last());
      statement.setInt(5, generation);
      statement.setLong(6, thread);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    }
  }
}
