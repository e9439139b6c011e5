package io.memorygateway.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.database.Transactions;
import io.memorygateway.testing.ManualClock;
import io.memorygateway.testing.TestDatabase;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §11: a call recalls from the threads of its resource that changed last. */
class RecentThreadsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final Instant START = Instant.parse("2026-11-20T09:30:00Z");
  private static final int THREADS = 3;

  private final Jdbi jdbi = DATABASE.jdbi();
  private final ManualClock clock = new ManualClock(START);
  private final RecentThreads recent =
      new RecentThreads(new Transactions(jdbi, new Random(), new PrometheusRegistry()), clock);

  @Test
  void whatChangedIsReadAtOnceAndWhatALaggingNodeChangedWithinSeconds() {
    jdbi.useHandle(handle -> ManyThreadsIT.insertThreads(handle, THREADS, "2026-11-20 09:00:00"));
    assertThat(ids()).containsExactly(3L, 2L, 1L);
    clock.advance(Duration.ofSeconds(1));
    change(1, START.plusSeconds(1));
    assertThat(ids()).containsExactly(1L, 3L, 2L);
    change(2, START.minusSeconds(3));
    assertThat(ids()).as("committed late").containsExactly(1L, 2L, 3L);
    change(3, START.minusSeconds(8));
    for (int i = 0; i < 9; i++) {
      clock.advance(Duration.ofSeconds(1));
      assertThat(ids()).as("a lagging clock").containsExactly(1L, 2L, 3L);
      assertThat(versionOfTheThird()).isZero();
    }
    clock.advance(Duration.ofSeconds(1));
    ids();
    assertThat(versionOfTheThird()).isEqualTo(1);
  }

  private List<Long> ids() {
    return recent.of(7, "r").stream().map(ThreadScope::id).toList();
  }

  private long versionOfTheThird() {
    return recent.of(7, "r").get(THREADS - 1).version();
  }

  private void change(long thread, Instant at) {
    jdbi.useHandle(
        handle ->
            handle
                .createUpdate(
                    "UPDATE thread_heads SET updated_at = :at, version = version + 1"
                        + " WHERE thread_id = :thread")
                .bind("at", at)
                .bind("thread", thread)
                .execute());
  }
}
