package io.memorygateway.audit;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Act to be recorded.
 *
 * @param action such as {@code key-issue}
 * @param subject the object of the act, such as the id of a key; may be empty
 * @param before the state before, as Jackson writes it; null if there was none
 * @param after the state after, or the result of the act; null if there is none
 */
public record AuditEntry(
    Actor actor,
    String action,
    String subject,
    Outcome outcome,
    @Nullable Object before,
    @Nullable Object after) {

  public enum Outcome {
    DONE,
    /** The act failed after it began; some of it may have been done. */
    FAILED,
    /** The act was not allowed. */
    REFUSED;

    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
