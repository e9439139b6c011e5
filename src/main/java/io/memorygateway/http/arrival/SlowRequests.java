package io.memorygateway.http.arrival;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.dropwizard.util.DataSize;
import io.dropwizard.util.Duration;
import org.jspecify.annotations.Nullable;

/**
 * {@code slowRequests:} in config.yml: how slowly a request may arrive before it is given up. A
 * connector's idleTimeout begins anew with every byte, so it alone would let a client that sends a
 * byte now and then hold a thread for as long as it likes.
 *
 * @param headTimeout from the first byte of a request to the end of its headers; default 30 s
 * @param bodyGrace how long the gateway waits for parts of a body, all waits together, whatever
 *     arrives; default 20 s
 * @param minBodyRate bytes that must arrive for each further second of waiting; default 8 KiB
 */
public record SlowRequests(Duration headTimeout, Duration bodyGrace, DataSize minBodyRate) {
  public SlowRequests {
    checkArgument(
        headTimeout.toMilliseconds() > 0
            && bodyGrace.toMilliseconds() > 0
            && minBodyRate.toBytes() > 0,
        "slowRequests: every value must be more than 0");
  }

  @JsonCreator
  static SlowRequests read(
      @Nullable Duration headTimeout,
      @Nullable Duration bodyGrace,
      @Nullable DataSize minBodyRate) {
    return new SlowRequests(
        requireNonNullElse(headTimeout, Duration.seconds(30)),
        requireNonNullElse(bodyGrace, Duration.seconds(20)),
        requireNonNullElse(minBodyRate, DataSize.kibibytes(8)));
  }

  public static SlowRequests defaults() {
    return read(null, null, null);
  }
}
