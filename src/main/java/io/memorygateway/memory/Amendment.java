package io.memorygateway.memory;

import io.memorygateway.observation.ObservationJobs;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
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

  /**
   * Changes the messages.
   *
   * @param thread its head with the turn; it is locked
   */
  void apply(Handle handle, ThreadHead thread, Instant now) {
    MessageDao dao = handle.attach(MessageDao.class);
    List<Long> changed = Stream.of(superseded, completed).flatMap(List::stream).toList();
    FirstMessages.keep(handle, thread, dao.findBySeq(thread.id(), changed), now);
    if (!superseded.isEmpty()) {
      dao.supersede(thread.id(), superseded);
      ObservationJobs.messagesChanged(handle, thread.id(), Collections.min(superseded));
    }
    if (!completed.isEmpty()) {
      dao.complete(thread.id(), completed);
    }
  }
}
