package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.testing.TestDatabase;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One node at a time removes old rows, and another one after that. */
class OldRowsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private Jdbi jdbi;

  @BeforeEach
  void noLeases() {
    jdbi = Jdbi.create(DATABASE.url(), DATABASE.user(), DATABASE.password());
    jdbi.useHandle(handle -> handle.execute("DELETE FROM leases"));
  }

  @Test
  void oneNodeAtATimeRemovesRows() {
    AtomicInteger others = new AtomicInteger();
    long removed =
        OldRows.remove(
            jdbi,
            "work",
            10,
            (handle, home) -> {
              others.addAndGet((int) OldRows.remove(jdbi, "work", 10, (other, place) -> 5));
              return 3;
            });

    assertThat(removed).isEqualTo(3);
    assertThat(others).hasValue(0);
    assertThat(OldRows.remove(jdbi, "work", 10, (handle, home) -> 5)).isEqualTo(5);
  }

  @Test
  void otherWorkIsDoneMeanwhile() {
    long removed =
        OldRows.remove(
            jdbi,
            "work",
            10,
            (handle, home) -> (int) OldRows.remove(jdbi, "other", 10, (other, place) -> 5));

    assertThat(removed).isEqualTo(5);
  }

  @Test
  void whatFailsGivesTheLeaseBack() {
    assertThatThrownBy(
            () ->
                OldRows.remove(
                    jdbi,
                    "work",
                    10,
                    (handle, home) -> {
                      throw new IllegalStateException();
                    }))
        .isInstanceOf(IllegalStateException.class);

    assertThat(OldRows.remove(jdbi, "work", 10, (handle, home) -> 5)).isEqualTo(5);
  }

  @Test
  void theLeaseOfANodeThatDiedRunsOut() {
    hold("work", "60");
    assertThat(OldRows.remove(jdbi, "work", 10, (handle, home) -> 5)).isZero();

    hold("work", "0");
    assertThat(OldRows.remove(jdbi, "work", 10, (handle, home) -> 5)).isEqualTo(5);
  }

  @Test
  void whoHasLostTheLeaseStopsAndLeavesItToTheOther() {
    AtomicInteger batches = new AtomicInteger();
    long removed =
        OldRows.remove(
            jdbi,
            "work",
            10,
            (handle, home) -> {
              if (batches.incrementAndGet() == 3) {
                hold("work", "60");
              }
              return batches.get() < 1000 ? 10 : 0;
            });

    assertThat(removed).isLessThan(1000);
    assertThat(OldRows.remove(jdbi, "work", 10, (handle, home) -> 5)).isZero();
  }

  @Test
  void theLeaseIsKeptForAsLongAsTheWorkGoesOn() {
    AtomicInteger batches = new AtomicInteger();
    long removed =
        OldRows.remove(
            jdbi, "work", 10, (handle, home) -> batches.incrementAndGet() < 100 ? 10 : 0);

    assertThat(removed).isEqualTo(990);
  }

  @Test
  void nodesThatTakeAndReleaseItAtOnceAreNotEndedByADeadlock() throws Exception {
    int nodes = 8;
    ExecutorService threads = Executors.newFixedThreadPool(nodes);
    try {
      Callable<Long> node =
          () -> {
            long all = 0;
            for (int i = 0; i < 100; i++) {
              all += OldRows.remove(jdbi, "work", 10, (handle, home) -> 1);
            }
            return all;
          };
      long removed = 0;
      for (Future<Long> each : threads.invokeAll(Collections.nCopies(nodes, node))) {
        removed += each.get();
      }
      assertThat(removed).isPositive();
    } finally {
      threads.shutdownNow();
    }
  }

  /** Another node takes it, for so many seconds. */
  private void hold(String name, String seconds) {
    jdbi.useHandle(
        handle ->
            handle.execute(
                "REPLACE INTO leases VALUES (?, 'another', UTC_TIMESTAMP(3) + INTERVAL ? SECOND)",
                name,
                seconds));
  }
}
