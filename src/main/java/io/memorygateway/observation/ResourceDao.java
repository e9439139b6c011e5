package io.memorygateway.observation;

import io.memorygateway.database.Home;
import io.memorygateway.database.RowPages;
import io.memorygateway.memory.rows.ThreadDao;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jdbi.v3.sqlobject.customizer.BindList;
import org.jdbi.v3.sqlobject.customizer.BindMethods;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;
import org.jspecify.annotations.Nullable;

/** Tables {@code resource_records} and {@code resource_sources}. */
public interface ResourceDao {
  String OF_RESOURCE = " WHERE project_id = :projectId AND resource_id = :resourceId\n";

  /** The threads that a record came from and that are still there, as rows {@code s}. */
  String SOURCES =
      "FROM resource_sources s JOIN thread_heads h ON h.thread_id = s.thread_id AND "
          + ThreadDao.HAS_THREAD;

  String GIVES = "COALESCE(o.recall_scope, :scope) = 'resource'";

  /** How far the observations of threads {@code t} reach, and up to where they were condensed. */
  String REACH =
      """
      SELECT r.thread_id, r.generation,
             r.observation_tokens + COALESCE(
               (SELECT SUM(c.token_count) FROM observation_chunks c WHERE c.thread_id = r.thread_id), 0) AS tokens,
             s.since, s.generation AS taken_generation, s.length AS taken_length, s.tokens AS taken_tokens
      FROM observation_records r
      LEFT JOIN observation_states o ON o.thread_id = r.thread_id
      LEFT JOIN resource_sources s ON s.thread_id = r.thread_id
      WHERE r.generation = (SELECT MAX(generation) FROM observation_records WHERE thread_id = r.thread_id) AND\s"""
          + GIVES;

  String SHOWN =
      OF_RESOURCE
          + "AND EXISTS (SELECT 1 "
          + SOURCES
          + "WHERE s.project_id = :projectId AND s.resource_id = :resourceId AND s.thread_id BETWEEN :first AND :last)\n"
          + RecordDao.WITHIN;

  String RECORD =
      """
      SELECT generation, public_id, 'reflection' AS origin_type, observations, observation_tokens, total_tokens_observed,
             created_at AS last_observed_at, config, NULL AS reflection, NULL AS reflection_tokens,
             NULL AS reflection_input_tokens, NULL AS reflection_input_length, NULL AS reflection_by_model,
             created_at, created_at AS updated_at
      FROM resource_records"""
          + SHOWN;

  record Resource(long projectId, String projectName, String resourceId) {
    /** The least id of the threads of its home. */
    public long first() {
      return Home.of(projectId).first();
    }

    /** The greatest id of the threads of its home. */
    public long last() {
      return Home.of(projectId).last();
    }
  }

  /** What is known of a resource, from so many threads. */
  record Known(
      int generation,
      String observations,
      long observationTokens,
      long totalTokensObserved,
      int sources) {}

  /**
   * The observations of a thread.
   *
   * @param generation of its record
   * @param tokens of the observations in force and of those that are prepared
   * @param since the first generation of the resource's record that they went into, or null
   * @param takenGeneration generation of the thread's record when they were condensed last
   * @param takenLength UTF-16 units up to which they were
   */
  record Source(
      long threadId,
      int generation,
      long tokens,
      @Nullable Integer since,
      @Nullable Integer takenGeneration,
      @Nullable Integer takenLength,
      @Nullable Long takenTokens) {

    /** Tokens that were not condensed, about. */
    long newTokens() {
      return takenTokens == null || !isOfThisGeneration()
          ? tokens
          : Math.max(0, tokens - takenTokens);
    }

    /** UTF-16 units up to which the observations of this generation were condensed. */
    int taken() {
      return takenLength == null || !isOfThisGeneration() ? 0 : takenLength;
    }

    private boolean isOfThisGeneration() {
      return takenGeneration != null && takenGeneration == generation;
    }

    /** Whether nothing was observed, dropped or condensed in between. */
    boolean isLike(Source other) {
      return threadId == other.threadId
          && generation == other.generation
          && tokens == other.tokens
          && Objects.equals(since, other.since);
    }

    /** The same of a record that is made anew. */
    Source anew() {
      return new Source(threadId, generation, tokens, null, null, null, null);
    }

    /** The same, condensed for a generation of the resource's record, up to a length. */
    Source takenFor(int record, int length) {
      int first = since == null ? record : since;
      return new Source(threadId, generation, tokens, first, generation, length, tokens);
    }
  }

  @SqlQuery(
      """
      SELECT h.project_id, p.name AS project_name, h.resource_id FROM thread_heads h JOIN projects p ON p.id = h.project_id
      WHERE h.thread_id = :threadId
      """)
  Optional<Resource> resource(long threadId);

