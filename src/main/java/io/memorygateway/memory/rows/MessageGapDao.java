package io.memorygateway.memory.rows;

import java.util.Collection;
import java.util.List;
import org.jdbi.v3.sqlobject.config.RegisterConstructorMapper;
import org.jdbi.v3.sqlobject.customizer.Bind;
import org.jdbi.v3.sqlobject.customizer.BindMethodsList;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;

/** Table {@code message_gaps}. */
@RegisterConstructorMapper(MessageGap.class)
public interface MessageGapDao {
  @SqlQuery("SELECT block, deleted FROM message_gaps WHERE thread_id = :threadId ORDER BY block")
  List<MessageGap> list(@Bind("threadId") long threadId);

  @SqlUpdate(
      """
      INSERT INTO message_gaps (thread_id, block, deleted) VALUES <gaps>
      ON DUPLICATE KEY UPDATE deleted = deleted + VALUES(deleted)
      """)
  void add(
      @BindMethodsList(
              value = "gaps",
              methodNames = {"threadId", "block", "deleted"})
          Collection<Added> gaps);

  @SqlUpdate("DELETE FROM message_gaps WHERE thread_id = :threadId")
  void clear(@Bind("threadId") long threadId);

  /** Messages of one block that have just been deleted. */
  record Added(long threadId, long block, long deleted) {}
}
