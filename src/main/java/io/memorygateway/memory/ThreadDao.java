package io.memorygateway.memory;

import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.sqlobject.config.RegisterRowMapper;
import org.jdbi.v3.sqlobject.customizer.Bind;
import org.jdbi.v3.sqlobject.customizer.BindMethods;
import org.jdbi.v3.sqlobject.statement.GetGeneratedKeys;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;
import org.jspecify.annotations.Nullable;

/** Table {@code threads}, one thread at a time. Ids of clients are bound as UTF-8. */
@RegisterRowMapper(ThreadRow.Mapper.class)
@RegisterRowMapper(ThreadHead.Mapper.class)
public interface ThreadDao {
  String ROW = "SELECT id, public_id, resource_id, title, metadata, created_at, updated_at\n";
  String HEAD =
      "SELECT id, public_id, resource_id, base_seq, next_seq, message_count, updated_at\n";
  String BY_PUBLIC_ID = "FROM threads WHERE project_id = :projectId AND public_id = :publicId\n";

  @SqlQuery(ROW + BY_PUBLIC_ID)
  Optional<ThreadRow> find(@Bind("projectId") long projectId, @Bind("publicId") String publicId);

  @SqlQuery(ROW + BY_PUBLIC_ID + "FOR UPDATE")
  Optional<ThreadRow> lock(@Bind("projectId") long projectId, @Bind("publicId") String publicId);

  @SqlQuery(HEAD + BY_PUBLIC_ID)
  Optional<ThreadHead> findHead(
      @Bind("projectId") long projectId, @Bind("publicId") String publicId);

  @SqlQuery(HEAD + BY_PUBLIC_ID + "FOR UPDATE")
  Optional<ThreadHead> lockHead(
      @Bind("projectId") long projectId, @Bind("publicId") String publicId);

  /**
   * A new thread's row.
   *
   * @return {@code threads.id}
   */
  @SqlUpdate(
      """
      INSERT INTO threads (project_id, public_id, resource_id, title, metadata, base_seq, next_seq, message_count,
                           created_at, updated_at)
      VALUES (:projectId, :publicId, :resourceId, :title, :metadata, :baseSeq, :nextSeq, :messageCount,
              :createdAt, :createdAt)
      """)
  @GetGeneratedKeys
  long insert(@BindMethods Insert row);

  @SqlUpdate(
      "UPDATE threads SET title = :title, metadata = :metadata, updated_at = :updatedAt WHERE id = :id")
  void describe(
      @Bind("id") long id,
      @Bind("title") @Nullable String title,
      @Bind("metadata") @Nullable String metadata,
      @Bind("updatedAt") Instant updatedAt);

  @SqlUpdate(
      """
      UPDATE threads SET base_seq = :baseSeq, next_seq = :nextSeq, message_count = :messageCount,
                         updated_at = :updatedAt
      WHERE id = :id
      """)
  void advance(@BindMethods ThreadHead head);

  @SqlUpdate("DELETE FROM threads WHERE id = :id")
  void delete(@Bind("id") long id);

  /** What a thread starts with. */
  record Insert(
      long projectId,
      String publicId,
      String resourceId,
      @Nullable String title,
      @Nullable String metadata,
      long baseSeq,
      long nextSeq,
      long messageCount,
      Instant createdAt) {}
}
