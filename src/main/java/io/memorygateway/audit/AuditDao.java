package io.memorygateway.audit;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.sqlobject.customizer.Bind;
import org.jdbi.v3.sqlobject.customizer.BindMethods;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;
import org.jspecify.annotations.Nullable;

/** Access to the tables {@code audit_log}, {@code audit_head} and {@code audit_outbox}. */
interface AuditDao {
  /** Query of rows; hashes are lower-case hex. */
  String ROWS =
      """
      SELECT seq, at, actor, role, source, request_id, action, subject, outcome, before_state AS `before`,
             after_state AS `after`, LOWER(HEX(previous_hash)) AS previous_hash, LOWER(HEX(hash)) AS hash
      FROM audit_log
      """;

  /**
   * Rows that a statement reads, at most. Each has two states of up to {@link
   * AuditText#MAX_STATE_BYTES}, and the statements of reports have two seconds.
   */
  int ROWS_PER_STATEMENT = 20;

  @SqlQuery("SELECT seq, LOWER(HEX(hash)) AS hash FROM audit_head WHERE id = 1 FOR UPDATE")
  Optional<AuditHead> lockHead();

  @SqlQuery("SELECT seq, LOWER(HEX(hash)) AS hash FROM audit_head WHERE id = 1")
  Optional<AuditHead> head();

  @SqlQuery("SELECT UTC_TIMESTAMP(3)")
  Instant now();

  @SqlUpdate(
      """
      INSERT INTO audit_log
        (seq, at, actor, role, source, request_id, action, subject, outcome, before_state, after_state, previous_hash, hash,
         outbox_id)
      VALUES (:seq, :at, :actor, :role, :source, :requestId, :action, :subject, :outcome, :before, :after,
              UNHEX(:previousHash), UNHEX(:hash), :outboxId)
      """)
  void insert(@BindMethods AuditRow row, @Nullable Long outboxId);

  @SqlUpdate("UPDATE audit_head SET seq = :seq, hash = UNHEX(:hash) WHERE id = 1")
  void setHead(long seq, String hash);

  @SqlQuery(ROWS + "WHERE seq >= :from ORDER BY seq LIMIT :limit")
  List<AuditRow> from(long from, int limit);

  /** Number of the last row, whatever {@code audit_head} says; 0 if there is none. */
  @SqlQuery("SELECT COALESCE(MAX(seq), 0) FROM audit_log")
  long lastSeq();

  @SqlQuery("SELECT EXISTS (SELECT 1 FROM audit_log WHERE outbox_id = :id)")
  boolean has(@Bind("id") long outboxId);

  @SqlUpdate(
      """
      INSERT INTO audit_outbox (id, at, actor, role, source, request_id, action, subject, outcome, before_state, after_state)
      VALUES (:id, UTC_TIMESTAMP(3), :actor, :role, :source, :requestId, :action, :subject, :outcome, :before, :after)
      """)
  void keep(long id, @BindMethods AuditRow row);

  @SqlQuery(
      """
      SELECT 0 AS seq, COALESCE(at, UTC_TIMESTAMP(3)) AS at, actor, role, source, request_id, action, subject, outcome, before_state AS `before`,
             after_state AS `after`, '' AS previous_hash, '' AS hash
      FROM audit_outbox WHERE id = :id
      """)
  Optional<AuditRow> kept(long id);

  @SqlQuery("SELECT id FROM audit_outbox WHERE id BETWEEN :first AND :last LIMIT :limit")
  List<Long> kept(long first, long last, int limit);

  @SqlUpdate("DELETE FROM audit_outbox WHERE id = :id")
  int forget(long id);

  /** Numbers of rows in front of the chain, where the gateway adds none. */
  @SqlQuery("SELECT seq FROM audit_log WHERE seq < 1 ORDER BY seq LIMIT :limit")
  List<Long> strangers(int limit);
}
