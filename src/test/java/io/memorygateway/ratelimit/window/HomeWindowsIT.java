package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.database.Home;
import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.Limits;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import io.memorygateway.testing.TestDatabase;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.sql.Connection;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Keys of one home are not in the way of those of another. */
class HomeWindowsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final int LIMIT = 5;

  private final WindowLimiter limiter =
      new WindowLimiter(
          List.of(new RateLimitRule("only", AppliesTo.LLM, LIMIT, Duration.ofDays(1))),
          new WindowLimiter.Settings(StorageFailurePolicy.DENY, Duration.ofMinutes(1), false),
          Limits.address(DATABASE),
          new PrometheusRegistry(),
          InstantSource.system());

  @Test
  void aHomeWhoseRowsAreLockedHoldsUpNoOther() throws Exception {
    long slow = new Home(5).first() + 1;
    long other = Home.FIRST.first() + 1;
    Limits.awaitRoomInTheDay();
    limiter.start();
    await().until(limiter::isShared);
    try (Connection lock = DATABASE.connect()) {
      assertThat(decide(slow)).isEqualTo(Outcome.ALLOWED);
      lock.setAutoCommit(false);
      lock.createStatement()
          .executeQuery("SELECT 1 FROM rate_limit_windows WHERE key_id = " + slow + " FOR UPDATE");
      CompletableFuture<Outcome> waits = CompletableFuture.supplyAsync(() -> decide(slow));
      for (int i = 0; i < LIMIT; i++) {
        assertThat(decide(other)).isEqualTo(Outcome.ALLOWED);
      }
      assertThat(decide(other)).isEqualTo(Outcome.LIMITED);
      assertThat(waits).isNotDone();
      lock.rollback();
      assertThat(waits.get()).isEqualTo(Outcome.ALLOWED);
    } finally {
      limiter.stop();
    }
  }

  private Outcome decide(long key) {
    return limiter.decide(key, RequestKind.LLM, Map.of()).outcome();
  }
}
