package io.memorygateway.observation;

import com.codahale.metrics.health.HealthCheck;
import java.util.Locale;
import java.util.function.DoubleSupplier;

/**
 * Reports how far the observers of all nodes are behind. Always healthy: callers do not wait for
 * them.
 */
final class ObserverHealthCheck extends HealthCheck {
  private final DoubleSupplier lagSeconds;

  ObserverHealthCheck(DoubleSupplier lagSeconds) {
    this.lagSeconds = lagSeconds;
  }

  @Override
  protected Result check() {
    double lag = lagSeconds.getAsDouble();
    return Result.healthy(
        lag == 0
            ? "nothing waits to be observed"
            : String.format(Locale.ROOT, "a thread has been waiting for %.0f s", lag));
  }
}
