package io.memorygateway.audit;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.sqlobject.config.RegisterConstructorMapper;
import org.jdbi.v3.sqlobject.customizer.Bind;
import org.jdbi.v3.sqlobject.customizer.BindMethods;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;

/** Access to the tables {@code audit_log} and {@code audit_head}. */
@RegisterConstructorMapper(AuditRow.class)
@RegisterConstructorMapper(AuditHead.class)
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
        (seq, at, actor, role, source, request_id, action, subject, outcome, before_state, after_state, previous_hash, hash)
      VALUES (:seq, :at, :actor, :role, :source, :requestId, :action, :subject, :outcome, :before, :after,
              UNHEX(:previousHash), UNHEX(:hash))
      """)
  void insert(@BindMethods AuditRow row);

  @SqlUpdate("UPDATE audit_head SET seq = :seq, hash = UNHEX(:hash) WHERE id = 1")
  void setHead(@Bind("seq") long seq, @Bind("hash") String hash);

  @SqlQuery(ROWS + "WHERE seq > :after ORDER BY seq LIMIT :limit")
  List<AuditRow> after(@Bind("after") long after, @Bind("limit") int limit);
}
