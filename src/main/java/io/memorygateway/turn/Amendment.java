package io.memorygateway.turn;

import io.memorygateway.format.align.Alignment;
import io.memorygateway.format.call.Conversation;
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
 * @param known null if the call has nothing of the thread
 */
record Amendment(
    @Nullable Long question,
    List<Long> interrupted,
    TurnWrite.@Nullable Branch branch,
    TurnWrite.@Nullable Known known) {
  static final Amendment NONE = new Amendment(null, List.of(), null, null);

  /**
   * The changes that a call makes.
   *
   * @param tail of its thread
   * @param version of the thread
   * @param observedSeq of the last message that is observed
   */
  static Amendment of(
      ThreadTail tail, Conversation.Aligned aligned, long version, long observedSeq) {
    Alignment alignment = aligned.alignment();
    TurnWrite.Known known = tail.known(aligned.known(), version, observedSeq);
    if (alignment.branch() != null) {
      return tail.branch(alignment.storedTo(), alignment.branch(), observedSeq, known);
    }
    return aligned.repeats()
        ? tail.amendment(alignment.storedTo(), alignment.newFrom())
        : new Amendment(null, List.of(), null, known);
  }
}
