package io.memorygateway.observation;

import java.util.Optional;
import org.jdbi.v3.sqlobject.config.RegisterConstructorMapper;
import org.jdbi.v3.sqlobject.customizer.Bind;
import org.jdbi.v3.sqlobject.customizer.BindMethods;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;

/** The columns of {@code observation_states} that hold a thread's own configuration. */
@RegisterConstructorMapper(ThreadConfig.class)
public interface ThreadConfigDao {
  @SqlQuery(
      """
      SELECT message_tokens, observation_tokens, recall_tokens, recall_scope, time_marks, time_zone
      FROM observation_states WHERE thread_id = :threadId
      """)
  Optional<ThreadConfig> find(@Bind("threadId") long threadId);

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
  void set(@Bind("threadId") long threadId, @BindMethods ThreadConfig config);
}
