package io.memorygateway.search;

import io.memorygateway.database.Home;
import io.memorygateway.database.RowPages;
import io.memorygateway.database.SqlText;
import io.memorygateway.memory.rows.Identifier;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.ThreadDao;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.ResultIterable;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** SQL by which search reads threads, and the messages of hits. */
final class SearchStatements {
  private static final String SCOPE =
      """
      SELECT h.thread_id, h.public_id, h.base_seq, h.next_seq, h.message_count, h.stored_bytes, h.version,
             h.updated_at
      FROM thread_heads h WHERE\s"""
          + ThreadDao.HAS_THREAD
          + "AND h.project_id = :project AND h.thread_id BETWEEN :first AND :last ";

  private static final String AND_SHARED =
      " AND COALESCE((SELECT s.recall_scope FROM observation_states s WHERE s.thread_id = h.thread_id), '') <> 'thread' ";

  /** Not by OFFSET: Vitess refuses more than 10,000 rows, and counts those that are passed over. */
  private static final String AND_BEHIND =
      " AND h.updated_at <= :time AND (h.updated_at < :time OR h.public_id > :name) ";

  /** Of messages first: the other way round, a whole thread may be read for a few of them. */
  private static final String ROWS =
      "SELECT "
          + MessageRow.COLUMNS
          + ", m.thread_id, t.title "
          + """
          FROM messages m STRAIGHT_JOIN thread_heads h ON h.thread_id = m.thread_id
          STRAIGHT_JOIN threads t ON t.id = m.thread_id
          LEFT JOIN observation_states s ON s.thread_id = m.thread_id
          WHERE m.content_bytes <=\s""";

  private SearchStatements() {}

  record Position(long thread, long seq) {}

  /** Reads a thread by its id, if it belongs to the resource. */
  static Optional<ThreadScope> thread(
      Handle handle, long projectId, String threadId, @Nullable String resourceId) {
    String sql = SCOPE + "AND h.public_id = :thread";
    Query query =
        handle
            .createQuery(resourceId == null ? sql : sql + " AND h.resource_id = :resource")
            .bind("thread", threadId.getBytes(StandardCharsets.UTF_8));
    if (resourceId != null) {
      query.bind("resource", resourceId.getBytes(StandardCharsets.UTF_8));
    }
    return scopes(query, projectId).findOne();
  }

  /** Reads the first threads of a resource, those that changed last first. */
  static List<ThreadScope> first(Handle handle, long projectId, String resourceId) {
    return resource(handle, "", projectId, resourceId, Instant.EPOCH, RowPages.ROWS, null);
  }

  /** Reads the same, as many as are wanted, in a snapshot. */
  static List<ThreadScope> resource(Handle handle, long projectId, String resourceId, int limit) {
    List<ThreadScope> all = new ArrayList<>();
    List<ThreadScope> page;
    do {
      int most = Math.min(limit - all.size(), RowPages.ROWS);
      ThreadScope last = all.isEmpty() ? null : all.get(all.size() - 1);
      page = resource(handle, "", projectId, resourceId, Instant.EPOCH, most, last);
      all.addAll(page);
    } while (page.size() == RowPages.ROWS && all.size() < limit);
    return all;
  }

  /**
   * Reads the same but those whose own configuration keeps recall within the thread.
   *
   * @param since those that changed then or later
   */
  static List<ThreadScope> shared(
      Handle handle, long projectId, String resourceId, Instant since, int limit) {
    return resource(handle, AND_SHARED, projectId, resourceId, since, limit, null);
  }

  private static List<ThreadScope> resource(
      Handle handle,
      String condition,
      long projectId,
      String resourceId,
      Instant since,
      int limit,
      @Nullable ThreadScope last) {
    Query query =
        handle
            .createQuery(
                SCOPE
                    + "AND h.resource_id = :resource AND h.updated_at >= :since "
                    + condition
                    + (last == null ? "" : AND_BEHIND)
                    + "ORDER BY h.updated_at DESC, h.public_id LIMIT :limit")
            .bind("resource", resourceId.getBytes(StandardCharsets.UTF_8))
            .bind("since", since)
            .bind("limit", limit);
    if (last != null) {
      query
          .bind("time", last.updatedAt())
          .bind("name", last.publicId().getBytes(StandardCharsets.UTF_8));
    }
    return scopes(query, projectId).list();
  }

  private static ResultIterable<ThreadScope> scopes(Query query, long projectId) {
    return query
        .bind("project", projectId)
        .bind("first", Home.of(projectId).first())
        .bind("last", Home.of(projectId).last())
        .map(
            (row, context) ->
                new ThreadScope(
                    row.getLong(1),
                    Identifier.ofBytes(row.getBytes(2)),
                    row.getLong(3),
                    row.getLong(4),
                    row.getLong(5),
                    row.getLong(6),
                    row.getLong(7),
                    row.getObject(8, LocalDateTime.class).toInstant(ZoneOffset.UTC)));
  }

  /**
   * A message to be shown.
   *
   * @param title of its thread
   */
  record Row(MessageRow message, @Nullable String title) {}

  /**
   * Reads messages, by position; deleted ones are missing.
   *
   * @param maxBytes of a content; what grew beyond since it was indexed is missing too
   * @param isShared whether those of threads that are not shared are missing too
   */
  static Map<Position, Row> rows(
      Handle handle, Set<Position> positions, long maxBytes, boolean isShared) throws SQLException {
    Map<Long, List<Long>> seqs = seqs(positions);
    SqlText sql = new SqlText(1_000 + 24 * positions.size()).sql(ROWS).number(maxBytes);
    // Said twice: by the list alone a home is told, of any number of threads.
    sql.sql(" AND m.thread_id IN (").numbers(seqs.keySet()).sql(")");
    String and = (isShared ? " AND COALESCE(s.recall_scope, '') <> 'thread'" : "") + " AND (";
    for (Map.Entry<Long, List<Long>> thread : seqs.entrySet()) {
      sql.sql(and).sql("m.thread_id = ").number(thread.getKey().longValue());
      sql.sql(" AND m.seq IN (").numbers(thread.getValue()).sql(")");
      and = " OR ";
    }
    Map<Position, Row> rows = new HashMap<>();
    try (Statement statement = handle.getConnection().createStatement();
        ResultSet row = statement.executeQuery(sql.sql(")").toString())) {
      while (row.next()) {
        MessageRow message = MessageRow.of(row);
        rows.put(new Position(row.getLong(9), message.seq()), new Row(message, row.getString(10)));
      }
    }
    return rows;
  }

  private static Map<Long, List<Long>> seqs(Set<Position> positions) {
    return positions.stream()
        .collect(
            Collectors.groupingBy(
                Position::thread,
                TreeMap::new,
                Collectors.mapping(Position::seq, Collectors.toList())));
  }
}
