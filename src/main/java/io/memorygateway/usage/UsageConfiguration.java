package io.memorygateway.usage;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
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
    checkArgument(retention.toHours() >= 1, "retention must be at least an hour");
    checkArgument(totalsRetention.toHours() >= 24, "totalsRetention must be at least a day");
  }

  @JsonCreator
  static UsageConfiguration read(
      @Nullable Boolean requestLog,
      @Nullable Duration retention,
      @Nullable Duration totalsRetention) {
    return new UsageConfiguration(
        requireNonNullElse(requestLog, true),
        requireNonNullElse(retention, Duration.days(90)),
        requireNonNullElse(totalsRetention, Duration.days(800)));
  }

  public static UsageConfiguration defaults() {
    return read(null, null, null);
  }
}
