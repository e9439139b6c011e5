package io.memorygateway.memory;

import io.memorygateway.observation.ObservationJobs;
import java.util.Collections;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * What a turn changes in its thread besides adding to it: a call that is made again takes the place
 * of the one before.
 *
 * @param superseded seqs of the answer that is asked for again
 * @param completed seqs of messages whose turn broke off, and which are answered now
 */
record Amendment(List<Long> superseded, List<Long> completed) {
  static final Amendment NONE = new Amendment(List.of(), List.of());

  boolean isEmpty() {
    return superseded.isEmpty() && completed.isEmpty();
  }

  /** The same, for an answer that breaks off again. */
  Amendment withoutCompletion() {
    return new Amendment(superseded, List.of());
  }

  void apply(Handle handle, long threadId) {
    MessageDao dao = handle.attach(MessageDao.class);
    if (!superseded.isEmpty()) {
      dao.supersede(threadId, superseded);
      ObservationJobs.messagesChanged(handle, threadId, Collections.min(superseded));
    }
    if (!completed.isEmpty()) {
      dao.complete(threadId, completed);
    }
  }
}
