package io.memorygateway.turn;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes that a turn makes to stored messages, besides adding new ones: a repeated call
 * replaces the answer before.
 *
 * @param question seq of the message that is answered again: the answers that follow it when the
 *     turn is stored are superseded; null if the turn replaces no other
 * @param completed seqs of messages of an interrupted turn, which are answered now
 */
record Amendment(@Nullable Long question, List<Long> completed) {
  static final Amendment NONE = new Amendment(null, List.of());

  boolean isEmpty() {
    return question == null && completed.isEmpty();
  }

  /** The same amendment, for an answer that is interrupted again. */
  Amendment withoutCompletion() {
    return new Amendment(question, List.of());
  }
}
