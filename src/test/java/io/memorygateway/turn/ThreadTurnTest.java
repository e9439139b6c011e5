package io.memorygateway.turn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.concurrent.HeapBudget;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.sse.SseEvent;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a turn holds of the heap while its answer is streamed, and what is no answer. */
class ThreadTurnTest {
  private static final long MIB = 1 << 20;

  @Test
  void anAnswerForWhichThereIsNoRoomGivesBackItsOwnHeapAlone() {
    HeapBudget budget = new HeapBudget(16 * MIB, MIB, new PrometheusRegistry());
    RequestReservation reservation = RequestReservation.of(budget);
    reservation.heldBy(1);
    reservation.addAnswer(MIB); // as the budget of the stream does
    Turn.Streamed turn = turn(reservation).streamed();
    byte[] chunk =
        ("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\""
                + "x".repeat(1 << 16)
                + "\"}}]}\n\n")
            .getBytes(UTF_8);
    long most = 0;
    for (int i = 0; i < 100 && !turn.tooLong(); i++) {
      SseEvent event = new SseEvent();
      event.set(chunk, 0, chunk.length, true, true);
      turn.accept(event);
      most = Math.max(most, budget.held());
    }

    assertThat(turn.tooLong()).isTrue();
    assertThat(most).isGreaterThan(4 * MIB);
    assertThat(budget.held()).isEqualTo(MIB);
  }

  @Test
  void logprobsThatNobodyMayHaveAgainAreNotHeld() {
    HeapBudget budget = new HeapBudget(16 * MIB, MIB, new PrometheusRegistry());
    RequestReservation reservation = RequestReservation.of(budget);
    reservation.heldBy(1);
    Turn.Streamed turn = turn(reservation).streamed();
    byte[] chunk =
        ("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"},"
                + "\"logprobs\":{\"content\":[\""
                + "x".repeat(8 << 10)
                + "\"]}}]}\n\n")
            .getBytes(UTF_8);
    for (int i = 0; i < 20; i++) {
      SseEvent event = new SseEvent();
      event.set(chunk, 0, chunk.length, true, true);
      turn.accept(event);
    }

    assertThat(turn.tooLong()).isFalse();
    assertThat(budget.held()).isLessThan(128 << 10);
  }

  @Test
  void anErrorBesideANumberThatJsonDoesNotHaveIsNoAnswer() {
    RequestReservation reservation =
        RequestReservation.of(new HeapBudget(16 * MIB, MIB, new PrometheusRegistry()));
    String answer = "{\"error\":{\"message\":\"busy\"},\"load\":NaN}";

    assertThat(turn(reservation).answered(answer.getBytes(UTF_8))).isEqualTo(MemoryStatus.OFF);
  }

  private static ThreadTurn turn(RequestReservation reservation) {
    return new ThreadTurn(
        null,
        null,
        new ChatFormat(),
        new PreparedCall(List.of(), true, Amendment.NONE, null, null, new byte[0]),
        null,
        null,
        null,
        reservation);
  }
}
