package io.memorygateway.memory.write;

import io.memorygateway.memory.replay.PendingResponse;
import io.memorygateway.memory.rows.LastCall;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.NewMessage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a turn, stored in one transaction.
 *
 * @param messages at the end of the thread. Each has its id: a second attempt finds what the first
 *     one stored
 * @param call that it answers; null if none is known
 * @param question seq of a stored message that is answered again; null if none is
 * @param interrupted seqs of the messages of an interrupted turn that this one repeats
 * @param branch that the turn goes on with in the place of what the thread has; null for none
 * @param known what the call has of the thread; null if it has nothing of it
 * @param complete whether the answer is, so that the interrupted turn becomes complete by it
 * @param answer stored with the messages; null if the call has no Idempotency-Key
 */
public record TurnWrite(
    List<NewMessage> messages,
    @Nullable TurnCall call,
    @Nullable Long question,
    List<Long> interrupted,
    @Nullable Branch branch,
    @Nullable Known known,
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

  /**
   * The messages of the conversation, as it was read, between the first and the last one that a
   * call has.
   *
   * @param version of the thread then
   * @param seqs ascending
   */
  public record Known(long version, List<Long> seqs) {}

  /** A write that is stored as it is, whatever became of the thread meanwhile. */
  public TurnWrite(
      List<NewMessage> messages,
      @Nullable TurnCall call,
      @Nullable Long question,
      List<Long> interrupted,
      @Nullable Branch branch,
      boolean complete,
      @Nullable PendingResponse answer) {
    this(messages, call, question, interrupted, branch, null, complete, answer);
  }

  public TurnWrite {
    messages = List.copyOf(messages);
    interrupted = List.copyOf(interrupted);
  }

  /** Whether it leaves existing messages unchanged. */
  public boolean onlyAdds() {
    return question == null && interrupted.isEmpty() && branch == null;
  }

  /** Whether the call has something of a thread that has changed since it was read. */
  boolean mayBeLeft(long version) {
    return known != null && known.version() < version;
  }

  /**
   * Returns the write as one that goes back to what it follows, in the place of what others have
   * written there meanwhile.
   *
   * @param left seqs of superseded messages that the call has, ascending; not empty
   */
  TurnWrite goingBackTo(List<Long> left) {
    long after = left.get(0) - 1;
    Set<Long> revived = new TreeSet<>(left);
    Set<Long> staying = new TreeSet<>(known == null ? List.of() : known.seqs());
    if (branch != null) {
      after = Math.min(after, branch.after());
      revived.addAll(branch.revived());
      staying.addAll(branch.staying());
    }
    Branch own = new Branch(after, List.copyOf(revived), staying);
    return new TurnWrite(messages, call, question, interrupted, own, complete, answer);
  }

  /**
   * Returns the write with its answer in the place of the one that the same call has, behind the
   * messages of that one, which are complete by it; without any, if its answer is not to be stored,
   * or broke off or is empty where the other one did not.
   *
   * @param broken whether the other one broke off
   * @param asked seqs of the messages that both answer
   */
  TurnWrite inPlaceOf(LastCall stored, boolean broken, List<Long> asked) {
    if (call == null) {
      return this;
    }
    if (!broken && (!complete || call.empty())) {
      return new TurnWrite(List.of(), call.asking(0), null, List.of(), null, false, null);
    }
    if (question != null || !interrupted.isEmpty()) {
      return this;
    }
    Branch whole = new Branch(stored.answer() - 1, List.of(), Set.of());
    if (branch != null) {
      Set<Long> staying = new TreeSet<>(branch.staying());
      staying.addAll(asked);
      whole = new Branch(branch.after(), branch.revived(), staying);
    }
    return new TurnWrite(
        messages.subList(call.asked(), messages.size()),
        call.asking(0),
        null,
        broken ? asked : List.of(),
        whole,
        complete,
        answer == null ? null : answer.skipping(-call.asked()));
  }

  /** Whether these are the messages that it stores before its answer. */
  boolean asks(List<MessageRow> stored) {
    int asked = call == null ? 0 : call.asked();
    return stored.size() == asked
        && IntStream.range(0, asked)
            .allMatch(at -> MessagePlan.isSame(stored.get(at), messages.get(at)));
  }

  /** Returns the write without what an earlier attempt to make it did not store. */
  TurnWrite asStored(Collection<String> ids) {
    List<NewMessage> stored =
        messages.stream().filter(message -> ids.contains(message.id())).toList();
    return new TurnWrite(stored, call, question, interrupted, branch, complete, answer);
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
        call == null ? null : call.asking(call.asked() + asked.size()),
        null,
        List.of(),
        null,
        complete,
        answer == null ? null : answer.skipping(asked.size()));
  }
}
