package io.memorygateway.observation;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.dropwizard.util.Duration;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.jspecify.annotations.Nullable;

/**
 * {@code recall:} in config.yml (contract §11).
 *
 * @param tokens of old messages that are quoted in a turn, at most; 0: none
 * @param timeout how long a call waits for old messages, before it goes on without them
 * @param scope whose messages are quoted: those of the thread, or of all threads of its resource
 */
public record RecallSettings(
    @Min(0) @Max(1_000_000) int tokens, Duration timeout, RecallScope scope) {
  private static final int DEFAULT_TOKENS = 2_000;
  private static final Duration DEFAULT_TIMEOUT = Duration.seconds(1);
  private static final long MAX_TIMEOUT_MILLIS = 30_000;

  public RecallSettings {
    checkArgument(
        timeout.toMilliseconds() >= 1 && timeout.toMilliseconds() <= MAX_TIMEOUT_MILLIS,
        "timeout must be between 1ms and 30s");
  }

  @JsonCreator
  static RecallSettings read(
      @Nullable Integer tokens, @Nullable Duration timeout, @Nullable RecallScope scope) {
    return new RecallSettings(
        requireNonNullElse(tokens, DEFAULT_TOKENS),
        requireNonNullElse(timeout, DEFAULT_TIMEOUT),
        requireNonNullElse(scope, RecallScope.RESOURCE));
  }

  public static RecallSettings defaults() {
    return read(null, null, null);
  }
}
