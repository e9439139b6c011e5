package io.memorygateway.format.call;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How a provider's Chat is told that its last message is the beginning of the answer. */
public enum Prefill {
  /** Not at all: it takes every last message of the model for that, or none. */
  NONE,
  /** By {@code "prefix": true} on the message. */
  PREFIX,
  /** By {@code "partial": true} on the message. */
  PARTIAL,
  /** By {@code "continue_final_message": true} beside the messages. */
  CONTINUE;

  /** The member of the message that says so; null if there is none. */
  public @Nullable String member() {
    return this == PREFIX || this == PARTIAL ? wireName() : null;
  }

  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
