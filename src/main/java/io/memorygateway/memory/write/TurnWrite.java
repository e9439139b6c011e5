package io.memorygateway.memory.write;

import io.memorygateway.memory.replay.PendingResponse;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.NewMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a turn, stored in one transaction.
 *
 * @param messages at the end of the thread. Each has its id: a second attempt finds what the first
 *     one stored
 * @param shared the id among them that an earlier attempt of the same call, on whatever node, may
 *     have used; null if there is none
 * @param question seq of a stored message that is answered again; null if none is
 * @param interrupted seqs of the messages of an interrupted turn that this one repeats
 * @param branch that the turn goes on with in the place of what the thread has; null for none
 * @param complete whether the answer is, so that the interrupted turn becomes complete by it
 * @param answer stored with the messages; null if the call has no Idempotency-Key
 */
public record TurnWrite(
    List<NewMessage> messages,
    @Nullable String shared,
    @Nullable Long question,
    List<Long> interrupted,
    @Nullable Branch branch,
    boolean complete,
    @Nullable PendingResponse answer) {

  /**
   * A branch of a thread.
   *
   * @param after seq behind which all that is stored before the turn is superseded
   * @param revived seqs of superseded messages that belong to the conversation again
   * @param staying seqs of messages behind {@code after} that belong to the branch
   */
  public record Branch(long after, List<Long> revived, Set<Long> staying) {}

  public TurnWrite {
    messages = List.copyOf(messages);
    interrupted = List.copyOf(interrupted);
  }

  /** Whether it leaves existing messages unchanged. */
  public boolean onlyAdds() {
    return question == null && interrupted.isEmpty() && branch == null;
  }

  /** Returns the write with new ids from the shared one on. */
  public TurnWrite unshared(Supplier<String> newId) {
    List<NewMessage> renamed = new ArrayList<>();
    boolean own = false;
    for (NewMessage message : messages) {
      own |= Objects.equals(message.id(), shared);
      renamed.add(own ? message.withId(newId.get()) : message);
    }
    return new TurnWrite(renamed, null, question, interrupted, branch, complete, answer);
  }

  /**
   * Returns the write as that of a new turn, which repeats no other.
   *
   * @param asked the messages that it answers, stored again before the answer
   */
  TurnWrite asNewTurn(List<MessageRow> asked, Supplier<String> newId) {
    List<NewMessage> all = new ArrayList<>();
    for (MessageRow row : asked) {
      all.add(new NewMessage(newId.get(), row.role(), row.type(), row.content(), null, !complete));
    }
    all.addAll(messages);
    return new TurnWrite(
        all,
        shared,
        null,
        List.of(),
        null,
        complete,
        answer == null ? null : answer.skipping(asked.size()));
  }
}
