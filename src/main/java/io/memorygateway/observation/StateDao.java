package io.memorygateway.observation;

import io.memorygateway.memory.rows.ThreadDao;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.sqlobject.customizer.BindList;
import org.jdbi.v3.sqlobject.customizer.BindMethods;
import org.jdbi.v3.sqlobject.customizer.Define;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;
import org.jspecify.annotations.Nullable;

/** Tables {@code thread_heads} and {@code observation_states}, as the observer works with them. */
public interface StateDao {

  /** The columns of a thread's head that the observer needs. */
  record Head(long storedBytes, long observeAt, long version) {}

  String HEAD =
      "SELECT h.stored_bytes, h.observe_at, h.version FROM thread_heads h "
          + ThreadDao.WITH_THREAD
          + "AND h.thread_id = :threadId\n";

  @SqlQuery(HEAD)
  Optional<Head> head(long threadId);

  /** Locks the head of a thread. For any change below a thread, this lock is taken first. */
  @SqlQuery(HEAD + "FOR UPDATE")
  Optional<Head> lockHead(long threadId);

  /** Locks the heads of threads, in the order of their ids; returns those that are there. */
  @SqlQuery(
      "SELECT h.thread_id FROM thread_heads h "
          + ThreadDao.WITH_THREAD
          + "AND h.thread_id IN (<threads>) ORDER BY h.thread_id FOR UPDATE")
  List<Long> lockHeads(@BindList Collection<Long> threads);

  @SqlUpdate("UPDATE thread_heads SET version = version + 1 WHERE thread_id = :threadId")
  void bumpVersion(long threadId);

  @SqlUpdate("UPDATE thread_heads SET observe_at = :observeAt WHERE thread_id = :threadId")
  void scheduleCheck(long threadId, long observeAt);

  /** Makes the next message request a check by the observer. */
  @SqlUpdate(
      "UPDATE thread_heads SET observe_at = LEAST(observe_at, stored_bytes) WHERE thread_id = :threadId")
  void checkNow(long threadId);

  @SqlQuery(
      """
      SELECT p.name FROM thread_heads h JOIN projects p ON p.id = h.project_id WHERE h.thread_id = :threadId
      """)
  Optional<String> projectName(long threadId);

  @SqlQuery(
      """
      SELECT message_tokens, observation_tokens, observed_seq, observing_until, reflecting_until, buffering_until,
             buffering_reflection_until, current_task, suggested_continuation, reflect_from
      FROM observation_states WHERE thread_id = :threadId
      """)
  Optional<ObservationState> state(long threadId);

  /** Creates the row, if there is none. */
  @SqlUpdate("INSERT IGNORE INTO observation_states (thread_id) VALUES (:threadId)")
  void make(long threadId);

  @SqlUpdate(
      """
      UPDATE observation_states
      SET observed_seq = :observedSeq,
          current_task = COALESCE(:currentTask, current_task), suggested_continuation = :suggestedContinuation
      WHERE thread_id = :threadId
      """)
  void observed(long threadId, @BindMethods Progress observed);

  /**
   * The progress of an observation.
   *
   * @param suggestedContinuation null deletes the former one, which is out of date
   */
  record Progress(
      long observedSeq, @Nullable String currentTask, @Nullable String suggestedContinuation) {}

  @SqlUpdate("UPDATE observation_states SET reflect_from = :tokens WHERE thread_id = :threadId")
  void reflectFrom(long threadId, long tokens);

  @SqlUpdate(
      """
      UPDATE observation_states
      SET current_task = COALESCE(:currentTask, current_task),
          suggested_continuation = COALESCE(:suggestedContinuation, suggested_continuation)
      WHERE thread_id = :threadId
      """)
  void reflected(
      long threadId, @Nullable String currentTask, @Nullable String suggestedContinuation);

  /**
   * Marks work as running.
   *
   * @param column one of the four
   */
  @SqlUpdate(
      """
      UPDATE observation_states
      SET <column> = UTC_TIMESTAMP(3) + INTERVAL :leaseMillis * 1000 MICROSECOND WHERE thread_id = :threadId
      """)
  void begin(@Define("column") String column, long threadId, long leaseMillis);

  /** Marks all work as ended. */
  @SqlUpdate(
      """
      UPDATE observation_states
      SET observing_until = NULL, reflecting_until = NULL, buffering_until = NULL, buffering_reflection_until = NULL
      WHERE thread_id = :threadId
      """)
  void end(long threadId);

  @SqlUpdate(
      """
      UPDATE observation_states
      SET observing_until = IF(observing_until IS NULL, NULL, UTC_TIMESTAMP(3) + INTERVAL :leaseMillis * 1000 MICROSECOND),
          reflecting_until = IF(reflecting_until IS NULL, NULL, UTC_TIMESTAMP(3) + INTERVAL :leaseMillis * 1000 MICROSECOND),
          buffering_until = IF(buffering_until IS NULL, NULL, UTC_TIMESTAMP(3) + INTERVAL :leaseMillis * 1000 MICROSECOND),
          buffering_reflection_until =
            IF(buffering_reflection_until IS NULL, NULL, UTC_TIMESTAMP(3) + INTERVAL :leaseMillis * 1000 MICROSECOND)
      WHERE thread_id = :threadId
      """)
  void prolong(long threadId, long leaseMillis);

  /** The columns that hold a thread's own configuration. */
  @SqlQuery(
      """
      SELECT message_tokens, observation_tokens, recall_tokens, recall_scope, time_marks, time_zone
      FROM observation_states WHERE thread_id = :threadId
      """)
  Optional<ThreadConfig> config(long threadId);

  @SqlUpdate(
      """
      INSERT INTO observation_states
        (thread_id, message_tokens, observation_tokens, recall_tokens, recall_scope, time_marks, time_zone)
      VALUES
        (:threadId, :messageTokens, :observationTokens, :recallTokens, :recallScope, :timeMarks, :timeZone)
      ON DUPLICATE KEY UPDATE
        message_tokens = VALUES(message_tokens), observation_tokens = VALUES(observation_tokens),
        recall_tokens = VALUES(recall_tokens), recall_scope = VALUES(recall_scope),
        time_marks = VALUES(time_marks), time_zone = VALUES(time_zone)
      """)
  void configure(long threadId, @BindMethods ThreadConfig config);
}
