package io.memorygateway.observation;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;
import org.jdbi.v3.sqlobject.config.RegisterConstructorMapper;
import org.jdbi.v3.sqlobject.config.RegisterRowMapper;
import org.jdbi.v3.sqlobject.customizer.Bind;
import org.jdbi.v3.sqlobject.customizer.BindList;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;
import org.jspecify.annotations.Nullable;

/** Table {@code messages}, as the observer reads it: it writes nothing but counts. */
@RegisterRowMapper(TailDao.Row.Mapper.class)
@RegisterConstructorMapper(TailDao.Size.class)
@RegisterConstructorMapper(TailDao.Sum.class)
public interface TailDao {

  /** How large a message is. */
  record Size(long seq, long bytes) {}

  /**
   * Messages taken together.
   *
   * @param uncounted how many have no count yet
   */
  record Sum(long messages, long tokens, long uncounted) {}

  /** A message. */
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
            row.getTimestamp("created_at").toInstant(),
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
  List<Size> sizes(
      @Bind("threadId") long threadId, @Bind("after") long after, @Bind("limit") int limit);

  /** Of messages that nobody has counted. */
  @SqlQuery(
      """
      SELECT seq, OCTET_LENGTH(content) AS bytes FROM messages
      WHERE thread_id = :threadId AND seq > :after AND tokens IS NULL AND superseded = 0 ORDER BY seq LIMIT :limit
      """)
  List<Size> uncountedSizes(
      @Bind("threadId") long threadId, @Bind("after") long after, @Bind("limit") int limit);

  @SqlQuery(
      """
      SELECT seq, public_id, role, content, created_at, superseded, tokens FROM messages
      WHERE thread_id = :threadId AND seq IN (<seqs>) ORDER BY seq
      """)
  List<Row> rows(@Bind("threadId") long threadId, @BindList("seqs") List<Long> seqs);

  @SqlQuery(
      """
      SELECT seq, public_id, role, content, created_at, superseded, tokens FROM messages
      WHERE thread_id = :threadId AND seq > :after AND seq <= :last ORDER BY seq
      """)
  List<Row> range(
      @Bind("threadId") long threadId, @Bind("after") long after, @Bind("last") long last);

  @SqlQuery(
      """
      SELECT content FROM messages
      WHERE thread_id = :threadId AND seq > :after AND tokens IS NULL AND superseded = 0 ORDER BY seq LIMIT :limit
      """)
  List<String> uncounted(
      @Bind("threadId") long threadId, @Bind("after") long after, @Bind("limit") int limit);

  /** Notes counts of messages that still are as they were when they were counted. */
  @SqlUpdate(
      """
      UPDATE messages SET tokens = ELT(FIELD(seq, <seqs>), <tokens>)
      WHERE thread_id = :threadId AND seq IN (<seqs>) AND tokens IS NULL
        AND OCTET_LENGTH(content) = ELT(FIELD(seq, <seqs>), <bytes>)
      """)
  void count(
      @Bind("threadId") long threadId,
      @BindList("seqs") List<Long> seqs,
      @BindList("tokens") List<Integer> tokens,
      @BindList("bytes") List<Long> bytes);

  @SqlQuery(
      """
      SELECT COUNT(*) AS messages, COALESCE(SUM(IF(superseded, 0, tokens)), 0) AS tokens,
             COALESCE(SUM(tokens IS NULL AND superseded = 0), 0) AS uncounted
      FROM messages WHERE thread_id = :threadId AND seq > :after AND seq <= :last
      """)
  Sum sum(@Bind("threadId") long threadId, @Bind("after") long after, @Bind("last") long last);

  /** Of messages that were not read: what is counted, and a guess of the rest. */
  @SqlQuery(
      """
      SELECT COALESCE(SUM(IF(superseded, 0, COALESCE(tokens, OCTET_LENGTH(content) DIV 4))), 0)
      FROM messages WHERE thread_id = :threadId AND seq > :after
      """)
  long guess(@Bind("threadId") long threadId, @Bind("after") long after);

  /** The same of the oldest of them, so many at most. */
  @SqlQuery(
      """
      SELECT COALESCE(SUM(own), 0) FROM (
        SELECT IF(superseded, 0, COALESCE(tokens, OCTET_LENGTH(content) DIV 4)) AS own
        FROM messages WHERE thread_id = :threadId AND seq > :after ORDER BY seq LIMIT :limit) guessed
      """)
  long guessOldest(
      @Bind("threadId") long threadId, @Bind("after") long after, @Bind("limit") int limit);
}
