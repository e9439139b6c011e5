package io.memorygateway.dialect;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What memory adds to a call.
 *
 * @param observations text that goes behind the caller's system prompt; null for none
 * @param skipped how many of the messages that the call was aligned with come before {@code stored}
 *     and do not go up: they are observed, or left out
 * @param stored messages that go before the caller's new ones, oldest first
 */
public record MemoryContext(
    @Nullable String observations, int skipped, List<StoredMessage> stored) {

  /** A context with all the messages that the call was aligned with. */
  public MemoryContext(@Nullable String observations, List<StoredMessage> stored) {
    this(observations, 0, stored);
  }

  /** What of it a call needs: not observations, if it brings its own. */
  MemoryContext forCall(Conversation conversation) {
    return observations != null && conversation.bringsObservations()
        ? new MemoryContext(null, skipped, stored)
        : this;
  }

  boolean isEmpty() {
    return observations == null && stored.isEmpty();
  }
}
