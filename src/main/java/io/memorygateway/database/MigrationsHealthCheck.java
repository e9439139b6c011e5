package io.memorygateway.database;

import com.codahale.metrics.health.HealthCheck;
import java.util.List;
import org.jdbi.v3.core.Handle;
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
    int missing = jdbi.withHandle(handle -> missing(handle, changeSets));
    return missing == 0
        ? Result.healthy("all " + changeSets.size() + " are there")
        : Result.unhealthy(missing + " are missing");
  }

  /** Returns how many of some change sets, each named once, the schema does not have. */
  static int missing(Handle handle, List<String> changeSets) {
    int there =
        handle
            .createQuery("SELECT COUNT(DISTINCT ID) FROM DATABASECHANGELOG WHERE ID IN (<ids>)")
            .bindList("ids", changeSets)
            .mapTo(Integer.class)
            .one();
    return changeSets.size() - there;
  }
}
