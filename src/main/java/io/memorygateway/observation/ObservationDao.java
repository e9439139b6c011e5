package io.memorygateway.observation;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.sqlobject.config.RegisterConstructorMapper;
import org.jdbi.v3.sqlobject.customizer.Bind;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jspecify.annotations.Nullable;

/** Tables {@code observation_…}; threads by {@code threads.id}. */
@RegisterConstructorMapper(ObservationRecord.class)
@RegisterConstructorMapper(ObservationState.class)
@RegisterConstructorMapper(ObservationChunk.class)
public interface ObservationDao {
  String RECORD =
      """
      SELECT generation, public_id, origin_type, observations, observation_tokens, total_tokens_observed,
             last_observed_at, config, reflection, reflection_tokens, reflection_input_tokens, created_at, updated_at
      FROM observation_records WHERE thread_id = :threadId
      """;
  String WITHIN =
      "AND (:from IS NULL OR created_at >= :from) AND (:to IS NULL OR created_at <= :to)\n";

  @SqlQuery(
      "SELECT observations FROM observation_records WHERE thread_id = :threadId ORDER BY generation DESC LIMIT 1")
  Optional<String> currentObservations(@Bind("threadId") long threadId);

  /** Bytes of the texts of a record. */
  String BYTES =
      "SELECT OCTET_LENGTH(observations) + COALESCE(OCTET_LENGTH(reflection), 0) FROM observation_records WHERE thread_id = :threadId\n";

  /** Bytes of the texts of the current record; nothing without one. */
  @SqlQuery(BYTES + "ORDER BY generation DESC LIMIT 1")
  Optional<Long> currentBytes(@Bind("threadId") long threadId);

  /** Bytes of the texts of each record that {@link #history} returns. */
  @SqlQuery(BYTES + WITHIN + "ORDER BY generation DESC LIMIT :limit OFFSET :offset")
  List<Long> historyBytes(
      @Bind("threadId") long threadId,
      @Bind("from") @Nullable Instant from,
      @Bind("to") @Nullable Instant to,
      @Bind("limit") int limit,
      @Bind("offset") long offset);

  /** Bytes of the texts and message ids of a thread's chunks. */
  @SqlQuery(
      "SELECT COALESCE(SUM(OCTET_LENGTH(observations) + OCTET_LENGTH(message_ids)), 0) FROM observation_chunks WHERE thread_id = :threadId")
  long chunkBytes(@Bind("threadId") long threadId);

  @SqlQuery(RECORD + "ORDER BY generation DESC LIMIT 1")
  Optional<ObservationRecord> current(@Bind("threadId") long threadId);

  @SqlQuery(RECORD + WITHIN + "ORDER BY generation DESC LIMIT :limit OFFSET :offset")
  List<ObservationRecord> history(
      @Bind("threadId") long threadId,
      @Bind("from") @Nullable Instant from,
      @Bind("to") @Nullable Instant to,
      @Bind("limit") int limit,
      @Bind("offset") long offset);

  @SqlQuery("SELECT COUNT(*) FROM observation_records WHERE thread_id = :threadId\n" + WITHIN)
  long count(
      @Bind("threadId") long threadId,
      @Bind("from") @Nullable Instant from,
      @Bind("to") @Nullable Instant to);

  @SqlQuery("SELECT MAX(generation) FROM observation_records WHERE thread_id = :threadId")
  @Nullable Integer currentGeneration(@Bind("threadId") long threadId);

  @SqlQuery(
      """
      SELECT message_tokens, observation_tokens, observed_seq, observing_until, reflecting_until, buffering_until,
             buffering_reflection_until
      FROM observation_states WHERE thread_id = :threadId
      """)
  Optional<ObservationState> state(@Bind("threadId") long threadId);

  @SqlQuery(
      """
      SELECT public_id, cycle_id, observations, token_count, message_ids, message_tokens, suggested_continuation,
             current_task, thread_title, last_observed_at, created_at
      FROM observation_chunks WHERE thread_id = :threadId ORDER BY last_seq
      """)
  List<ObservationChunk> chunks(@Bind("threadId") long threadId);
}
