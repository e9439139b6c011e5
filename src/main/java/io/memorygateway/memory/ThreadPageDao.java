package io.memorygateway.memory;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;
import org.jdbi.v3.sqlobject.config.RegisterRowMapper;
import org.jdbi.v3.sqlobject.customizer.Bind;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jspecify.annotations.Nullable;

/**
 * Pages of the list of threads. Each first finds its threads in an index that has all it sorts and
 * selects by, and reads only those rows. Every row carries the length of the whole list; a page
 * with no threads is one row with nothing but that.
 */
@RegisterRowMapper(ThreadPageDao.Row.Mapper.class)
public interface ThreadPageDao {
  String OF_PROJECT =
      """
      SELECT c.total, t.id, t.public_id, t.resource_id, t.title, t.metadata, t.created_at, page.updated_at
      FROM (SELECT COALESCE(SUM(threads), 0) AS total FROM thread_counts
            WHERE project_id = :projectId AND resource_id = '') c
      LEFT JOIN (SELECT thread_id, public_id, updated_at FROM thread_heads FORCE INDEX (thread_heads_listed)
                 WHERE project_id = :projectId
      """;
  String OF_RESOURCE =
      """
      SELECT c.total, t.id, t.public_id, t.resource_id, t.title, t.metadata, t.created_at, page.updated_at
      FROM (SELECT COALESCE(SUM(threads), 0) AS total FROM thread_counts
            WHERE project_id = :projectId AND resource_id = :resourceId) c
      LEFT JOIN (SELECT thread_id, public_id, updated_at FROM thread_heads FORCE INDEX (thread_heads_of_resource)
                 WHERE project_id = :projectId AND resource_id = :resourceId
      """;
  String NEWEST_FIRST =
      "ORDER BY updated_at DESC, public_id LIMIT :limit OFFSET :offset) page ON TRUE\n";
  String OLDEST_FIRST =
      "ORDER BY updated_at, public_id DESC LIMIT :limit OFFSET :offset) page ON TRUE\n";
  String ROWS =
      "LEFT JOIN threads t ON t.id = page.thread_id ORDER BY page.updated_at DESC, page.public_id\n";

  @SqlQuery(OF_PROJECT + NEWEST_FIRST + ROWS)
  List<Row> ofProject(
      @Bind("projectId") long projectId, @Bind("limit") long limit, @Bind("offset") long offset);

  /** The same order, with the offset counted from the end of the list. */
  @SqlQuery(OF_PROJECT + OLDEST_FIRST + ROWS)
  List<Row> ofProjectFromTheEnd(
      @Bind("projectId") long projectId, @Bind("limit") long limit, @Bind("offset") long offset);

  @SqlQuery(OF_RESOURCE + NEWEST_FIRST + ROWS)
  List<Row> ofResource(
      @Bind("projectId") long projectId,
      @Bind("resourceId") String resourceId,
      @Bind("limit") long limit,
      @Bind("offset") long offset);

  /** The same order, with the offset counted from the end of the list. */
  @SqlQuery(OF_RESOURCE + OLDEST_FIRST + ROWS)
  List<Row> ofResourceFromTheEnd(
      @Bind("projectId") long projectId,
      @Bind("resourceId") String resourceId,
      @Bind("limit") long limit,
      @Bind("offset") long offset);

  /** A thread of the page, or none, and how many threads there are in all. */
  record Row(long total, @Nullable ThreadRow thread) {
    public static final class Mapper implements RowMapper<Row> {
      private final ThreadRow.Mapper threads = new ThreadRow.Mapper();

      @Override
      public Row map(ResultSet row, StatementContext context) throws SQLException {
        long total = row.getLong("total");
        return new Row(total, row.getBytes("public_id") == null ? null : threads.map(row, context));
      }
    }
  }
}
