package io.memorygateway.admin;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;

/** Access to the table {@code admin_tokens}. */
interface AdminTokenDao {
  /** Query of tokens, without their hashes. */
  String TOKENS =
      "SELECT id, public_id, name, role, prefix, created_at, expires_at, revoked_at FROM admin_tokens ";

  @SqlUpdate(
      """
      INSERT INTO admin_tokens (public_id, name, role, prefix, secret_hash, created_at, expires_at)
      VALUES (:publicId, :name, :role, :prefix, UNHEX(:secretHash), :createdAt, :expiresAt)
      """)
  void insert(
      String publicId,
      String name,
      String role,
      String prefix,
      String secretHash,
      Instant createdAt,
      Instant expiresAt);

  @SqlQuery(TOKENS + "WHERE secret_hash = UNHEX(:secretHash)")
  Optional<AdminToken> find(String secretHash);

  @SqlQuery(TOKENS + "WHERE public_id = :publicId FOR UPDATE")
  Optional<AdminToken> lock(String publicId);

  @SqlQuery(TOKENS + "ORDER BY id LIMIT 1000")
  List<AdminToken> list();

  @SqlUpdate("UPDATE admin_tokens SET revoked_at = :now WHERE id = :id AND revoked_at IS NULL")
  void revoke(long id, Instant now);
}
