package io.memorygateway.ratelimit;

import com.codahale.metrics.health.HealthCheck;
import io.memorygateway.ratelimit.window.WindowLimiter;

/**
 * Health check of the shared rate limits. A node that counts alone still serves and is healthy; one
 * that has to refuse requests is not.
 */
public final class RateLimitHealthCheck extends HealthCheck {
  private final WindowLimiter limiter;

  public RateLimitHealthCheck(WindowLimiter limiter) {
    this.limiter = limiter;
  }

  @Override
  protected Result check() {
    if (limiter.isShared()) {
      return Result.healthy("shared");
    }
    return switch (limiter.onStorageFailure()) {
      case LOCAL -> Result.healthy("local: the database cannot be reached");
      case DENY -> Result.unhealthy("deny: the database cannot be reached");
    };
  }
}
