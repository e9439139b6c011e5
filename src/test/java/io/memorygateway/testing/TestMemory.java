package io.memorygateway.testing;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.ConnectionSource;
import io.memorygateway.database.Transactions;
import io.memorygateway.memory.MemoryModule;
import io.memorygateway.memory.limit.LimitsConfiguration;
import io.memorygateway.observation.ObservationSettings;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.sql.Connection;
import java.time.Clock;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** A node's memory without a server, and callers of projects of their own. */
public final class TestMemory {
  private TestMemory() {}

  public static MemoryModule create(
      Jdbi jdbi, ObservationSettings settings, PrometheusRegistry registry) {
    return create(
        jdbi,
        settings,
        () -> {
          Connection connection = jdbi.open().getConnection();
          connection.setAutoCommit(false);
          return connection;
        },
        registry);
  }

  public static MemoryModule create(
      Jdbi jdbi,
      ObservationSettings settings,
      ConnectionSource connections,
      PrometheusRegistry registry) {
    // Not seeded: with one seed, two nodes would agree on an id within a millisecond.
    Random random = new Random();
    return MemoryModule.create(
        settings,
        LimitsConfiguration.defaults(),
        new Transactions(jdbi, random, registry),
        connections,
        Clock.systemUTC(),
        random,
        registry);
  }

  /** A caller of a new project. */
  public static Caller newCaller(Jdbi jdbi) {
    String name = "p-" + UUID.randomUUID();
    long project =
        jdbi.withHandle(
            handle ->
                handle
                    .createUpdate(
                        "INSERT INTO projects (public_id, name, created_at) VALUES (UUID(), :name,"
                            + " UTC_TIMESTAMP(3))")
                    .bind("name", name)
                    .executeAndReturnGeneratedKeys("id")
                    .mapTo(Long.class)
                    .one());
    return new Caller(1, project, "p", name, "msk_test", Map.of());
  }
}
