package io.memorygateway.http.admission;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.dropwizard.util.Duration;
import org.jspecify.annotations.Nullable;

/**
 * {@code concurrency:} in config.yml: how many requests a node works at, at the same time.
 *
 * @param minimum that many it works at however long they take; null: 16 for each processor
 * @param maxWait longest wait of a further one; default 2 s
 */
public record ConcurrencySettings(@Nullable Integer minimum, Duration maxWait) {
  private static final int OF_A_PROCESSOR = 16;

  public ConcurrencySettings {
    checkArgument(
        (minimum == null || minimum >= 1) && maxWait.toMilliseconds() > 0,
        "concurrency: every value must be more than 0");
  }

  @JsonCreator
  static ConcurrencySettings read(@Nullable Integer minimum, @Nullable Duration maxWait) {
    return new ConcurrencySettings(minimum, requireNonNullElse(maxWait, Duration.seconds(2)));
  }

  /** Requests that a node works at however long they take. */
  int least() {
    return requireNonNullElse(minimum, OF_A_PROCESSOR * Runtime.getRuntime().availableProcessors());
  }

  public static ConcurrencySettings defaults() {
    return read(null, null);
  }
}
