package io.memorygateway.memory.read;

import io.memorygateway.database.Home;
import io.memorygateway.database.SqlText;
import io.memorygateway.memory.rows.ThreadCountDao;
import io.memorygateway.memory.rows.ThreadRow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Statements for pages of the list of threads, in plain JDBC. Each first finds its threads in an
 * index that covers its conditions and order, and reads only those rows; of large titles and
 * metadata it reads the length alone, see {@link #describe}. Every row carries the length of the
 * whole list.
 *
 * @param resourceId null for all threads of the project
 */
record ThreadPageQuery(long projectId, @Nullable String resourceId) {
  private static final String TOTAL =
      "SELECT COALESCE(SUM(threads), 0) AS total FROM thread_counts WHERE project_id = ? AND resource_id = ?";
  private static final String ROWS =
      """
      SELECT t.id, t.public_id, t.resource_id, IF({small}, t.title, NULL), IF({small}, t.metadata, NULL), t.created_at,
             page.updated_at, (%s), {size}
      FROM (SELECT thread_id, public_id, updated_at FROM thread_heads FORCE INDEX (%s)
                 WHERE project_id = ? AND thread_id BETWEEN ? AND ?%s ORDER BY %s LIMIT ? OFFSET ?) page
      STRAIGHT_JOIN threads t ON t.id = page.thread_id ORDER BY page.updated_at DESC, page.public_id
      """
          .replace("{small}", "{size} <= 8192")
          .replace("{size}", "COALESCE(LENGTH(t.title), 0) + COALESCE(LENGTH(t.metadata), 0)");
  private static final String DESCRIPTIONS =
      "SELECT id, title, metadata FROM threads WHERE id IN (";
  private static final String NEWEST_FIRST = "updated_at DESC, public_id";
  private static final String OLDEST_FIRST = "updated_at, public_id DESC";

  static final String OF_PROJECT = ofProject(NEWEST_FIRST);
  static final String OF_PROJECT_FROM_THE_END = ofProject(OLDEST_FIRST);
  private static final String OF_RESOURCE = ofResource(NEWEST_FIRST);
  private static final String OF_RESOURCE_FROM_THE_END = ofResource(OLDEST_FIRST);

  private static String ofProject(String order) {
    return ROWS.formatted(TOTAL, "thread_heads_listed", "", order);
  }

  private static String ofResource(String order) {
    return ROWS.formatted(TOTAL, "thread_heads_of_resource", " AND resource_id = ?", order);
  }

  /** Returns the total number of threads, from the maintained counts. */
  long total(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(TOTAL)) {
      bindTotal(statement);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  private void bindTotal(PreparedStatement statement) throws SQLException {
    statement.setLong(1, projectId);
    statement.setString(2, resourceId == null ? ThreadCountDao.WHOLE_PROJECT : resourceId);
  }

  ThreadList.Listed fromTheStart(Connection connection, long limit, long offset)
      throws SQLException {
    return run(connection, resourceId == null ? OF_PROJECT : OF_RESOURCE, limit, offset);
  }

  /** Reads a page of the same order, with the offset counted from the end of the list. */
  ThreadList.Listed fromTheEnd(Connection connection, long limit, long offset) throws SQLException {
    return run(
        connection,
        resourceId == null ? OF_PROJECT_FROM_THE_END : OF_RESOURCE_FROM_THE_END,
        limit,
        offset);
  }

  private ThreadList.Listed run(Connection connection, String sql, long limit, long offset)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bindTotal(statement);
      int index = 3;
      Home home = Home.of(projectId);
      statement.setLong(index++, projectId);
      statement.setLong(index++, home.first());
      statement.setLong(index++, home.last());
      if (resourceId != null) {
        statement.setString(index++, resourceId);
      }
      statement.setLong(index++, limit);
      statement.setLong(index, offset);
      try (ResultSet rows = statement.executeQuery()) {
        ThreadList.Listed listed = listed(rows);
        return listed.threads().isEmpty()
            ? new ThreadList.Listed(List.of(), total(connection), List.of())
            : listed;
      }
    }
  }

  private static ThreadList.Listed listed(ResultSet rows) throws SQLException {
    long total = 0;
    List<ThreadRow> threads = new ArrayList<>();
    List<Long> sizes = new ArrayList<>();
    while (rows.next()) {
      total = rows.getLong(8);
      threads.add(ThreadRow.of(rows));
      sizes.add(rows.getLong(9));
    }
    return new ThreadList.Listed(threads, total, sizes);
  }

  /** Returns the threads with the titles and metadata that a page leaves out. */
  static List<ThreadRow> describe(Connection connection, List<ThreadRow> threads)
      throws SQLException {
    Map<Long, ThreadRow> described = new HashMap<>();
    threads.forEach(thread -> described.put(thread.id(), thread));
    new SqlText(1_000)
        .sql(DESCRIPTIONS)
        .numbers(described.keySet())
        .sql(")")
        .query(
            connection,
            row -> {
              String title = row.getString(2);
              String metadata = row.getString(3);
              described.computeIfPresent(
                  row.getLong(1), (id, thread) -> thread.described(title, metadata));
            });
    return threads.stream().map(thread -> described.getOrDefault(thread.id(), thread)).toList();
  }
}
