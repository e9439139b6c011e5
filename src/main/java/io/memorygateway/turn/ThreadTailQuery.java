package io.memorygateway.turn;

import io.memorygateway.database.Home;
import io.memorygateway.memory.rows.Identifier;
import io.memorygateway.memory.rows.LastCall;
import io.memorygateway.memory.rows.ThreadDao;
import io.memorygateway.memory.rows.ThreadName;
import io.memorygateway.observation.ContextConfig;
import io.memorygateway.observation.ContextNotes;
import io.memorygateway.observation.ContextSettings;
import io.memorygateway.observation.ThreadConfig;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The queries that read the tails of threads for turns, a bounded number of bytes at a time. */
final class ThreadTailQuery {
  /** Messages whose contents are read by the first query, if each is small enough. */
  private static final int FIRST_PAGE = 128;

  private static final int MAX_INLINE_BYTES = 16 << 10;

  /** Messages of which only the sizes are read. */
  private static final int SIZES_PER_PAGE = 4096;

  /**
   * Messages that are counted one by one; of more, the number is derived from seqs and deletions.
   */
  private static final int MAX_COUNTED_MESSAGES = 10_000;

  /** Messages of one row of {@code message_gaps}. */
  private static final long GAP_BLOCK = 512;

  /** What is read of a thread, without its record. */
  private static final String HEAD =
      """
      s.current_task, s.suggested_continuation,
      %s,
      s.message_tokens, s.observation_tokens, s.recall_tokens, s.recall_scope, s.time_marks, s.time_zone,
      %s,
      """
          + LastCall.COLUMNS
          + ", %s FROM thread_heads h JOIN threads t ON t.id = h.thread_id\n";

  private static final String NAMED =
      "WHERE h.project_id = ? AND h.public_id = ? AND h.thread_id BETWEEN ? AND ?\n";

  /**
   * One statement, so that the observations and the seq up to which they reach are consistent: the
   * thread with its newest record, then without. To join the newest record, if any, takes a
   * subquery that engines with shards refuse, or reads all of them. Whoever has a record has a
   * state. Of a log that is too large to go upstream, only the end is read.
   */
  private static final String THREAD =
      """
      (SELECT h.thread_id, h.resource_id, h.next_seq, h.version, s.observed_seq,
             RIGHT(r.observations, ? * (COALESCE(s.observation_tokens, ?)
               + (COALESCE(s.message_tokens, ?) + COALESCE(s.observation_tokens, ?)) DIV 10)),
      """
          + HEAD.formatted(
              "CHAR_LENGTH(r.observations), r.observation_tokens",
              "GREATEST(t.created_at, r.created_at, COALESCE(r.last_observed_at, r.created_at))",
              "r.generation")
          + """
      JOIN observation_states s ON s.thread_id = h.thread_id
      JOIN observation_records r ON r.thread_id = h.thread_id
      """
          + NAMED
          + """
      ORDER BY r.generation DESC LIMIT 1)
      UNION ALL
      (SELECT h.thread_id, h.resource_id, h.next_seq, h.version, COALESCE(s.observed_seq, -1), NULL,
      """
          + HEAD.formatted("0, 0", "t.created_at", "-1")
          + "LEFT JOIN observation_states s ON s.thread_id = h.thread_id\n"
          + NAMED
          + ") LIMIT 1";

  /** Larger contents are left out: heap has to be reserved before they are read. */
  private static final String MESSAGES =
      """
      SELECT m.seq, m.role, m.type, m.incomplete, OCTET_LENGTH(m.content),
             IF(OCTET_LENGTH(m.content) <= ?, m.content, NULL), m.created_at, m.tokens, m.superseded
      FROM messages m
      WHERE m.thread_id = ? AND m.seq < ? ORDER BY m.seq DESC LIMIT ?
      """;

