package io.memorygateway.observation;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * {@code recall:} in config.yml (contract §11).
 *
 * @param tokens of old messages that are quoted in a turn, at most; 0: none
 */
public record RecallSettings(@Min(0) @Max(1_000_000) @Nullable Integer tokens) {
  private static final int DEFAULT_TOKENS = 2_000;

  public RecallSettings {
    tokens = Objects.requireNonNullElse(tokens, DEFAULT_TOKENS);
  }

  public static RecallSettings defaults() {
    return new RecallSettings(null);
  }

  int mostTokens() {
    return Objects.requireNonNull(tokens);
  }
}
