package io.memorygateway.memory;

import io.memorygateway.observation.ObservationContext;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;
import org.jdbi.v3.sqlobject.config.RegisterRowMapper;
import org.jdbi.v3.sqlobject.customizer.Bind;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jspecify.annotations.Nullable;

/** What a turn reads. */
@RegisterRowMapper(TurnDao.Head.Mapper.class)
@RegisterRowMapper(MessageRow.Mapper.class)
public interface TurnDao {
  /** In one statement, so that what is observed and how far fit together. */
  @SqlQuery(
      """
      SELECT h.thread_id AS id, h.public_id, h.resource_id, h.base_seq, h.next_seq, h.message_count, h.stored_bytes,
             h.observe_at, h.updated_at, h.version, COALESCE(s.observed_seq, -1) AS observed_seq,
             s.current_task, s.suggested_continuation, r.observations
      FROM thread_heads h
      LEFT JOIN observation_states s ON s.thread_id = h.thread_id
      LEFT JOIN observation_records r ON r.thread_id = h.thread_id AND r.generation =
        (SELECT MAX(generation) FROM observation_records WHERE thread_id = h.thread_id)
      WHERE h.project_id = :projectId AND h.public_id = :publicId
      """)
  Optional<Head> head(@Bind("projectId") long projectId, @Bind("publicId") String publicId);

  @SqlQuery(
      MessageDao.ROW
          + """
            WHERE m.thread_id = :threadId AND m.seq >= :from AND m.seq < :to AND m.superseded = 0
            ORDER BY m.seq
            """)
  List<MessageRow> messages(
      @Bind("threadId") long threadId, @Bind("from") long from, @Bind("to") long to);

  /**
   * A thread, and how much of it is observed.
   *
   * @param observedSeq seq of the last message that is observed, or -1
   * @param observations as they go upstream; null for none
   */
  record Head(ThreadHead thread, long observedSeq, @Nullable String observations) {
    public static final class Mapper implements RowMapper<Head> {
      private final ThreadHead.Mapper heads = new ThreadHead.Mapper();

      @Override
      public Head map(ResultSet row, StatementContext context) throws SQLException {
        return new Head(
            heads.map(row, context),
            row.getLong("observed_seq"),
            ObservationContext.of(
                row.getString("observations"),
                row.getString("current_task"),
                row.getString("suggested_continuation")));
      }
    }
  }
}
