package io.memorygateway.database;

import com.codahale.metrics.health.HealthCheck;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/**
 * Health check that the schema still has every change that this version needs: a backup of an older
 * one may have been restored. Changes of a newer version are ignored, as its nodes run beside this
 * one.
 */
final class MigrationsHealthCheck extends HealthCheck {
  private final Jdbi jdbi;
  private final List<String> changeSets;

  MigrationsHealthCheck(Jdbi jdbi, List<String> changeSets) {
    this.jdbi = jdbi;
    this.changeSets = List.copyOf(changeSets);
  }

  @Override
  protected Result check() {
    int there =
        jdbi.withHandle(
            handle ->
                handle
                    .createQuery(
                        "SELECT COUNT(DISTINCT ID) FROM DATABASECHANGELOG WHERE ID IN (<ids>)")
                    .bindList("ids", changeSets)
                    .mapTo(Integer.class)
                    .one());
    int missing = changeSets.size() - there;
    return missing == 0
        ? Result.healthy("all " + there + " are there")
        : Result.unhealthy(missing + " are missing");
  }
}
