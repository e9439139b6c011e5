package io.memorygateway.observation;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.sqlobject.customizer.BindMethods;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;
import org.jspecify.annotations.Nullable;

/** Tables {@code observation_records} and {@code observation_chunks}. */
public interface RecordDao {
  String RECORD =
      """
      SELECT generation, public_id, origin_type, observations, observation_tokens, total_tokens_observed,
             last_observed_at, config, reflection, reflection_tokens, reflection_input_tokens,
             reflection_input_length, reflection_by_model, created_at, updated_at
      FROM observation_records WHERE thread_id = :threadId
      """;
  String CURRENT = "ORDER BY generation DESC LIMIT 1";
  String WITHIN =
      "AND (:from IS NULL OR created_at >= :from) AND (:to IS NULL OR created_at <= :to)\n";
  String PAGE = WITHIN + "ORDER BY generation DESC LIMIT :limit OFFSET :offset";

  String BYTES =
      "SELECT OCTET_LENGTH(observations) + COALESCE(OCTET_LENGTH(reflection), 0) FROM observation_records WHERE thread_id = :threadId\n";

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

    static final PreparedReflection NONE = new PreparedReflection(null, null, null, null, null);
  }

  @SqlQuery(RECORD + CURRENT)
  Optional<ObservationRecord> current(long threadId);

  @SqlQuery("SELECT observations FROM observation_records WHERE thread_id = :threadId " + CURRENT)
  Optional<String> currentObservations(long threadId);

  @SqlQuery("SELECT MAX(generation) FROM observation_records WHERE thread_id = :threadId")
  @Nullable Integer currentGeneration(long threadId);

  /** Bytes of the texts of the current record; nothing without one. */
  @SqlQuery(BYTES + CURRENT)
  Optional<Long> currentBytes(long threadId);

  @SqlQuery(RECORD + PAGE)
  List<ObservationRecord> history(
      long threadId, @Nullable Instant from, @Nullable Instant to, int limit, long offset);

  @SqlQuery(BYTES + PAGE)
  List<Long> historyBytes(
      long threadId, @Nullable Instant from, @Nullable Instant to, int limit, long offset);

  @SqlQuery("SELECT COUNT(*) FROM observation_records WHERE thread_id = :threadId\n" + WITHIN)
  long count(long threadId, @Nullable Instant from, @Nullable Instant to);

  /** The chunks that are not yet appended. */
  @SqlQuery(
      """
      SELECT last_seq, public_id, cycle_id, observations, token_count, message_ids, message_tokens,
             suggested_continuation, current_task, thread_title, last_observed_at, created_at
      FROM observation_chunks WHERE thread_id = :threadId ORDER BY last_seq
      """)
  List<ObservationChunk> chunks(long threadId);

  /** Bytes of the texts and message ids of a thread's chunks. */
  @SqlQuery(
      "SELECT COALESCE(SUM(OCTET_LENGTH(observations) + OCTET_LENGTH(message_ids)), 0) FROM observation_chunks WHERE thread_id = :threadId")
  long chunkBytes(long threadId);

  /** Adds a record without a prepared reflection. */
  @SqlUpdate(
      """
      INSERT INTO observation_records (thread_id, generation, public_id, origin_type, observations, observation_tokens,
                                       total_tokens_observed, last_observed_at, config, created_at, updated_at)
      VALUES (:threadId, :generation, :publicId, :originType, :observations, :observationTokens,
              :totalTokensObserved, :lastObservedAt, :config, :createdAt, :updatedAt)
      """)
  void insert(long threadId, @BindMethods ObservationRecord record);

  @SqlUpdate(
      """
      INSERT INTO observation_chunks (thread_id, last_seq, public_id, cycle_id, observations, token_count, message_ids,
                                      message_tokens, suggested_continuation, current_task, thread_title,
                                      last_observed_at, created_at)
      VALUES (:threadId, :lastSeq, :publicId, :cycleId, :observations, :tokenCount, :messageIds, :messageTokens,
              :suggestedContinuation, :currentTask, :threadTitle, :lastObservedAt, :createdAt)
      """)
  void insert(long threadId, @BindMethods ObservationChunk chunk);

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
  void append(long threadId, int generation, @BindMethods Addition addition, Instant now);

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
  void configure(long threadId, int generation, String config, Instant now);

  /** Deletes the chunks up to a seq; returns how many there were. */
  @SqlUpdate("DELETE FROM observation_chunks WHERE thread_id = :threadId AND last_seq <= :lastSeq")
  int deleteChunks(long threadId, long lastSeq);

  @SqlQuery("SELECT MAX(last_seq) FROM observation_chunks WHERE thread_id = :threadId")
  @Nullable Long lastChunk(long threadId);

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
      long threadId, int generation, @BindMethods PreparedReflection prepared, Instant now);
}
