package io.memorygateway.audit;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One act that is to be recorded.
 *
 * @param action such as {@code key-issue}
 * @param subject what was acted on, such as the id of a key; may be empty
 * @param before the state before, as Jackson writes it; null if there was none
 * @param after the state after, or what the act reported; null if there is none
 */
public record AuditEntry(
    Actor actor,
    String action,
    String subject,
    Outcome outcome,
    @Nullable Object before,
    @Nullable Object after) {

  /** What became of an act. */
  public enum Outcome {
    DONE,
    /** It began and did not end well; some of it may have been done. */
    FAILED,
    /** It was not allowed. */
    REFUSED;

    /** As it is stored. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
