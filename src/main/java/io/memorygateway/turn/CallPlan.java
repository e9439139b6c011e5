package io.memorygateway.turn;

import io.memorygateway.format.align.Alignment;
import io.memorygateway.format.call.CallEntry;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.content.StoredMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What of a call is stored, and what it changes of its thread.
 *
 * @param aligned the call as it is compared with the thread
 * @param stored its new messages
 * @param whole whether the call goes up unchanged, as it needs nothing of the thread
 */
record CallPlan(
    Conversation.Aligned aligned, List<StoredMessage> stored, Amendment amendment, boolean whole) {

  /**
   * The plan of a call.
   *
   * @param summary whether the call asks for one
   * @param again whether the thread ends with the answer to the same call
   * @param version of the thread
   * @param observedSeq of the last message that is observed; -1 for none
   */
  static CallPlan of(
      MemoryConfiguration configuration,
      ThreadTail tail,
      Conversation call,
      boolean summary,
      boolean again,
      long version,
      long observedSeq) {
    Conversation.Aligned aligned = tail.align(call, observedSeq);
    Amendment amendment = Amendment.of(tail, aligned, version, observedSeq);
    Compaction compaction = new Compaction(configuration, call.messages(), tail.normalForms());
    List<StoredMessage> stored =
        compaction.stored(aligned.asked()).stream().map(StoredMessage::withoutParts).toList();
    boolean isShortened = summary && aligned.known().cut(); // the prompt was too long
    if (!call.upstreamHoldsHistory() && !compaction.isMade() && !isShortened) {
      return new CallPlan(aligned, stored, amendment, false);
    }
    boolean isFound = aligned.alignment().newFrom() > 0 || !compaction.isMade();
    Alignment known = tail.align(isFound ? List.of() : stored, again);
    boolean repeats = known.newFrom() > 0 && known.newFrom() == stored.size();
    Amendment own = repeats ? tail.amendment(known.storedTo(), stored.size()) : amendment;
    return new CallPlan(aligned, behind(known, stored), own, true);
  }

  private static List<StoredMessage> behind(Alignment known, List<StoredMessage> said) {
    List<StoredMessage> rest = new ArrayList<>(said.subList(known.newFrom(), said.size()));
    if (!rest.isEmpty()) {
      rest.set(0, CallEntry.without(rest.get(0), known.knownParts()));
    }
    return rest;
  }

  /**
   * What of the thread goes up with the call.
   *
   * @param told the date that the call is told; null for none
   */
  TurnContext context(ThreadTail tail, Conversation call, @Nullable Instant told) {
    Conversation fresh = aligned.fresh();
    return new ContextBuilder(
            tail, aligned.alignment().storedTo(), !fresh.bringsObservations(), aligned.own(), told)
        .build(fresh.messages(), call);
  }
}
