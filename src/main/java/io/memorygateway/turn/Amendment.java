package io.memorygateway.turn;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes of a turn to its thread besides adding to it: a call that is made again replaces the
 * one before.
 *
 * @param question seq of the message that is answered again: the answers that follow it when the
 *     turn is stored are superseded; null if the turn takes no other's place
 * @param completed seqs of messages whose turn broke off, and which are answered now
 */
record Amendment(@Nullable Long question, List<Long> completed) {
  static final Amendment NONE = new Amendment(null, List.of());

  boolean isEmpty() {
    return question == null && completed.isEmpty();
  }

  /** The same, for an answer that breaks off again. */
  Amendment withoutCompletion() {
    return new Amendment(question, List.of());
  }
}
