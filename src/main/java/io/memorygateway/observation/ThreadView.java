package io.memorygateway.observation;

import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Where the observation of a thread stands.
 *
 * @param record the current one; null before anything was observed
 * @param chunks that wait to be appended to it, oldest first
 */
record ThreadView(
    StateDao.Head head,
    StateDao.State state,
    ObservationConfig config,
    RecordDao.@Nullable Current record,
    List<RecordDao.Waiting> chunks) {

  /** Nothing, if the thread is not there. */
  static Optional<ThreadView> read(Handle handle, long threadId, ObservationSettings settings) {
    StateDao states = handle.attach(StateDao.class);
    RecordDao records = handle.attach(RecordDao.class);
    Optional<StateDao.Head> head = states.head(threadId);
    if (head.isEmpty()) {
      return Optional.empty();
    }
    StateDao.State state = states.state(threadId).orElse(StateDao.State.NONE);
    return Optional.of(
        new ThreadView(
            head.get(),
            state,
            defaults(states, threadId, settings)
                .with(state.messageTokens(), state.observationTokens()),
            records.current(threadId).orElse(null),
            records.waiting(threadId)));
  }

  /** What is in force for a thread that says nothing itself. */
  static ObservationConfig defaults(StateDao states, long threadId, ObservationSettings settings) {
    return settings.hasProjects()
        ? settings.of(states.projectName(threadId).orElse(""))
        : settings.server();
  }

  CutRule rule() {
    return new CutRule(config.messageTokens());
  }

  /** The seq of the last message that is observed. */
  long observedSeq() {
    return state.observedSeq();
  }

  /** The seq of the last message that is observed or whose observation is prepared. */
  long preparedSeq() {
    return chunks.isEmpty() ? observedSeq() : chunks.get(chunks.size() - 1).lastSeq();
  }

  /** The log in force; empty if there is none. */
  String log() {
    return record == null ? "" : record.observations();
  }

  /** All that is noted, in force or prepared. */
  String notes() {
    String notes = log();
    for (RecordDao.Waiting chunk : chunks) {
      notes += ObservationLog.toAppend(notes, chunk.observations());
    }
    return notes;
  }
}
