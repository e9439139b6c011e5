package io.memorygateway.dialect;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What memory adds to a call.
 *
 * @param observations text that goes behind the caller's system prompt; null for none
 * @param stored messages that go before the caller's new ones, oldest first
 */
public record MemoryContext(@Nullable String observations, List<StoredMessage> stored) {

  boolean isEmpty() {
    return observations == null && stored.isEmpty();
  }
}
