package io.memorygateway.ops;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.dropwizard.util.Duration;
import org.jspecify.annotations.Nullable;

/**
 * {@code shutdown:} in config.yml.
 *
 * @param readinessDelay how long a node that is told to stop still accepts connections, so that
 *     load balancers see that it is not ready; default 5 s
 * @param gracePeriod how long, after that, calls and streams may take to end; default 2 min
 */
public record ShutdownConfiguration(Duration readinessDelay, Duration gracePeriod) {

  @JsonCreator
  static ShutdownConfiguration read(
      @Nullable Duration readinessDelay, @Nullable Duration gracePeriod) {
    return new ShutdownConfiguration(
        requireNonNullElse(readinessDelay, Duration.seconds(5)),
        requireNonNullElse(gracePeriod, Duration.minutes(2)));
  }

  public static ShutdownConfiguration defaults() {
    return read(null, null);
  }
}
