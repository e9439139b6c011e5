package io.memorygateway.observation;

import io.memorygateway.observation.text.ObservationLog;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Progress of the observation of a thread.
 *
 * @param instructions of the operator to the observer's model
 * @param record the current one; null before anything was observed
 * @param chunks not yet appended to it, oldest first
 */
record ThreadView(
    StateDao.Head head,
    ObservationState state,
    ContextConfig config,
    String instructions,
    @Nullable ObservationRecord record,
    List<ObservationChunk> chunks) {

  /** Reads the progress of a thread; empty if the thread does not exist. */
  static Optional<ThreadView> read(Handle handle, long threadId, ContextSettings settings) {
    StateDao states = handle.attach(StateDao.class);
    RecordDao records = handle.attach(RecordDao.class);
    Optional<StateDao.Head> head = states.head(threadId);
    if (head.isEmpty()) {
      return Optional.empty();
    }
    ObservationState state = states.state(threadId).orElse(ObservationState.NONE);
    String project = settings.hasProjects() ? states.projectName(threadId).orElse("") : "";
    return Optional.of(
        new ThreadView(
            head.get(),
            state,
            settings.ofObservers(project, state),
            settings.instructions(project),
            records.current(threadId).orElse(null),
            records.chunks(threadId)));
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

  String notes() {
    return notes(log(), chunks);
  }

  /** A log, and behind it the observations of chunks. */
  static String notes(String log, List<ObservationChunk> chunks) {
    String notes = log;
    for (ObservationChunk chunk : chunks) {
      notes += ObservationLog.toAppend(notes, chunk.observations());
    }
    return notes;
  }
}
