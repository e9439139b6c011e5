package io.memorygateway.memory;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Pages of the list of threads, by hand. Each first finds its threads in an index that has all it
 * sorts and selects by, and reads only those rows. Every row carries the length of the whole list;
 * a page with no threads is one row with nothing but that.
 *
 * @param resourceId null for all threads of the project
 */
record ThreadPageQuery(long projectId, @Nullable String resourceId) {
  private static final String TOTAL =
      "SELECT COALESCE(SUM(threads), 0) AS total FROM thread_counts WHERE project_id = ? AND resource_id = ?";
  private static final String ROWS =
      """
      SELECT t.id, t.public_id, t.resource_id, t.title, t.metadata, t.created_at, page.updated_at, c.total
      FROM (%s) c
      LEFT JOIN (SELECT thread_id, public_id, updated_at FROM thread_heads FORCE INDEX (%s)
                 WHERE project_id = ?%s ORDER BY %s LIMIT ? OFFSET ?) page ON TRUE
      LEFT JOIN threads t ON t.id = page.thread_id ORDER BY page.updated_at DESC, page.public_id
      """;
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

  /** How many threads there are in all, without counting them. */
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

  /** A page, and how many threads there are in all. */
  ThreadList.Listed fromTheStart(Connection connection, long limit, long offset)
      throws SQLException {
    return run(connection, resourceId == null ? OF_PROJECT : OF_RESOURCE, limit, offset);
  }

  /** The same order, with the offset counted from the end of the list. */
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
      int place = 3;
      statement.setLong(place++, projectId);
      if (resourceId != null) {
        statement.setString(place++, resourceId);
      }
      statement.setLong(place++, limit);
      statement.setLong(place, offset);
      try (ResultSet rows = statement.executeQuery()) {
        return listed(rows);
      }
    }
  }

  private static ThreadList.Listed listed(ResultSet rows) throws SQLException {
    long total = 0;
    List<ThreadRow> threads = new ArrayList<>();
    while (rows.next()) {
      total = rows.getLong(8);
      if (rows.getBytes(2) != null) {
        threads.add(ThreadRow.of(rows));
      }
    }
    return new ThreadList.Listed(threads, total);
  }
}
