package io.memorygateway.memory.rows;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jdbi.v3.sqlobject.customizer.BindList;
import org.jdbi.v3.sqlobject.customizer.BindMethods;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;

/** Table {@code former_messages}: states of messages before changes, for replays. */
public interface MessageRevisionDao {
  @SqlUpdate(
      """
      INSERT INTO former_messages
        (thread_id, seq, until_version, type, content, incomplete, superseded, needed_until, project_id, bytes)
      VALUES (:threadId, :seq, :untilVersion, :type, :content, :incomplete, :superseded, :neededUntil,
              (SELECT project_id FROM threads WHERE id = :threadId), :bytes)
      """)
  void keep(
      long threadId, long untilVersion, Instant neededUntil, @BindMethods MessageRevision message);

  /**
   * Version since which a message has its present state, as far as a former one is stored; else 0.
   */
  @SqlQuery(
      """
      SELECT COALESCE(MAX(until_version), 0) FROM former_messages WHERE thread_id = :threadId AND seq = :seq
      """)
  long unchangedSince(long threadId, long seq);

  /** States at a version of their thread, of the messages that were changed since. */
  @SqlQuery(
      """
      SELECT f.seq, f.type, f.content, f.incomplete, f.superseded
      FROM (SELECT seq, MIN(until_version) AS until_version FROM former_messages
            WHERE thread_id = :threadId AND seq IN (<seqs>) AND until_version > :version GROUP BY seq) e
      JOIN former_messages f
        ON f.thread_id = :threadId AND f.seq = e.seq AND f.until_version = e.until_version
      """)
  List<MessageRevision> at(long threadId, long version, @BindList Collection<Long> seqs);

  @SqlQuery("SELECT EXISTS (SELECT 1 FROM former_messages WHERE thread_id = :threadId)")
  boolean hasAny(long threadId);

  @SqlUpdate("DELETE FROM former_messages WHERE thread_id = :threadId AND seq IN (<seqs>)")
  void delete(long threadId, @BindList Collection<Long> seqs);
}
