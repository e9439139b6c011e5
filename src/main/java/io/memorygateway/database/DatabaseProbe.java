package io.memorygateway.database;

import com.codahale.metrics.health.HealthCheck;
import org.jdbi.v3.core.Jdbi;

/** Health check that queries the database; waits for it as long as any statement does. */
final class DatabaseProbe extends HealthCheck {
  private final Jdbi jdbi;

  DatabaseProbe(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  @Override
  protected Result check() {
    jdbi.useHandle(handle -> handle.execute("SELECT 1"));
    return Result.healthy();
  }
}
