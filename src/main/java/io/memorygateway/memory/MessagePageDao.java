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
 * A thread's head and a page of its messages in one statement, for threads that lost no message:
 * there an offset is a seq. Of other threads it finds the head alone. The rows are not sorted: to
 * sort behind an outer join MySQL would copy all contents into a temporary table first.
 */
@RegisterRowMapper(MessagePageDao.Row.Mapper.class)
public interface MessagePageDao {
  String HEAD =
      """
      SELECT t.thread_id AS id, t.public_id, t.resource_id, t.base_seq, t.next_seq, t.message_count,
             t.stored_bytes, t.observe_at, t.version, t.updated_at,
             m.seq, m.public_id AS message_id, m.role, m.type, m.content, m.created_at AS message_created_at,
             m.incomplete, m.superseded
      FROM thread_heads t LEFT JOIN messages m ON m.thread_id = t.thread_id AND t.message_count = t.next_seq - t.base_seq
      """;

  String OLDEST_FIRST =
      HEAD
          + """
              AND m.seq >= t.base_seq + :offset AND m.seq < t.base_seq + :offset + :limit
            WHERE t.project_id = :projectId AND t.public_id = :publicId
            """;
  String NEWEST_FIRST =
      HEAD
          + """
              AND m.seq >= t.next_seq - :offset - :limit AND m.seq < t.next_seq - :offset
            WHERE t.project_id = :projectId AND t.public_id = :publicId
            """;

  @SqlQuery(OLDEST_FIRST)
  List<Row> oldestFirst(
      @Bind("projectId") long projectId,
      @Bind("publicId") String publicId,
      @Bind("limit") int limit,
      @Bind("offset") long offset);

  @SqlQuery(NEWEST_FIRST)
  List<Row> newestFirst(
      @Bind("projectId") long projectId,
      @Bind("publicId") String publicId,
      @Bind("limit") int limit,
      @Bind("offset") long offset);

  /** The thread, and a message of the page or none. */
  record Row(ThreadHead head, @Nullable MessageRow message) {
    /** Maps the head, which is the same in every row, once for each page. */
    public static final class Mapper implements RowMapper<Row> {
      private final ThreadHead.Mapper heads = new ThreadHead.Mapper();
      private final MessageRow.Mapper messages = new MessageRow.Mapper();

      @Override
      public RowMapper<Row> specialize(ResultSet rows, StatementContext context)
          throws SQLException {
        RowMapper<MessageRow> ofPage = messages.specialize(rows, context);
        int id = rows.findColumn("message_id");
        ThreadHead[] first = new ThreadHead[1];
        return (row, sameContext) -> {
          if (first[0] == null) {
            first[0] = heads.map(row, context);
          }
          return new Row(first[0], row.getBytes(id) == null ? null : ofPage.map(row, context));
        };
      }

      @Override
      public Row map(ResultSet row, StatementContext context) throws SQLException {
        return specialize(row, context).map(row, context);
      }
    }
  }
}
