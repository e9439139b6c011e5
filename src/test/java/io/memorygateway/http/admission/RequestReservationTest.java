package io.memorygateway.http.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.concurrent.HeapBudget;
import io.memorygateway.http.errors.ApiException;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class RequestReservationTest {
  private static final long MIB = 1 << 20;

  private final HeapBudget budget =
      new HeapBudget(
          400 * MIB, 16 * MIB * RequestReservation.REQUEST_COST, new PrometheusRegistry());

  private RequestReservation of(long key) {
    RequestReservation reservation = RequestReservation.of(budget);
    reservation.heldBy(key);
    return reservation;
  }

  @Test
  void whatIsHeldIsGivenBackAtTheEnd() {
    try (RequestReservation reservation = of(1)) {
      reservation.addRequest(16 * MIB);
      reservation.addAnswer(MIB);
      assertThat(budget.held()).isEqualTo(97 * MIB);
      reservation.shrinkRequestTo(10 * MIB);
      assertThat(budget.held()).isEqualTo(11 * MIB);
      reservation.shrinkRequestTo(20 * MIB);
      assertThat(budget.held()).isEqualTo(11 * MIB);
    }
    assertThat(budget.held()).isZero();
    assertThat(budget.keys()).isZero();
  }

  @Test
  void whatOneOfSeveralGivesBackOfAnAnswerLeavesWhatTheOthersHold() {
    RequestReservation reservation = of(1);
    reservation.addAnswer(3 * MIB);
    reservation.addAnswer(2 * MIB);
    reservation.releaseAnswer(3 * MIB);
    assertThat(budget.held()).isEqualTo(2 * MIB);
    reservation.releaseAnswer(3 * MIB);
    assertThat(budget.held()).isZero();
  }

  @Test
  void nothingIsHeldByARequestThatHasEnded() {
    RequestReservation reservation = of(1);
    reservation.close();
    assertThat(reservation.tryAddAnswer(1)).isFalse();
    reservation.close();
    assertThat(budget.held()).isZero();
  }

  @Test
  void oneKeyHoldsNoMoreThanHalf() {
    of(1).addRequest(16 * MIB);
    of(1).addRequest(16 * MIB);
    RequestReservation third = of(1);
    assertThatThrownBy(() -> third.addRequest(16 * MIB))
        .isInstanceOfSatisfying(
            ApiException.class,
            refusal -> {
              assertThat(refusal.error().status()).isEqualTo(503);
              assertThat(refusal.error().retryAfterSeconds()).isPositive();
            });
    of(2).addRequest(16 * MIB);
  }

  @Test
  void largeBodiesLeaveRoomForSmallOnes() {
    List<RequestReservation> all = new ArrayList<>();
    for (long key = 0; key < 100; key++) {
      RequestReservation reservation = of(key);
      if (reservation.tryAddAnswer(60 * MIB)) {
        all.add(reservation);
      }
    }
    assertThat(all).hasSize(5);
    // Of bodies that are neither, by keys that hold no more than an eighth.
    for (long key = 100; key < 105; key++) {
      RequestReservation reservation = of(key);
      reservation.addRequest(MIB);
      reservation.addRequest(MIB * 2 / 3);
      all.add(reservation);
    }
    assertThat(of(105).tryAddAnswer(MIB)).isFalse();
    for (long key = 0; key < 100; key++) {
      of(key).addRequest(64 * 1024);
    }
    all.forEach(RequestReservation::close);
  }

  @Test
  void theLargestBodyAlwaysFits() {
    HeapBudget tiny =
        new HeapBudget(1, 32 * MIB * RequestReservation.REQUEST_COST, new PrometheusRegistry());
    try (RequestReservation reservation = RequestReservation.of(tiny)) {
      reservation.addRequest(32 * MIB);
    }
    assertThat(tiny.held()).isZero();
  }

  @Test
  void anAnswerOfARequestThatHoldsEnoughTakesNoMore() {
    RequestReservation reservation = of(1);
    reservation.addRequest(10 * MIB);
    reservation.coverAnswer(10 * MIB);
    assertThat(budget.held()).isEqualTo(60 * MIB);
    reservation.coverAnswer(13 * MIB);
    assertThat(budget.held()).isEqualTo(65 * MIB);
  }

  @Test
  void anAnswerThatHasBegunWaitsForRoom() throws Exception {
    RequestReservation holder = of(1);
    holder.addAnswer(200 * MIB);
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try {
      Future<Boolean> waiting =
          executor.submit(() -> of(2).awaitAnswer(150 * MIB, Duration.ofMinutes(1)));
      holder.close();
      assertThat(waiting.get()).isTrue();
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  void countsExactlyHoweverManyTakeAndGive() throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(8);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int thread = 0; thread < 8; thread++) {
        long key = thread % 3;
        all.add(
            executor.submit(
                () -> {
                  for (int i = 0; i < 2_000; i++) {
                    try (RequestReservation reservation = of(key)) {
                      reservation.tryAddAnswer((i % 70) * MIB);
                      reservation.tryAddAnswer(i);
                      reservation.shrinkAnswerTo(i / 2);
                    }
                  }
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    } finally {
      executor.shutdownNow();
    }
    assertThat(budget.held()).isZero();
    assertThat(budget.keys()).isZero();
  }
}
