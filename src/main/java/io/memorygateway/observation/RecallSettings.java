package io.memorygateway.observation;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.jspecify.annotations.Nullable;

/**
 * {@code recall:} in config.yml (contract §11).
 *
 * @param tokens of old messages that are quoted in a turn, at most; 0: none
 */
public record RecallSettings(@Min(0) @Max(1_000_000) int tokens) {
  private static final int DEFAULT_TOKENS = 2_000;

  @JsonCreator
  static RecallSettings read(@JsonProperty("tokens") @Nullable Integer tokens) {
    return new RecallSettings(requireNonNullElse(tokens, DEFAULT_TOKENS));
  }

  public static RecallSettings defaults() {
    return read(null);
  }
}
