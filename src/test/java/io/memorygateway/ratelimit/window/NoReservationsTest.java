package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.http.api.RequestKind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** With {@code countAhead: false} every request waits for the transaction that counts it. */
class NoReservationsTest {
  private final NoReservations none = new NoReservations(1);

  @Test
  void everyRequestIsAskedForAndNothingElse() {
    PermitRequest request = new PermitRequest(7, RequestKind.LLM, new long[] {10});
    assertThat(none.take(7, RequestKind.LLM, new long[] {10})).isNull();
    List<KeyBatch> plan = none.plan(List.of(request, request));
    assertThat(plan).hasSize(1);
    assertThat(plan.get(0).wanted()).isEqualTo(2);
    assertThat(none.plan(List.of())).isEmpty();
  }

  @Test
  void nothingIsHeldAndNothingReturned() {
    none.release();
    assertThat(none.isEmpty()).isTrue();
    assertThat(none.returnable(7)).isZero();
    assertThat(none.drainUnused().isEmpty()).isTrue();
  }
}
