package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.http.api.RequestKind;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PermitRequestTest {
  private static final long FOREVER = Duration.ofMinutes(5).toNanos();
  private static final Set<Thread.State> WAITING =
      Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

  private final AtomicReference<PermitRequest> waiting = new AtomicReference<>();
  private final AtomicReference<Decision> given = new AtomicReference<>();
  private final Thread caller = new Thread(this::call, "caller");
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

  @Test
  void onlyASentRequestIsDecided() {
    request.decide(Decision.UNAVAILABLE);
    assertThat(request.isSent()).isFalse();
    assertThat(request.send()).isTrue();
    assertThat(request.isSent()).isTrue();
    request.decide(Decision.UNCOUNTED);
    request.decide(Decision.UNAVAILABLE);
    assertThat(request.isSent()).isFalse();
    assertThat(request.await(1)).isSameAs(Decision.UNCOUNTED);
    assertThat(request.isTimedOut()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCallerThatWaitsGoesOnWhenItIsReleased(boolean sent) {
    startCaller();
    assertThat(!sent || waiting.get().send()).isTrue();
    waiting.get().release();
    await().until(() -> caller.getState() == Thread.State.TERMINATED);
    assertThat(given).hasValue(null);
    assertThat(waiting.get().isTimedOut()).isFalse();
    assertThat(waiting.get().send()).isFalse();
  }

  @Test
  void aCallerThatWaitsGoesOnWithItsDecision() {
    startCaller();
    assertThat(waiting.get().send()).isTrue();
    waiting.get().decide(Decision.UNCOUNTED);
    await().until(() -> caller.getState() == Thread.State.TERMINATED);
    assertThat(given).hasValue(Decision.UNCOUNTED);
  }

  @Test
  void aReleaseAfterTheDecisionChangesNothing() {
    request.send();
    request.decide(Decision.UNCOUNTED);
    request.release();
    assertThat(request.await(1)).isSameAs(Decision.UNCOUNTED);
  }

  @Test
  void anInterruptNeitherShortensTheWaitNorIsItLost() {
    long timeout = Duration.ofMillis(50).toNanos();
    long begun = System.nanoTime();
    Thread.currentThread().interrupt();
    assertThat(request.await(timeout)).isNull();
    assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(timeout);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void aCallerThatWasNotInterruptedIsNotAfterwards() {
    assertThat(request.await(Duration.ofMillis(5).toNanos())).isNull();
    assertThat(Thread.interrupted()).isFalse();
  }

  private void startCaller() {
    caller.start();
    await().until(() -> waiting.get() != null && WAITING.contains(caller.getState()));
  }

  /** As a caller of a lane: it can only wait for a request of its own. */
  private void call() {
    waiting.set(new PermitRequest(1, RequestKind.LLM, new long[0]));
    given.set(waiting.get().await(FOREVER));
  }
}
