package io.memorygateway.memory.replay;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.sqlobject.customizer.BindMethods;
import org.jdbi.v3.sqlobject.statement.SqlBatch;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;

/**
 * Table {@code turn_claims}. Hashes are passed as lower-case hex; times are those of the database.
 */
public interface TurnClaimDao {
  String LEASE = "DATE_ADD(UTC_TIMESTAMP(3), INTERVAL 20 SECOND)";
  String OF_KEY = " WHERE project_id = :projectId AND key_hash = UNHEX(:keyHash) ";

  /**
   * Claims a key that nobody has claimed.
   *
   * @return 1 if it is claimed now, 0 if it was before
   */
  @SqlUpdate(
      """
      INSERT IGNORE INTO turn_claims (project_id, key_hash, request_hash, owner, lease_until)
      VALUES (:projectId, UNHEX(:keyHash), UNHEX(:requestHash), :owner,\s"""
          + LEASE
          + ")")
  int insert(@BindMethods Row row);

  /**
   * Claims a key whose lease has run out.
   *
   * @return 1 if it is claimed now
   */
  @SqlUpdate(
      "UPDATE turn_claims SET request_hash = UNHEX(:requestHash), owner = :owner, lease_until = "
          + LEASE
          + OF_KEY
          + "AND lease_until < UTC_TIMESTAMP(3)")
  int takeOver(@BindMethods Row row);

  @SqlQuery(
      "SELECT LOWER(HEX(request_hash)) AS request_hash, owner, lease_until < UTC_TIMESTAMP(3) AS expired"
          + " FROM turn_claims"
          + OF_KEY)
  Optional<Found> find(@BindMethods Row row);

  @SqlBatch("UPDATE turn_claims SET lease_until = " + LEASE + OF_KEY + "AND owner = :owner")
  int[] renew(@BindMethods Collection<Row> rows);

  @SqlBatch("DELETE FROM turn_claims" + OF_KEY + "AND owner = :owner")
  int[] release(@BindMethods Collection<Row> rows);

  /** Claims whose leases expired a while ago. */
  @SqlQuery(
      """
      SELECT project_id, LOWER(HEX(key_hash)) AS key_hash, LOWER(HEX(request_hash)) AS request_hash, owner
      FROM turn_claims WHERE lease_until < DATE_SUB(UTC_TIMESTAMP(3), INTERVAL 1 HOUR) LIMIT :limit
      """)
  List<Row> abandoned(int limit);

  @SqlBatch(
      "DELETE FROM turn_claims" + OF_KEY + "AND owner = :owner AND lease_until < UTC_TIMESTAMP(3)")
  int[] remove(@BindMethods Collection<Row> rows);

  record Row(long projectId, String keyHash, String requestHash, String owner) {}

  /** The request and owner that a key is claimed by; others may claim it once it has expired. */
  record Found(String requestHash, String owner, boolean expired) {}
}
