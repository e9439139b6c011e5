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
 * @param retention of rows of the request log; default 90 days
 * @param totalsRetention of totals by day; default 800 days
 */
public record UsageConfiguration(boolean requestLog, Duration retention, Duration totalsRetention) {

  public UsageConfiguration {
    if (retention.toHours() < 1) {
      throw new IllegalArgumentException("retention must be at least an hour");
    }
    if (totalsRetention.toHours() < 24) {
      throw new IllegalArgumentException("totalsRetention must be at least a day");
    }
  }

  @JsonCreator
  static UsageConfiguration read(
      @JsonProperty("requestLog") @Nullable Boolean requestLog,
      @JsonProperty("retention") @Nullable Duration retention,
      @JsonProperty("totalsRetention") @Nullable Duration totalsRetention) {
    return new UsageConfiguration(
        requireNonNullElse(requestLog, true),
        requireNonNullElse(retention, Duration.days(90)),
        requireNonNullElse(totalsRetention, Duration.days(800)));
  }

  public static UsageConfiguration defaults() {
    return read(null, null, null);
  }
}
