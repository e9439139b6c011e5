package io.memorygateway.memory.rows;

import io.memorygateway.database.BindInHome;
import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.memory.write.OrphanedRows;
import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.sqlobject.config.RegisterRowMapper;
import org.jdbi.v3.sqlobject.customizer.Bind;
import org.jdbi.v3.sqlobject.customizer.BindMethods;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;
import org.jspecify.annotations.Nullable;

/**
 * Tables {@code threads} and {@code thread_heads}, one thread at a time. Ids of clients are bound
 * as UTF-8.
 */
@RegisterRowMapper(ThreadHead.Mapper.class)
public interface ThreadDao {
  String ROW =
      """
      SELECT t.id, t.public_id, t.resource_id, t.title, t.metadata, t.created_at, h.updated_at
      FROM thread_heads h JOIN threads t ON t.id = h.thread_id
      WHERE h.project_id = :projectId AND h.public_id = :publicId AND h.thread_id BETWEEN :first AND :last
      """;

  /**
   * Condition on a row {@code h} of {@code thread_heads}: a node of an old version, or somebody at
   * a prompt, may have deleted the thread without its head, see {@link OrphanedRows}. Locks no row.
   */
  String HAS_THREAD = "EXISTS (SELECT 1 FROM threads r WHERE r.id = h.thread_id)\n";

  /**
   * The same for statements that lock heads, whose rows of {@code threads} are locked with them,
   * each behind its head, in whatever order MySQL would read: Vitess forgets the lock of a
   * statement with a subquery.
   */
  String WITH_THREAD = "STRAIGHT_JOIN threads r ON r.id = h.thread_id\n";

  String HEADS =
      """
      SELECT h.thread_id, h.public_id, h.resource_id, h.base_seq, h.next_seq, h.message_count, h.stored_bytes,
             h.removed_bytes, h.observe_at, h.version, h.updated_at,\s"""
          + LastCall.COLUMNS
          + "FROM thread_heads h "
          + WITH_THREAD;
  String HEAD =
      HEADS
          + "AND h.project_id = :projectId AND h.public_id = :publicId AND h.thread_id BETWEEN :first AND :last\n";

  @SqlQuery(ROW)
  Optional<ThreadRow> find(@BindInHome("projectId") long projectId, String publicId);

  @SqlQuery(ROW + "FOR UPDATE")
  Optional<ThreadRow> lock(@BindInHome("projectId") long projectId, String publicId);

  @SqlQuery(HEAD)
  Optional<ThreadHead> findHead(@BindInHome("projectId") long projectId, String publicId);

  /** Locks the head of a thread; every transaction that changes anything below it does so first. */
  @SqlQuery(HEAD + "FOR UPDATE")
  Optional<ThreadHead> lockHead(@BindInHome("projectId") long projectId, String publicId);

  /** Inserts the row of a new thread; its head follows. */
  @SqlUpdate(
      """
      INSERT INTO threads (id, project_id, public_id, resource_id, title, metadata, created_at)
      VALUES (:id, :projectId, :publicId, :resourceId, :title, :metadata, :createdAt)
      """)
  void insert(@BindMethods Insert row);

  /** Inserts the head of a thread, in place of one that a thread of this name has left behind. */
  default void insertHead(long projectId, ThreadHead head, long describedBytes) {
    try {
      insertNewHead(projectId, head, describedBytes);
    } catch (JdbiException e) {
      if (DatabaseFailure.of(e) != DatabaseFailure.DUPLICATE_KEY) {
        throw e;
      }
      deleteHead(projectId, head.publicId());
      insertNewHead(projectId, head, describedBytes);
    }
  }

  @SqlUpdate(
      "DELETE FROM thread_heads WHERE project_id = :projectId AND public_id = :publicId AND thread_id BETWEEN :first AND :last LIMIT 1")
  void deleteHead(@BindInHome("projectId") long projectId, String publicId);

