package io.memorygateway.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.testing.TestTimeout;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class HeapReservationTest {
  private static final long MIB = 1 << 20;
  private static final Duration LONG = TestTimeout.DEFAULT;

  private final HeapBudget budget = new HeapBudget(400 * MIB, MIB, new PrometheusRegistry());

  private HeapReservation of(long key) {
    return new HeapReservation(budget, key);
  }

  @Test
  void waitsUntilThereIsRoom() {
    HeapReservation first = of(1);
    assertThat(first.tryAdd(200 * MIB)).isTrue();
    HeapReservation second = of(2);
    CompletableFuture<Boolean> waiting =
        CompletableFuture.supplyAsync(() -> second.await(150 * MIB, 0, LONG));
    assertThat(second.await(150 * MIB, 0, Duration.ZERO)).isFalse();
    first.close();
    assertThat(waiting.join()).isTrue();
    second.close();
    assertThat(budget.held()).isZero();
  }

  @Test
  void aKeyWhoseBodiesWaitForItsOwnShareKeepsNoOtherFromWaiting() {
    HeapReservation full = of(1);
    assertThat(full.tryAdd(200 * MIB)).isTrue();
    CompletableFuture<Boolean> ofFullKey = grow(of(1), MIB);
    await().until(() -> budget.growing().size() == 1);
    assertThat(of(1).growAlone(MIB, LONG)).as("of one key one waits").isFalse();

    HeapReservation other = of(2);
    assertThat(other.tryAdd(100 * MIB)).isTrue();
    CompletableFuture<Boolean> forRoom = grow(of(3), 60 * MIB);
    await().until(() -> budget.growing().size() == 2);
    assertThat(of(4).growAlone(60 * MIB, LONG)).as("of those with much one waits").isFalse();
    assertThat(of(4).growAlone(50 * MIB, LONG)).as("room for those with little").isTrue();
    CompletableFuture<Boolean> withLittle = grow(of(5), MIB);
    await().until(() -> budget.growing().size() == 3);
    assertThat(of(6).growAlone(MIB / 4, LONG)).as("room for small ones").isTrue();

    full.close();
    assertThat(Stream.of(ofFullKey, forRoom, withLittle)).allMatch(CompletableFuture::join);
    assertThat(budget.growing()).isEmpty();
  }

  private static CompletableFuture<Boolean> grow(HeapReservation reservation, long bytes) {
    return CompletableFuture.supplyAsync(
        () -> reservation.growAlone(bytes, LONG), work -> new Thread(work).start());
  }

  @Test
  void whatIsMoreThanAKeyMayHoldGetsAllThatItMayHold() {
    HeapReservation one = of(1);
    assertThat(one.await(1000 * MIB, 50 * MIB, Duration.ZERO)).isTrue();
    assertThat(one.held()).isEqualTo(150 * MIB);
    assertThat(one.await(1000 * MIB, 50 * MIB, Duration.ZERO)).isTrue();
    assertThat(one.held()).isEqualTo(150 * MIB);
  }

  @Test
  void backgroundWorkHasAShareOfItsOwn() {
    HeapReservation background = of(HeapBudget.BACKGROUND);
    assertThat(background.await(1000 * MIB, 0, Duration.ZERO)).isTrue();
    assertThat(background.held()).isEqualTo(100 * MIB);
    assertThat(of(HeapBudget.BACKGROUND).tryAdd(1)).isFalse();
    assertThat(of(1).tryAdd(200 * MIB)).isTrue();
    assertThat(of(2).tryAdd(100 * MIB)).isTrue();
    background.close();
    assertThat(of(HeapBudget.BACKGROUND).tryAdd(1)).isTrue();
  }

  @Test
  void aClosedReservationTakesNothing() {
    HeapReservation closed = of(1);
    closed.close();
    assertThat(closed.tryAdd(1)).isFalse();
    assertThat(closed.await(1, 0, Duration.ZERO)).isFalse();
    assertThat(budget.keys()).isZero();
  }

  @Test
  void withoutABudgetNothingIsBounded() {
    HeapReservation free = new HeapReservation(null, HeapBudget.BACKGROUND);
    assertThat(free.await(Long.MAX_VALUE, 0, Duration.ZERO)).isTrue();
  }
}
