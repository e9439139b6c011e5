package io.memorygateway.turn;

import io.memorygateway.format.call.MemoryContext;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.observation.ContextNotes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The context that memory adds to a call, and its size, as {@code X-Memory-Context} reports it.
 *
 * @param notes the observations, and what is known of the resource
 * @param stored messages that are sent, oldest first
 * @param skipped number of the messages that the call was aligned with and that are not sent
 * @param elided number of messages that are neither observed nor sent
 * @param isCut whether a message is left out or sent in a short form, to fit the bound
 * @param saysElided whether the line that tells the number of elided messages fits too
 * @param tokens of the whole context
 * @param tokenBudget tokens that are left for recall
 * @param firstSent seq of the oldest message that is sent; that of the next message, if none is
 * @param recall what goes next to the caller's new messages, because it changes from call to call:
 *     today's date, and old messages that are quoted; null for nothing
 */
record TurnContext(
    ContextNotes notes,
    List<StoredMessage> stored,
    int skipped,
    long elided,
    boolean isCut,
    boolean saysElided,
    long tokens,
    long tokenBudget,
    long firstSent,
    @Nullable Recalled recall) {

  /**
   * A line of today's date, old messages, or both as a text.
   *
   * @param messages number of messages that are quoted
   */
  record Recalled(String text, int messages, int tokens) {
    private Recalled before(Recalled more) {
      return new Recalled(text + '\n' + more.text, messages + more.messages, tokens + more.tokens);
    }
  }

  TurnContext with(@Nullable Recalled recalled) {
    return recalled == null
        ? this
        : new TurnContext(
            notes,
            stored,
            skipped,
            elided,
            isCut,
            saysElided,
            tokens + recalled.tokens(),
            tokenBudget - recalled.tokens(),
            firstSent,
            recall == null ? recalled : recall.before(recalled));
  }

  /** The context in the form that formats take. */
  MemoryContext toMemoryContext() {
    return new MemoryContext(
        notes.text(),
        saysElided ? elided : 0,
        skipped,
        stored,
        recall == null ? null : recall.text(),
        notes.known());
  }

  /** The response header's value (contract §8). */
  String headerValue() {
    return "tokens="
        + tokens
        + "; messages="
        + stored.size()
        + "; observations="
        + notes.observations()
        + "; elided="
        + elided
        + "; recalled="
        + (recall == null ? 0 : recall.messages());
  }
}
