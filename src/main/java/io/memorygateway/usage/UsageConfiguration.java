package io.memorygateway.usage;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.dropwizard.util.Duration;
import org.jspecify.annotations.Nullable;

/**
 * {@code usage:} in config.yml.
 *
 * @param requestLog whether proxied calls are written into the request log; default true
 * @param retention how long they are kept there; default 90 days
 */
public record UsageConfiguration(boolean requestLog, Duration retention) {

  public UsageConfiguration {
    if (retention.toHours() < 1) {
      throw new IllegalArgumentException("retention must be at least an hour");
    }
  }

  @JsonCreator
  static UsageConfiguration read(
      @JsonProperty("requestLog") @Nullable Boolean requestLog,
      @JsonProperty("retention") @Nullable Duration retention) {
    return new UsageConfiguration(
        requireNonNullElse(requestLog, true), requireNonNullElse(retention, Duration.days(90)));
  }

  public static UsageConfiguration defaults() {
    return read(null, null);
  }
}
