package io.memorygateway.turn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Large ends of threads are read one after the other where there is no room for all of them. */
class TailBudgetTest {
  private static final long MIB = 1 << 20;

  @Test
  void whoDoesNotFitWaitsUntilThereIsRoom() throws Exception {
    TailBudget budget = new TailBudget(16 * MIB);
    TailBudget.Share first = budget.share();
    first.take(100 * MIB);
    CompletableFuture<Void> second =
        CompletableFuture.runAsync(
            () -> {
              try (TailBudget.Share share = budget.share()) {
                share.take(MIB);
              }
            });
    try (TailBudget.Share small = budget.share()) {
      small.take(1000);
    }
    assertThat(second).isNotDone();

    first.close();

    second.get();
    try (TailBudget.Share all = budget.share()) {
      all.take(16 * MIB);
    }
  }
}
