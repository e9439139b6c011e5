package io.memorygateway.observation;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.sqlobject.config.RegisterConstructorMapper;
import org.jdbi.v3.sqlobject.customizer.Bind;
import org.jdbi.v3.sqlobject.customizer.BindMethods;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;
import org.jspecify.annotations.Nullable;

/**
 * Tables {@code observation_records} and {@code observation_chunks}, as the observer writes them.
 */
@RegisterConstructorMapper(RecordDao.Current.class)
@RegisterConstructorMapper(RecordDao.PendingChunk.class)
public interface RecordDao {

  /** The columns of the current record that the observer needs. */
  record Current(
      int generation,
      String observations,
      long observationTokens,
      long totalTokensObserved,
      @Nullable Instant lastObservedAt,
      @Nullable String reflection,
      @Nullable Integer reflectionInputLength,
      @Nullable Boolean reflectionByModel) {}

  /**
   * A prepared reflection that is not in force yet.
   *
   * @param inputTokens of the beginning of the observations that it replaces
   * @param inputLength of the same, in UTF-16 units
   */
  record PreparedReflection(
      @Nullable String reflection,
      @Nullable Long tokens,
      @Nullable Long inputTokens,
      @Nullable Integer inputLength,
      @Nullable Boolean byModel) {

    /** No prepared reflection. */
    static final PreparedReflection NONE = new PreparedReflection(null, null, null, null, null);
  }

  /** A chunk that is not yet appended. */
  record PendingChunk(
      long lastSeq,
      String observations,
      long messageTokens,
      @Nullable String suggestedContinuation,
      @Nullable String currentTask,
      Instant lastObservedAt) {}

  /** A new row of {@code observation_records}. */
  record NewRecord(
      long threadId,
      int generation,
      String publicId,
      String originType,
      String observations,
      long observationTokens,
      long totalTokensObserved,
      @Nullable Instant lastObservedAt,
      String config,
      Instant createdAt) {}

  /** A new row of {@code observation_chunks}. */
  record NewChunk(
      long threadId,
      long lastSeq,
      String publicId,
      String cycleId,
      String observations,
      long tokenCount,
      String messageIds,
      long messageTokens,
      @Nullable String suggestedContinuation,
      @Nullable String currentTask,
      @Nullable String threadTitle,
      Instant lastObservedAt,
      Instant createdAt) {}

  @SqlQuery(
      """
      SELECT generation, observations, observation_tokens, total_tokens_observed, last_observed_at, reflection,
             reflection_input_length, reflection_by_model
      FROM observation_records WHERE thread_id = :threadId ORDER BY generation DESC LIMIT 1
      """)
  Optional<Current> current(@Bind("threadId") long threadId);

  @SqlQuery(
      """
      SELECT last_seq, observations, message_tokens, suggested_continuation, current_task, last_observed_at
      FROM observation_chunks WHERE thread_id = :threadId ORDER BY last_seq
      """)
  List<PendingChunk> waiting(@Bind("threadId") long threadId);

  @SqlUpdate(
      """
      INSERT INTO observation_records (thread_id, generation, public_id, origin_type, observations, observation_tokens,
                                       total_tokens_observed, last_observed_at, config, created_at, updated_at)
      VALUES (:threadId, :generation, :publicId, :originType, :observations, :observationTokens,
              :totalTokensObserved, :lastObservedAt, :config, :createdAt, :createdAt)
      """)
  void insert(@BindMethods NewRecord record);

  @SqlUpdate(
      """
      INSERT INTO observation_chunks (thread_id, last_seq, public_id, cycle_id, observations, token_count, message_ids,
                                      message_tokens, suggested_continuation, current_task, thread_title,
                                      last_observed_at, created_at)
      VALUES (:threadId, :lastSeq, :publicId, :cycleId, :observations, :tokenCount, :messageIds, :messageTokens,
              :suggestedContinuation, :currentTask, :threadTitle, :lastObservedAt, :createdAt)
      """)
  void insert(@BindMethods NewChunk chunk);

  /** Appends observations to those of the current record. */
  @SqlUpdate(
      """
      UPDATE observation_records
      SET observations = CONCAT(observations, :added), observation_tokens = :observationTokens,
          total_tokens_observed = total_tokens_observed + :messageTokens,
          last_observed_at = GREATEST(COALESCE(last_observed_at, :lastObservedAt), :lastObservedAt),
          updated_at = GREATEST(updated_at, :now)
      WHERE thread_id = :threadId AND generation = :generation
      """)
  void append(
      @Bind("threadId") long threadId,
      @Bind("generation") int generation,
      @BindMethods Addition addition,
      @Bind("now") Instant now);

  /**
   * An addition to the observations of a record.
   *
   * @param observationTokens of the whole text afterwards
   * @param messageTokens of the messages that were observed
   */
  record Addition(
      String added, long observationTokens, long messageTokens, Instant lastObservedAt) {}

  /** Stores the settings that the latest observations were made with. */
  @SqlUpdate(
      """
      UPDATE observation_records SET config = :config, updated_at = GREATEST(updated_at, :now)
      WHERE thread_id = :threadId AND generation = :generation
      """)
  void configure(
      @Bind("threadId") long threadId,
      @Bind("generation") int generation,
      @Bind("config") String config,
      @Bind("now") Instant now);

  /** Deletes the chunks up to a seq; returns how many there were. */
  @SqlUpdate("DELETE FROM observation_chunks WHERE thread_id = :threadId AND last_seq <= :lastSeq")
  int deleteChunks(@Bind("threadId") long threadId, @Bind("lastSeq") long lastSeq);

  @SqlQuery("SELECT MAX(last_seq) FROM observation_chunks WHERE thread_id = :threadId")
  @Nullable Long lastChunk(@Bind("threadId") long threadId);

  /** Stores a prepared reflection, or deletes it. */
  @SqlUpdate(
      """
      UPDATE observation_records
      SET reflection = :reflection, reflection_tokens = :tokens, reflection_input_tokens = :inputTokens,
          reflection_input_length = :inputLength, reflection_by_model = :byModel,
          updated_at = GREATEST(updated_at, :now)
      WHERE thread_id = :threadId AND generation = :generation
      """)
  void prepare(
      @Bind("threadId") long threadId,
      @Bind("generation") int generation,
      @BindMethods PreparedReflection prepared,
      @Bind("now") Instant now);
}