  private static final String CONTENTS =
      """
      SELECT m.seq, m.content FROM messages m
      WHERE m.thread_id = ? AND m.seq >= ? AND m.seq <= ?
      """;

  private static final String COUNT =
      """
      SELECT COUNT(*) FROM (SELECT 1 FROM messages m
      WHERE m.thread_id = ? AND m.seq > ? AND m.seq < ? AND m.superseded = 0 LIMIT ?) counted
      """;

  private static final String DELETED =
      """
      SELECT COALESCE(SUM(deleted), 0) FROM message_gaps
      WHERE thread_id = ? AND block >= ? AND block < ?
      """;

  private ThreadTailQuery() {}

  /**
   * Reads the thread as it is now, without large contents; empty if it does not exist.
   *
   * @param projectName of the thread's project
   */
  static Optional<TailOutline> run(
      Connection connection, ThreadName name, String projectName, ContextSettings settings)
      throws SQLException {
    ContextConfig defaults = settings.of(projectName, ThreadConfig.NONE);
    try (PreparedStatement statement = connection.prepareStatement(THREAD)) {
      statement.setInt(1, ContextNotes.MAX_CHARACTERS_PER_TOKEN);
      statement.setInt(2, defaults.observationTokens());
      statement.setInt(3, defaults.messageTokens());
      statement.setInt(4, defaults.observationTokens());
      Home home = Home.of(name.projectId());
      for (int at = 5; at <= 9; at += 4) {
        statement.setLong(at, name.projectId());
        statement.setString(at + 1, name.threadId());
        statement.setLong(at + 2, home.first());
        statement.setLong(at + 3, home.last());
      }
      ResultSet row = statement.executeQuery();
      boolean isThere = row.next();
      if (isThere && row.getLong(22) < 0 && row.getLong(5) >= 0) {
        // Engines with shards may read both parts at the same time: a record has just come.
        row = statement.executeQuery();
        isThere = row.next();
      }
      return isThere
          ? Optional.of(
              outline(
                  connection,
                  row,
                  settings.of(projectName, own(row)),
                  new KnownQuery(
                      name.projectId(),
                      Identifier.ofBytes(row.getBytes(2)),
                      settings.resourceTokens(projectName))))
          : Optional.empty();
    }
  }

  private static ThreadConfig own(ResultSet row) throws SQLException {
    return new ThreadConfig(
        integer(row, 11),
        integer(row, 12),
        integer(row, 13),
        row.getString(14),
        row.getObject(15) == null ? null : Boolean.valueOf(row.getInt(15) != 0),
        row.getString(16));
  }

  private static @Nullable Integer integer(ResultSet row, int column) throws SQLException {
    int value = row.getInt(column);
    return row.wasNull() ? null : Integer.valueOf(value);
  }

  private static TailOutline outline(
      Connection connection, ResultSet row, ContextConfig config, KnownQuery query)
      throws SQLException {
    long thread = row.getLong(1);
    long next = row.getLong(3);
    long observed = row.getLong(5);
    ContextNotes notes =
        ContextNotes.of(
            log(row), row.getString(7), row.getString(8), config.maxObservationTokens());
    KnownQuery.Known known =
        query.isOff(config)
            ? null
            : query.read(connection, thread, row.getObject(17, LocalDateTime.class));
    // Messages stored meanwhile are left out; they change the version.
    TailOutline outline =
        new TailOutline(
            new TailHead(
                thread,
                query.resourceId(),
                row.getLong(4),
                known == null ? null : known.oldest(),
                LastCall.of(row, 18)),
            config,
            known == null ? notes : known.addTo(notes, config),
            observed);
    boolean more = addPage(connection, outline, next, FIRST_PAGE, MAX_INLINE_BYTES);
    while (more && !outline.isEnough()) {
      more = addPage(connection, outline, outline.oldest(), SIZES_PER_PAGE, -1);
    }
    if (outline.isCut()) {
      outline.elided(count(connection, thread, observed, outline.firstSent()));
    }
    return outline;
  }

