package io.memorygateway.turn;

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
  /** Expression of the id of the oldest record of the resource of a row {@code h}. */
  static final String OLDEST =
      """
      (SELECT o.public_id FROM resource_records o
       WHERE o.project_id = h.project_id AND o.resource_id = h.resource_id ORDER BY o.generation LIMIT 1)
      """;

  /** The record, unless all that is known came from the thread itself. */
  private static final String KNOWN =
      """
      SELECT (SELECT o.public_id FROM resource_records o
              WHERE o.project_id = k.project_id AND o.resource_id = k.resource_id ORDER BY o.generation LIMIT 1),
             IF(EXISTS (SELECT 1 FROM resource_sources s JOIN thread_heads h ON h.thread_id = s.thread_id
                        WHERE s.project_id = k.project_id AND s.resource_id = k.resource_id
                        AND s.since <= k.generation AND s.thread_id <> ?), k.observations, '')
      FROM resource_records k WHERE k.project_id = ? AND k.resource_id = ?
      ORDER BY ? IS NULL OR k.created_at <= ? DESC, IF(? IS NULL OR k.created_at <= ?, -k.generation, k.generation)
      LIMIT 1
      """;

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
      statement.setLong(1, thread);
      statement.setLong(2, projectId);
      statement.setString(3, resourceId);
      for (int at = 4; at <= 7; at++) {
        statement.setObject(at, changed);
      }
      try (ResultSet row = statement.executeQuery()) {
        return row.next()
            ? new Known(row.getString(1), row.getString(2), tokens)
            : new Known("", "", tokens);
      }
    }
  }
}
