package io.memorygateway.turn;

import io.memorygateway.dialect.MemoryContext;
import io.memorygateway.dialect.StoredMessage;
import io.memorygateway.observation.ContextNotes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What memory adds to a call, and how much that is: the value of {@code X-Memory-Context}.
 *
 * @param notes the observations
 * @param stored messages that are sent, oldest first
 * @param skipped how many of the messages that the call was aligned with are not sent
 * @param elided messages that are neither observed nor sent
 * @param isCut whether something is left out or sent in a short form for lack of room
 * @param saysElided whether there is room for the line that says so
 * @param tokens of all of it
 * @param room tokens that are left for recall
 * @param firstSent seq of the oldest message that is sent; that of the next message, if none is
 * @param recall the old messages that are quoted; null for none
 */
record TurnContext(
    ContextNotes notes,
    List<StoredMessage> stored,
    int skipped,
    long elided,
    boolean isCut,
    boolean saysElided,
    long tokens,
    long room,
    long firstSent,
    @Nullable Recalled recall) {

  /**
   * Old messages as a text.
   *
   * @param messages how many
   */
  record Recalled(String text, int messages, int tokens) {}

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
            room - recalled.tokens(),
            firstSent,
            recalled);
  }

  /** As the dialects take it. */
  MemoryContext toMemoryContext() {
    return new MemoryContext(
        notes.text(),
        saysElided ? elided : 0,
        skipped,
        stored,
        recall == null ? null : recall.text());
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