  @SqlQuery(
      "SELECT generation, observations, observation_tokens, total_tokens_observed, sources FROM resource_records"
          + OF_RESOURCE
          + RecordDao.CURRENT)
  Optional<Known> known(@BindMethods Resource resource);

  /**
   * Number of the threads that a record came from, are still there, and give to others.
   *
   * @param scope of threads without their own
   */
  @SqlQuery(
      "SELECT COUNT(*) "
          + SOURCES
          + "LEFT JOIN observation_states o ON o.thread_id = s.thread_id\n"
          + "WHERE s.project_id = :projectId AND s.resource_id = :resourceId AND s.thread_id BETWEEN :first AND :last AND "
          + GIVES)
  int sources(@BindMethods Resource resource, String scope);

  /** The threads of a resource, those that changed last first. */
  @SqlQuery(
      "SELECT h.thread_id FROM thread_heads h WHERE h.project_id = :projectId AND h.resource_id = :resourceId AND h.thread_id BETWEEN :first AND :last AND "
          + ThreadDao.HAS_THREAD
          + "ORDER BY h.updated_at DESC LIMIT :limit")
  List<Long> threads(@BindMethods Resource resource, int limit);

  /** How far the observations of threads reach; without threads that have none, or give nothing. */
  @SqlQuery(REACH + " AND r.thread_id IN (<threads>) ORDER BY r.thread_id")
  List<Source> reach(@BindList Collection<Long> threads, String scope);

  /** Adds a generation; fails with a duplicate key if another node did. */
  @SqlUpdate(
      """
      INSERT INTO resource_records (project_id, resource_id, generation, public_id, observations, observation_tokens,
                                    total_tokens_observed, config, sources, created_at)
      VALUES (:projectId, :resourceId, :generation, :publicId, :observations, :observationTokens,
              :totalTokensObserved, :config, :sources, :now)
      """)
  void insert(
      @BindMethods Resource resource,
      @BindMethods Known record,
      String publicId,
      String config,
      Instant now);

  @SqlUpdate("DELETE FROM resource_records" + OF_RESOURCE + "AND generation < :generation")
  void deleteBefore(@BindMethods Resource resource, int generation);

  @SqlUpdate(
      "DELETE FROM resource_sources"
          + OF_RESOURCE
          + "AND thread_id BETWEEN :first AND :last LIMIT "
          + RowPages.ROWS)
  int deleteSomeSources(@BindMethods Resource resource);

  default void deleteSources(Resource resource) {
    RowPages.delete(() -> deleteSomeSources(resource));
  }

  /** Notes up to where the observations of a thread were condensed. */
  @SqlUpdate(
      """
      INSERT INTO resource_sources (thread_id, project_id, resource_id, since, generation, length, tokens)
      VALUES (:threadId, :projectId, :resourceId, :since, :takenGeneration, :takenLength, :takenTokens)
      ON DUPLICATE KEY UPDATE project_id = VALUES(project_id), resource_id = VALUES(resource_id), since = VALUES(since),
        generation = VALUES(generation), length = VALUES(length), tokens = VALUES(tokens)
      """)
  void take(@BindMethods Resource resource, @BindMethods Source source);

  /** Makes what came from a thread void; returns 1 if anything did. */
  @SqlUpdate("DELETE FROM resource_sources WHERE thread_id = :threadId")
  int leave(long threadId);

  /** The resource of a deleted thread, if something is known of it. */
  @SqlQuery(
      """
      SELECT t.project_id, '' AS project_name, t.resource_id FROM threads t WHERE t.id = :threadId AND EXISTS
        (SELECT 1 FROM resource_records k WHERE k.project_id = t.project_id AND k.resource_id = t.resource_id)
      """)
  Optional<Resource> knownOfDeleted(long threadId);

  /** A thread that is there, of the resource; waits until its deletion, if any, has ended. */
  @SqlQuery(
      "SELECT thread_id FROM thread_heads"
          + OF_RESOURCE
          + "AND thread_id BETWEEN :first AND :last LIMIT 1 LOCK IN SHARE MODE")
  Optional<Long> anyThread(@BindMethods Resource resource);

  /** Records as they are shown, newest first; none once all that they came from is gone. */
  @SqlQuery(RECORD + "ORDER BY generation DESC LIMIT :limit OFFSET :offset")
  List<ObservationRecord> history(
      @BindMethods Resource resource,
      @Nullable Instant from,
      @Nullable Instant to,
      int limit,
      long offset);

  @SqlQuery("SELECT COUNT(*) FROM resource_records" + SHOWN)
  long count(@BindMethods Resource resource, @Nullable Instant from, @Nullable Instant to);

  @SqlQuery(
      "SELECT COALESCE(SUM(OCTET_LENGTH(observations)), 0) FROM resource_records" + OF_RESOURCE)
  long bytes(@BindMethods Resource resource);
}
