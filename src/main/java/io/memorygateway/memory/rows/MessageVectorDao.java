package io.memorygateway.memory.rows;

import java.util.Collection;
import java.util.Optional;
import org.jdbi.v3.sqlobject.customizer.BindList;
import org.jdbi.v3.sqlobject.customizer.BindMethods;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;

/**
 * Tables {@code embedding_threads} and {@code message_vectors}: updates in the transactions that
 * change or delete messages.
 */
public interface MessageVectorDao {
  /** Location of a thread's vectors. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Embedded(long projectId, byte[] resourceHash, long threadId) {}

  /** Empty if nothing of the thread was embedded. */
  @SqlQuery(
      "SELECT project_id, resource_hash, thread_id FROM embedding_threads WHERE thread_id = :threadId")
  Optional<Embedded> find(long threadId);

  @SqlUpdate(
      """
      DELETE FROM message_vectors
      WHERE project_id = :projectId AND resource_hash = :resourceHash AND thread_id = :threadId AND seq IN (<seqs>)
      """)
  void delete(@BindMethods Embedded thread, @BindList Collection<Long> seqs);

  /** Schedules the messages from a seq on for embedding, and invalidates cached vectors. */
  @SqlUpdate(
      """
      UPDATE embedding_threads SET next_seq = LEAST(next_seq, :seq), revision = revision + 1
      WHERE thread_id = :threadId
      """)
  void embedAgain(long threadId, long seq);

  /** Deletes some vectors of a thread, in no particular order. */
  @SqlUpdate(
      """
      DELETE FROM message_vectors
      WHERE project_id = :projectId AND resource_hash = :resourceHash AND thread_id = :threadId LIMIT :limit
      """)
  int deleteSome(@BindMethods Embedded thread, int limit);
}
