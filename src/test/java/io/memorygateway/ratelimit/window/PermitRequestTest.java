package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.http.RequestKind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PermitRequestTest {
  private static final long FOREVER = Duration.ofMinutes(1).toNanos();

  private final PermitRequest request = new PermitRequest(1, RequestKind.LLM, new long[0]);

  @Test
  void aCallerWhoGaveUpIsNotSentAnyMore() {
    assertThat(request.await(1)).isNull();
    assertThat(request.isTimedOut()).isTrue();
    assertThat(request.send()).isFalse();
  }

  @Test
  void aCallerWhoGaveUpWhileSentGetsNoDecision() {
    request.send();
    assertThat(request.await(1)).isNull();
    request.decide(Decision.UNCOUNTED);
    assertThat(request.await(1)).isNull();
  }

  @Test
  void aDecisionIsHandedOverThoughTheCallerWasInterrupted() {
    request.send();
    Thread.currentThread().interrupt();
    var decided = CompletableFuture.runAsync(() -> request.decide(Decision.UNCOUNTED));

    assertThat(request.await(FOREVER)).isSameAs(Decision.UNCOUNTED);
    assertThat(Thread.interrupted()).isTrue();
    decided.join();
  }

  @Test
  void aReleasedCallerGoesOnAtOnce() {
    request.release();
    assertThat(request.await(FOREVER)).isNull();
    assertThat(request.isTimedOut()).isFalse();
    assertThat(request.send()).isFalse();
  }
}