  @SqlUpdate(
      """
      INSERT INTO thread_heads (thread_id, project_id, public_id, resource_id, base_seq, next_seq, message_count,
                                stored_bytes, removed_bytes, described_bytes, observe_at, updated_at)
      VALUES (:id, :projectId, :publicId, :resourceId, :baseSeq, :nextSeq, :messageCount,
              :storedBytes, :removedBytes, :describedBytes, :observeAt, :updatedAt)
      """)
  void insertNewHead(long projectId, @BindMethods ThreadHead head, long describedBytes);

  @SqlUpdate("UPDATE threads SET title = :title, metadata = :metadata WHERE id = :id")
  void describe(long id, @Nullable String title, @Nullable String metadata);

  @SqlUpdate(
      "UPDATE thread_heads SET described_bytes = :bytes, updated_at = :updatedAt WHERE thread_id ="
          + " :id")
  void touch(long id, @Bind("bytes") long describedBytes, Instant updatedAt);

  @SqlUpdate(
      """
      UPDATE thread_heads SET base_seq = :baseSeq, next_seq = :nextSeq, message_count = :messageCount,
                              stored_bytes = :storedBytes, removed_bytes = :removedBytes, version = :version, updated_at = :updatedAt,
                              call_state = IF(call_end <=> :lastCall?.end, call_state, IF(:lastCall?.broken, 2, 0)),
                              call_told = IF(call_end <=> :lastCall?.end, call_told, :lastCall?.told), call_hash = UNHEX(:lastCall?.hash), call_again = COALESCE(:lastCall?.again, 0),
                              call_answer = COALESCE(:lastCall?.answer, 0), call_end = COALESCE(:lastCall?.end, 0)
      WHERE thread_id = :id
      """)
  void advance(@BindMethods ThreadHead head);

  /**
   * The answer to the last call without its messages, as it was stored with its turn; empty if that
   * is not known.
   *
   * @param end of the call
   */
  @SqlQuery(
      """
      SELECT SUBSTRING(call_told, 2 + LENGTH(call_end)) FROM thread_heads
      WHERE thread_id = :id AND call_end = :end AND call_told LIKE CONCAT(call_end, ' %')
      """)
  Optional<String> told(long id, long end);

  /** Records that messages were changed or deleted, at the version that the head has now. */
  @SqlUpdate("UPDATE thread_heads SET changed_version = version WHERE thread_id = :id")
  void recordChange(long id);

  /** The version of the last change of messages other than storing new ones. */
  @SqlQuery("SELECT changed_version FROM thread_heads WHERE thread_id = :id")
  long changedVersion(long id);

  /** Gives a thread its public name in place of its hidden one. */
  @SqlUpdate(
      """
      UPDATE threads SET public_id = :publicId, title = :title, metadata = :metadata, created_at = :createdAt
      WHERE id = :id
      """)
  void name(@BindMethods ThreadRow thread);

  /**
   * Sum of the bytes that the threads of a project hold, each thread and message with a flat part,
   * and those that are stored for replays of its Idempotency-Keys. Each sum reads an index that
   * covers it.
   */
  @SqlQuery(
      """
      SELECT (SELECT COALESCE(SUM(stored_bytes - removed_bytes + described_bytes + message_count * :message + :thread), 0)
              FROM thread_heads WHERE project_id = :projectId AND thread_id BETWEEN :first AND :last)
           + (SELECT COALESCE(SUM(bytes + :message), 0)
              FROM former_messages WHERE project_id = :projectId AND thread_id BETWEEN :first AND :last)
           + (SELECT COALESCE(SUM(body_bytes), 0)
              FROM idempotency_keys WHERE project_id = :projectId AND body_bytes > 0)
      """)
  long heldBytes(
      @BindInHome("projectId") long projectId,
      @Bind("thread") int ofThread,
      @Bind("message") int ofMessage);

  @SqlQuery(
      "SELECT EXISTS (SELECT 1 FROM thread_heads h JOIN threads t ON t.id = h.thread_id WHERE h.thread_id = :id)")
  boolean exists(long id);

  /** Columns of a new thread's row. */
  record Insert(
      long id,
      long projectId,
      String publicId,
      String resourceId,
      @Nullable String title,
      @Nullable String metadata,
      Instant createdAt) {}
}
