package io.memorygateway.memory.rows;

import static io.memorygateway.database.RowPages.ROWS;

import io.memorygateway.database.RowPages;
import java.util.Collection;
import java.util.List;
import org.jdbi.v3.sqlobject.customizer.BindMethodsList;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;

/** Table {@code message_gaps}. */
public interface MessageGapDao {
  String OF_THREAD = " FROM message_gaps WHERE thread_id = :threadId";

  @SqlQuery(
      "SELECT block, deleted" + OF_THREAD + " AND block > :after ORDER BY block LIMIT " + ROWS)
  List<MessageGap> page(long threadId, long after);

  default List<MessageGap> list(long threadId) {
    return RowPages.read(MessageGap::block, after -> page(threadId, after));
  }

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

  @SqlUpdate("DELETE" + OF_THREAD + " LIMIT " + ROWS)
  int clearSome(long threadId);

  default void clear(long threadId) {
    RowPages.delete(() -> clearSome(threadId));
  }

  /** Messages of one block that have just been deleted. */
  record Added(long threadId, long block, long deleted) {}
}
