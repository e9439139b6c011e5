package io.memorygateway.turn;

import io.memorygateway.memory.write.TurnWrite;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes that a turn makes to stored messages, besides adding new ones: a repeated call
 * replaces the answer before, and a branch what stands in its place.
 *
 * @param question seq of the message that is answered again: the answers that follow it when the
 *     turn is stored are superseded; null if the turn replaces no other
 * @param interrupted seqs of the messages of an interrupted turn that the call repeats
 * @param branch null if the turn goes on with the thread's conversation
 */
record Amendment(
    @Nullable Long question, List<Long> interrupted, TurnWrite.@Nullable Branch branch) {
  static final Amendment NONE = new Amendment(null, List.of(), null);
}
