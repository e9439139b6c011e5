package io.memorygateway.dialect;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What memory adds to a call and what it takes away.
 *
 * @param observations text that goes behind the caller's system prompt; null for none
 * @param stored messages that go before the caller's own, oldest first
 * @param newFrom the caller's messages before this index do not go up: {@code stored} has them
 */
public record MemoryContext(
    @Nullable String observations, List<StoredMessage> stored, int newFrom) {

  /** Whether the call goes up as it came. */
  boolean changesNothing() {
    return observations == null && stored.isEmpty() && newFrom == 0;
  }
}
