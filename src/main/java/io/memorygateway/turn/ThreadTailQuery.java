package io.memorygateway.turn;

import io.memorygateway.memory.Identifier;
import io.memorygateway.memory.ThreadName;
import io.memorygateway.observation.ObservationContext;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The queries of turns for the tails of threads, a bounded number of bytes at a time. */
final class ThreadTailQuery {
  /** Messages whose contents are read along, if they are not larger than the next bound. */
  private static final int FIRST_PAGE = 128;

  private static final int MOST_READ_ALONG = 16 << 10;

  /** Messages of which only the sizes are read. */
  private static final int PAGE_OF_SIZES = 4096;

  /** Messages that are counted, at most. */
  private static final int MOST_COUNTED = 100_000;

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

  /** Larger contents are left out: room has to be made for them before they are read. */
  private static final String MESSAGES =
      """
      SELECT m.seq, m.role, m.type, m.incomplete, OCTET_LENGTH(m.content),
             IF(OCTET_LENGTH(m.content) <= ?, m.content, NULL)
      FROM messages m
      WHERE m.thread_id = ? AND m.seq < ? AND m.superseded = 0 ORDER BY m.seq DESC LIMIT ?
      """;

  private static final String CONTENTS =
      """
      SELECT m.seq, m.content FROM messages m
      WHERE m.thread_id = ? AND m.seq >= ? AND m.seq <= ? AND m.superseded = 0
      """;

  private static final String COUNT =
      """
      SELECT COUNT(*) FROM (SELECT 1 FROM messages m
      WHERE m.thread_id = ? AND m.seq > ? AND m.seq < ? AND m.superseded = 0 LIMIT ?) counted
      """;

  private ThreadTailQuery() {}

  /** The thread as it is now, larger contents left out; nothing, if there is none. */
  static Optional<TailOutline> run(Connection connection, ThreadName name) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(THREAD)) {
      statement.setLong(1, name.projectId());
      statement.setString(2, name.threadId());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? Optional.of(outline(connection, row)) : Optional.empty();
      }
    }
  }

  private static TailOutline outline(Connection connection, ResultSet row) throws SQLException {
    long thread = row.getLong(1);
    long next = row.getLong(3);
    long observed = row.getLong(5);
    // What is stored meanwhile is left out, and makes the version another one.
    TailOutline outline =
        new TailOutline(
            new ThreadTails.Head(thread, Identifier.ofBytes(row.getBytes(2)), row.getLong(4)),
            ObservationContext.of(row.getString(6), row.getString(7), row.getString(8)),
            observed);
    boolean more = addPage(connection, outline, next, FIRST_PAGE, MOST_READ_ALONG);
    while (more && !outline.isEnough()) {
      more = addPage(connection, outline, outline.oldest(), PAGE_OF_SIZES, -1);
    }
    if (outline.isCut()) {
      outline.elided(count(connection, thread, observed, outline.firstSent()));
    }
    return outline;
  }

  /** Adds older messages; false if there are no more. */
  private static boolean addPage(
      Connection connection, TailOutline outline, long before, int limit, int readAlong)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(MESSAGES)) {
      statement.setInt(1, readAlong);
      statement.setLong(2, outline.head().thread());
      statement.setLong(3, before);
      statement.setInt(4, limit);
      int count = 0;
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          count++;
          outline.add(
              new TailOutline.Row(
                  rows.getLong(1),
                  rows.getString(2),
                  rows.getString(3),
                  rows.getBoolean(4),
                  rows.getLong(5),
                  rows.getString(6)));
        }
      }
      return count == limit;
    }
  }

  private static long count(Connection connection, long thread, long after, long before)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(COUNT)) {
      statement.setLong(1, thread);
      statement.setLong(2, after);
      statement.setLong(3, before);
      statement.setInt(4, MOST_COUNTED);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? row.getLong(1) : 0;
      }
    }
  }

  /** The contents of messages by their seqs; those that are gone are left out. */
  static Map<Long, String> contents(Connection connection, long thread, long first, long last)
      throws SQLException {
    Map<Long, String> contents = new HashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(CONTENTS)) {
      statement.setLong(1, thread);
      statement.setLong(2, first);
      statement.setLong(3, last);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          contents.put(rows.getLong(1), rows.getString(2));
        }
      }
    }
    return contents;
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
