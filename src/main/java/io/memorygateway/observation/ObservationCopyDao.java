package io.memorygateway.observation;

import org.jdbi.v3.sqlobject.customizer.Bind;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;

/** Copies the observations of one thread to another one with the same messages. */
public interface ObservationCopyDao {
  @SqlUpdate(
      """
      INSERT INTO observation_states (thread_id, message_tokens, observation_tokens, observed_seq,
                                      current_task, suggested_continuation, reflect_from,
                                      recall_tokens, time_marks, time_zone)
      SELECT :to, message_tokens, observation_tokens, observed_seq,
             current_task, suggested_continuation, reflect_from, recall_tokens, time_marks, time_zone
      FROM observation_states WHERE thread_id = :from
      """)
  void copyState(@Bind("from") long from, @Bind("to") long to);

  /**
   * Copies all records, under new ids.
   *
   * @param idHead the first 28 characters of a UUID; the last 8 count the generations
   */
  @SqlUpdate(
      """
      INSERT INTO observation_records (thread_id, generation, public_id, origin_type, observations, observation_tokens,
                                       total_tokens_observed, last_observed_at, config, reflection,
                                       reflection_tokens, reflection_input_tokens, reflection_input_length,
                                       reflection_by_model, created_at, updated_at)
      SELECT :to, generation, CONCAT(:idHead, LOWER(LPAD(HEX(generation), 8, '0'))), origin_type, observations,
             observation_tokens, total_tokens_observed, last_observed_at, config, reflection,
             reflection_tokens, reflection_input_tokens, reflection_input_length, reflection_by_model,
             created_at, updated_at
      FROM observation_records WHERE thread_id = :from
      """)
  void copyRecords(@Bind("from") long from, @Bind("to") long to, @Bind("idHead") String idHead);
}
