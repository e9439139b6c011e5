package io.memorygateway.observation;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;
import org.jdbi.v3.sqlobject.config.RegisterRowMapper;
import org.jdbi.v3.sqlobject.customizer.BindList;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;
import org.jspecify.annotations.Nullable;

/**
 * Table {@code messages}, as the observer uses it: it reads messages and writes only token counts.
 */
@RegisterRowMapper(UnobservedMessageDao.Row.Mapper.class)
public interface UnobservedMessageDao {
  String ROW =
      "SELECT seq, public_id, role, content, created_at, superseded, tokens FROM messages WHERE thread_id = :threadId ";

  record Size(long seq, long bytes) {}

  /**
   * Totals of several messages.
   *
   * @param uncounted how many have no count yet
   * @param bytes of their contents, but for those that were stored without a note of their size
   */
  record Sum(long messages, long tokens, long uncounted, long bytes) {}

  record Row(
      long seq,
      String publicId,
      String role,
      String content,
      Instant createdAt,
      boolean superseded,
      @Nullable Integer tokens) {

    public static final class Mapper implements RowMapper<Row> {
      @Override
      public Row map(ResultSet row, StatementContext context) throws SQLException {
        int tokens = row.getInt("tokens");
        Integer counted = row.wasNull() ? null : Integer.valueOf(tokens);
        return new Row(
            row.getLong("seq"),
            new String(row.getBytes("public_id"), StandardCharsets.UTF_8),
            row.getString("role"),
            row.getString("content"),
            // A Timestamp has another calendar before 1582, in which some days are none.
            row.getObject("created_at", LocalDateTime.class).toInstant(ZoneOffset.UTC),
            row.getBoolean("superseded"),
            counted);
      }
    }
  }

  @SqlQuery(
      """
      SELECT seq, OCTET_LENGTH(content) AS bytes FROM messages WHERE thread_id = :threadId AND seq > :after
      ORDER BY seq LIMIT :limit
      """)
  List<Size> sizes(long threadId, long after, int limit);

  /** Sizes of messages whose tokens are not counted yet. */
  @SqlQuery(
      """
      SELECT seq, OCTET_LENGTH(content) AS bytes FROM messages
      WHERE thread_id = :threadId AND seq > :after AND tokens IS NULL AND superseded = 0 ORDER BY seq LIMIT :limit
      """)
  List<Size> uncountedSizes(long threadId, long after, int limit);

  @SqlQuery(ROW + "AND seq IN (<seqs>) ORDER BY seq")
  List<Row> rows(long threadId, @BindList List<Long> seqs);

  @SqlQuery(ROW + "AND seq > :after AND seq <= :last ORDER BY seq")
  List<Row> range(long threadId, long after, long last);

  /** The last messages up to a seq, but for large ones. */
  @SqlQuery(
      ROW
          + "AND seq > :last - 8 AND seq <= :last AND OCTET_LENGTH(content) <= :maxBytes ORDER BY seq")
  List<Row> last(long threadId, long last, int maxBytes);

  @SqlQuery(
      """
      SELECT content FROM messages
      WHERE thread_id = :threadId AND seq > :after AND tokens IS NULL AND superseded = 0 ORDER BY seq LIMIT :limit
      """)
  List<String> uncounted(long threadId, long after, int limit);

  /** Stores token counts of messages whose content still has the size that was counted. */
  @SqlUpdate(
      """
      UPDATE messages SET tokens = ELT(FIELD(seq, <seqs>), <tokens>)
      WHERE thread_id = :threadId AND seq IN (<seqs>) AND tokens IS NULL
        AND OCTET_LENGTH(content) = ELT(FIELD(seq, <seqs>), <bytes>)
      """)
  void count(
      long threadId,
      @BindList List<Long> seqs,
      @BindList List<Integer> tokens,
      @BindList List<Long> bytes);

  @SqlQuery(
      """
      SELECT COUNT(*) AS messages, COALESCE(SUM(IF(superseded, 0, tokens)), 0) AS tokens,
             COALESCE(SUM(tokens IS NULL AND superseded = 0), 0) AS uncounted,
             COALESCE(SUM(IF(superseded, 0, content_bytes)), 0) AS bytes
      FROM messages WHERE thread_id = :threadId AND seq > :after AND seq <= :last
      """)
  Sum sum(long threadId, long after, long last);

  /** Tokens of unread messages: the counts there are, and an estimate of the rest. */
  @SqlQuery(
      """
      SELECT COALESCE(SUM(IF(superseded, 0, COALESCE(tokens, OCTET_LENGTH(content) DIV 4))), 0)
      FROM messages WHERE thread_id = :threadId AND seq > :after
      """)
  long guess(long threadId, long after);

  /** The same estimate, of at most so many of the oldest messages. */
  @SqlQuery(
      """
      SELECT COALESCE(SUM(own), 0) FROM (
        SELECT IF(superseded, 0, COALESCE(tokens, OCTET_LENGTH(content) DIV 4)) AS own
        FROM messages WHERE thread_id = :threadId AND seq > :after ORDER BY seq LIMIT :limit) guessed
      """)
  long guessOldest(long threadId, long after, int limit);
}
