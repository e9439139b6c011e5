package io.memorygateway.turn;

import java.util.List;

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
}
