package io.memorygateway.memory.replay;

import io.memorygateway.database.BindInHome;
import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.sqlobject.config.RegisterRowMapper;
import org.jdbi.v3.sqlobject.customizer.BindMethods;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;
import org.jspecify.annotations.Nullable;

/** Table {@code idempotency_keys}. Hashes are passed as lower-case hex. */
@RegisterRowMapper(StoredResponse.Mapper.class)
public interface IdempotencyDao {
  /**
   * Claims the key for this transaction. Waits for another transaction that has claimed it, until
   * that one commits or rolls back.
   *
   * @return 1 if it is claimed now, 0 if it has been used
   */
  @SqlUpdate(
      """
      INSERT IGNORE INTO idempotency_keys (project_id, key_hash, request_hash, status, created_at)
      VALUES (:projectId, UNHEX(:keyHash), UNHEX(:requestHash), 0, :now)
      """)
  int claim(long projectId, String keyHash, String requestHash, Instant now);

  @SqlQuery(
      """
      SELECT LOWER(HEX(request_hash)) AS request_hash, status, thread_id, body, message_seqs, thread_version, created_at
      FROM idempotency_keys
      WHERE project_id = :projectId AND key_hash = UNHEX(:keyHash) LOCK IN SHARE MODE
      """)
  StoredResponse find(long projectId, String keyHash);

  /** Like {@link #find}, without a lock: sees committed rows only. */
  @SqlQuery(
      """
      SELECT LOWER(HEX(request_hash)) AS request_hash, status, thread_id, body, message_seqs, thread_version, created_at
      FROM idempotency_keys
      WHERE project_id = :projectId AND key_hash = UNHEX(:keyHash)
      """)
  Optional<StoredResponse> peek(long projectId, String keyHash);

  @SqlUpdate(
      """
      UPDATE idempotency_keys
      SET status = :status, thread_id = :threadId, body = :body, message_seqs = :messageSeqs,
          thread_version = :threadVersion, body_bytes = :bodyBytes
      WHERE project_id = :projectId AND key_hash = UNHEX(:keyHash)
      """)
  void complete(long projectId, String keyHash, @BindMethods StoredResponse.Content response);

  @SqlUpdate(
      "DELETE FROM idempotency_keys WHERE project_id = :projectId AND key_hash = UNHEX(:keyHash)")
  void forget(long projectId, String keyHash);

  /** The last response with messages of a thread, among those stored after a time. */
  @SqlQuery(
      """
      SELECT MAX(thread_version) AS version, MAX(created_at) AS created_at FROM idempotency_keys
      WHERE thread_id = :threadId AND project_id BETWEEN :first AND :last
        AND thread_version IS NOT NULL AND created_at > :after
      """)
  LastResponse lastResponse(@BindInHome("threadId") long threadId, Instant after);

  /**
   * The last version of a thread that a response was stored for, and when a response was last
   * stored; null if there is none.
   */
  record LastResponse(@Nullable Long version, @Nullable Instant createdAt) {}
}