  private static ContextNotes.@Nullable LogEnd log(ResultSet row) throws SQLException {
    String end = row.getString(6);
    return end == null
        ? null
        : new ContextNotes.LogEnd(
            end, row.getLong(9) - end.codePointCount(0, end.length()), row.getLong(10));
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
              new TailRow(
                  rows.getLong(1),
                  rows.getString(2),
                  rows.getString(3),
                  rows.getObject(7, LocalDateTime.class).toInstant(ZoneOffset.UTC),
                  rows.getBoolean(4),
                  rows.getBoolean(9),
                  integer(rows, 8),
                  rows.getLong(5),
                  rows.getString(6)));
        }
      }
      return count == limit;
    }
  }

  /**
   * Counts the messages between two seqs. If there are very many, those in the middle are not read:
   * superseded ones among them count too.
   */
  private static long count(Connection connection, long thread, long after, long before)
      throws SQLException {
    if (before - after <= MAX_COUNTED_MESSAGES) {
      return counted(connection, thread, after, before);
    }
    long firstBlock = (after + GAP_BLOCK) / GAP_BLOCK;
    long lastBlock = before / GAP_BLOCK;
    long deleted;
    try (PreparedStatement statement = connection.prepareStatement(DELETED)) {
      statement.setLong(1, thread);
      statement.setLong(2, firstBlock);
      statement.setLong(3, lastBlock);
      try (ResultSet row = statement.executeQuery()) {
        deleted = row.next() ? row.getLong(1) : 0;
      }
    }
    return counted(connection, thread, after, firstBlock * GAP_BLOCK)
        + (lastBlock - firstBlock) * GAP_BLOCK
        - deleted
        + counted(connection, thread, lastBlock * GAP_BLOCK - 1, before);
  }

  private static long counted(Connection connection, long thread, long after, long before)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(COUNT)) {
      statement.setLong(1, thread);
      statement.setLong(2, after);
      statement.setLong(3, before);
      statement.setInt(4, MAX_COUNTED_MESSAGES);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? row.getLong(1) : 0;
      }
    }
  }

  /** Reads the contents of messages in a range, by seq; deleted ones are missing. */
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

  /**
   * Reads the states of threads of a home; deleted ones are missing.
   *
   * @param resources where what is known of a resource counts, by threads
   */
  static Map<Long, TailHead.State> states(
      Connection connection, Set<Long> threads, Map<Long, KnownQuery.Resource> resources)
      throws SQLException {
    List<KnownQuery.Resource> distinct = resources.values().stream().distinct().toList();
    String sql =
        "SELECT h.thread_id, h.version, '' FROM thread_heads h WHERE "
            + ThreadDao.HAS_THREAD
            + "AND h.thread_id IN (?"
            + ",?".repeat(threads.size() - 1)
            + ")"
            + KnownQuery.AND_OLDEST.repeat(distinct.size());
    Map<Long, Long> versions = new HashMap<>();
    String[] oldest = new String[distinct.size()];
    Arrays.fill(oldest, "");
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int index = 1;
      for (long thread : threads) {
        statement.setLong(index++, thread);
      }
      for (int i = 0; i < oldest.length; i++) {
        statement.setInt(index++, i);
        statement.setLong(index++, distinct.get(i).projectId());
        statement.setString(index++, distinct.get(i).id());
      }
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          if (rows.getLong(1) > 0) {
            versions.put(rows.getLong(1), rows.getLong(2));
          } else {
            oldest[rows.getInt(2)] = rows.getString(3);
          }
        }
      }
    }
    Map<Long, TailHead.State> states = new HashMap<>();
    versions.forEach(
        (thread, version) -> {
          int at = distinct.indexOf(resources.get(thread));
          states.put(thread, new TailHead.State(version, at < 0 ? "" : oldest[at]));
        });
    return states;
  }
}
