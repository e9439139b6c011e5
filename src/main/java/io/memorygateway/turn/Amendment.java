package io.memorygateway.turn;

import io.memorygateway.format.align.Alignment;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.memory.write.TurnWrite;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
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
   * @param version of the thread
   * @param observedSeq of the last message that is observed; -1 for none: those up to it are not
   *     sent anyway
   */
  static Amendment of(
      ThreadTail tail, Conversation.Aligned aligned, long version, long observedSeq) {
    Alignment alignment = aligned.alignment();
    if (alignment.branch() == null && aligned.repeats()) {
      return ofRepeated(tail, alignment.storedTo(), alignment.newFrom());
    }
    return new Amendment(
        null,
        List.of(),
        alignment.branch() == null
            ? null
            : branch(tail, alignment.storedTo(), alignment.branch(), observedSeq),
        known(tail, aligned.known(), version, observedSeq));
  }

  /**
   * The changes to the turn that a call without new messages repeats.
   *
   * @param upTo number of the tail's messages up to which the call repeats the thread
   * @param count messages of the call; interrupted ones before them belong to other turns
   */
  static Amendment ofRepeated(ThreadTail tail, int upTo, int count) {
    List<TailEntry> messages = tail.messages();
    List<TailEntry> behind = messages.subList(upTo, messages.size());
    boolean answerOnly = behind.stream().allMatch(TailEntry::ofModel);
    int from = upTo;
    while (from > Math.max(0, upTo - count)
        && messages.get(from - 1).incomplete()
        && messages.get(from - 1).createdAt().equals(messages.get(upTo - 1).createdAt())) {
      from--; // What one call brings has one time.
    }
    Long question = answerOnly && upTo > 0 ? messages.get(upTo - 1).seq() : null;
    return new Amendment(question, seqs(messages.subList(from, upTo)), null, null);
  }

  /**
   * The branch that takes the place of what the thread has there.
   *
   * @param upTo number of the tail's messages that the branch follows
   */
  private static TurnWrite.Branch branch(
      ThreadTail tail, int upTo, Alignment.Branch branch, long observedSeq) {
    List<TailEntry> messages = tail.messages();
    long last = upTo > 0 ? messages.get(upTo - 1).seq() : firstSeq(tail) - 1;
    List<Long> revived = branch.revived().stream().map(at -> tail.left().get(at).seq()).toList();
    List<Long> staying = branch.staying().stream().map(at -> messages.get(at).seq()).toList();
    return new TurnWrite.Branch(Math.max(last, observedSeq), revived, Set.copyOf(staying));
  }

  /** The messages that a call has, with those between them, but for those that are observed. */
  private static TurnWrite.@Nullable Known known(
      ThreadTail tail, Alignment.Known known, long version, long observedSeq) {
    List<Long> seqs =
        seqs(tail.messages().subList(known.from(), known.to())).stream()
            .filter(seq -> seq > observedSeq)
            .toList();
    return seqs.isEmpty() ? null : new TurnWrite.Known(version, seqs);
  }

  /** Seq of the first message that the tail holds. */
  private static long firstSeq(ThreadTail tail) {
    return Stream.of(tail.messages(), tail.left())
        .filter(entries -> !entries.isEmpty())
        .mapToLong(entries -> entries.get(0).seq())
        .min()
        .orElse(Long.MAX_VALUE);
  }

  private static List<Long> seqs(List<TailEntry> entries) {
    return entries.stream().map(TailEntry::seq).toList();
  }
}
