package io.memorygateway.auth;

import io.memorygateway.database.RowPages;
import io.memorygateway.database.SqlText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.sqlobject.customizer.Bind;
import org.jdbi.v3.sqlobject.customizer.BindList;
import org.jdbi.v3.sqlobject.statement.SqlBatch;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;
import org.jspecify.annotations.Nullable;

/** Access to the tables {@code projects} and {@code api_keys}. */
public interface ApiKeyDao {
  /** Query of keys; hashes are lower-case hex. */
  String KEYS =
      """
      SELECT k.id, k.public_id, k.project_id, p.public_id AS project_public_id, p.name AS project_name, k.name,
             k.prefix, LOWER(HEX(k.secret_hash)) AS secret_hash, k.limits,
             k.scopes, k.budgets, p.budgets AS project_budgets, k.created_at, k.expires_at,
             k.revoked_at, k.last_used_at, m.id IS NOT NULL AS moving
      FROM api_keys k JOIN projects p ON p.id = k.project_id
      LEFT JOIN id_moves m ON m.owner = 'project' AND m.id = p.id
      """;

  /** The database's time in milliseconds since the epoch. */
  @SqlQuery("SELECT " + SqlText.NOW_MILLIS)
  long nowMillis();

  @SqlUpdate(
      """
      INSERT INTO projects (id, public_id, name, created_at)
      VALUES (:id, :publicId, :name, :createdAt)
      ON DUPLICATE KEY UPDATE name = projects.name
      """)
  void addProjectIfMissing(long id, String publicId, String name, Instant createdAt);

  @SqlQuery("SELECT id FROM projects WHERE name = :name")
  Optional<Long> findProject(String name);

  @SqlQuery("SELECT id FROM projects")
  List<Long> projectIds();

  @SqlUpdate(
      """
      INSERT INTO api_keys (id, public_id, project_id, name, prefix, secret_hash, created_at, expires_at)
      VALUES (:id, :publicId, :projectId, :name, :prefix, UNHEX(:secretHash), :createdAt, :expiresAt)
      """)
  void insert(
      long id,
      String publicId,
      long projectId,
      String name,
      String prefix,
      String secretHash,
      Instant createdAt,
      @Nullable Instant expiresAt);

  /**
   * Finds keys.
   *
   * @param secretHashes the bytes of at least one hash
   */
  @SqlQuery(KEYS + "WHERE k.secret_hash IN (<secretHashes>)")
  List<ApiKey> findBySecretHashes(@BindList List<byte[]> secretHashes);

  @SqlQuery(KEYS + "WHERE k.public_id = :publicId")
  Optional<ApiKey> findByPublicId(String publicId);

  @SqlQuery(KEYS + "WHERE k.public_id = :publicId FOR UPDATE")
  Optional<ApiKey> lockByPublicId(String publicId);

  @SqlQuery(
      KEYS
          + "WHERE (:project IS NULL OR p.name = :project) AND k.id > :after ORDER BY k.id LIMIT "
          + RowPages.ROWS)
  List<ApiKey> page(@Nullable String project, long after);

  /** The keys by the time that they were issued. */
  default List<ApiKey> list(@Nullable String project) {
    List<ApiKey> keys = new ArrayList<>(RowPages.read(ApiKey::id, after -> page(project, after)));
    keys.sort(Comparator.comparing(ApiKey::createdAt).thenComparingLong(ApiKey::id));
    return keys;
  }

  @SqlQuery(
      "SELECT id, LEFT(HEX(secret_hash), 16) AS digits FROM api_keys WHERE id > :after AND revoked_at IS NULL ORDER BY id LIMIT "
          + RowPages.ROWS)
  List<IssuedKeys.KeyFingerprint> fingerprintsAfter(long after);

  @SqlUpdate("UPDATE api_keys SET revoked_at = :now WHERE id = :id AND revoked_at IS NULL")
  void revoke(long id, Instant now);

  @SqlUpdate(
      "UPDATE api_keys SET secret_hash = UNHEX(:secretHash), prefix = :prefix WHERE id = :id")
  void replaceSecret(long id, String secretHash, String prefix);

  @SqlUpdate("UPDATE api_keys SET limits = :limits WHERE id = :id")
  void setLimits(long id, @Nullable String limits);

  @SqlUpdate("UPDATE api_keys SET budgets = :budgets WHERE id = :id")
  void setBudgets(long id, @Nullable String budgets);

  @SqlUpdate("UPDATE projects SET budgets = :budgets WHERE id = :id")
  void setProjectBudgets(long id, @Nullable String budgets);

  @SqlQuery("SELECT id, public_id, name, budgets FROM projects WHERE name = :name FOR UPDATE")
  Optional<ProjectRow> lockProject(String name);

  record ProjectRow(long id, String publicId, String name, @Nullable String budgets) {}

  @SqlUpdate("UPDATE api_keys SET scopes = :scopes, expires_at = :expiresAt WHERE id = :id")
  void setScopes(long id, @Nullable String scopes, @Nullable Instant expiresAt);

  @SqlBatch(
      """
      UPDATE api_keys SET last_used_at = :usedAt
      WHERE id = :id AND (last_used_at IS NULL OR last_used_at < :usedAt)
      """)
  void recordUse(@Bind("id") List<Long> ids, List<Instant> usedAt);
}
