package io.memorygateway.turn;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes that a turn makes to stored messages, besides adding new ones: a repeated call
 * replaces the answer before.
 *
 * @param question seq of the message that is answered again: the answers that follow it when the
 *     turn is stored are superseded; null if the turn replaces no other
 * @param interrupted seqs of the messages of an interrupted turn that the call repeats
 */
record Amendment(@Nullable Long question, List<Long> interrupted) {
  static final Amendment NONE = new Amendment(null, List.of());
}
