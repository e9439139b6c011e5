package io.memorygateway.database;

import com.codahale.metrics.health.HealthCheck;

/** Health check of the database and of its pool. */
final class DatabaseHealthCheck extends HealthCheck {
  private final HealthCheck answers;
  private final DatabasePool pool;

  /**
   * Creates a check that reports the pool's figures, too.
   *
   * @param answers queries the database, with a time limit
   */
  DatabaseHealthCheck(HealthCheck answers, DatabasePool pool) {
    this.answers = answers;
    this.pool = pool;
  }

  @Override
  protected Result check() {
    Result answer = answers.execute();
    ResultBuilder result =
        Result.builder()
            .withDetail("active", pool.active())
            .withDetail("idle", pool.idle())
            .withDetail("waiting", pool.waiting())
            .withDetail("max", pool.most());
    return answer.isHealthy()
        ? result.healthy().withMessage("the database answers").build()
        : result.unhealthy().withMessage("the database does not answer").build();
  }
}
