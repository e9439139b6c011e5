package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.http.api.RequestKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a lane's worker takes at once, and what ends its wait. */
class RequestQueueTest {
  private static final long FOREVER = Duration.ofMinutes(5).toNanos();
  private static final Set<Thread.State> WAITING =
      Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

  private final RequestQueue queue = new RequestQueue();
  private final AtomicReference<List<PermitRequest>> taken = new AtomicReference<>();
  private final Thread worker = new Thread(() -> taken.set(queue.takeBatch(FOREVER)), "worker");

  @AfterEach
  void end() throws InterruptedException {
    worker.interrupt();
    worker.join();
  }

  @Test
  void allThatWaitAreTakenInOrderAndSent() {
    List<PermitRequest> requests = add(50);
    assertThat(queue.takeBatch(FOREVER)).containsExactlyElementsOf(requests);
    assertThat(requests).allMatch(PermitRequest::isSent);
    assertThat(queue.takeBatch(1)).isEmpty();
  }

  @Test
  void whoGaveUpIsNotTaken() {
    List<PermitRequest> requests = add(3);
    requests.get(1).await(1);
    assertThat(queue.takeBatch(FOREVER)).containsExactly(requests.get(0), requests.get(2));
  }

  @Test
  void aBatchHasAtMost512AndTheRestIsTheNextOne() {
    add(600);
    assertThat(queue.takeBatch(FOREVER)).hasSize(512);
    assertThat(queue.takeBatch(FOREVER)).hasSize(88);
  }

  @Test
  void withoutRequestsTheWorkerWaitsAsLongAsItIsTold() {
    long nanos = Duration.ofMillis(30).toNanos();
    long begun = System.nanoTime();
    assertThat(queue.takeBatch(nanos)).isEmpty();
    assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(nanos);
  }

  @Test
  void anIdleWorkerIsWokenByARequest() {
    startIdleWorker();
    List<PermitRequest> requests = add(1);
    awaitTaken();
    assertThat(taken.get()).isEqualTo(requests);
  }

  @Test
  void anIdleWorkerCanBeWokenWithoutARequest() {
    startIdleWorker();
    queue.wakeWorker();
    awaitTaken();
    assertThat(taken.get()).isEmpty();
  }

  @Test
  void aWorkerThatIsWantedBeforeItWaitsDoesNotWaitAndThenWaitsAgain() {
    queue.wakeWorker();
    assertThat(queue.takeBatch(FOREVER)).isEmpty();
    startIdleWorker();
    assertThat(taken).hasValue(null);
  }

  @Test
  void anInterruptEndsTheWait() {
    startIdleWorker();
    worker.interrupt();
    awaitTaken();
    assertThat(taken.get()).isEmpty();
  }

  @Test
  void underLoadTransactionsAreAtLeastSixMillisecondsApart() {
    for (int i = 0; i < 5; i++) {
      long begun = System.nanoTime();
      add(1);
      queue.takeBatch(FOREVER);
      add(30);
      assertThat(queue.takeBatch(FOREVER)).hasSize(30);
      assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(6_000_000);
    }
  }

  @Test
  void aReleasedRequestIsNotTakenAndItsCallerGoesOn() {
    List<PermitRequest> requests = add(3);
    queue.releaseAll();
    assertThat(queue.takeBatch(1)).isEmpty();
    for (PermitRequest request : requests) {
      assertThat(request.await(FOREVER)).isNull();
      assertThat(request.isTimedOut()).isFalse();
    }
    List<PermitRequest> later = add(2);
    assertThat(queue.takeBatch(FOREVER)).isEqualTo(later);
  }

  private List<PermitRequest> add(int number) {
    List<PermitRequest> added = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      PermitRequest request = new PermitRequest(i, RequestKind.LLM, new long[0]);
      added.add(request);
      queue.add(request);
    }
    return added;
  }

  private void startIdleWorker() {
    worker.start();
    await().until(() -> WAITING.contains(worker.getState()));
  }

  private void awaitTaken() {
    await().until(() -> taken.get() != null);
  }
}
