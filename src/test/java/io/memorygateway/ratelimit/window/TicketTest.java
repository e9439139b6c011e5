package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class TicketTest {
  private static final long FOREVER = Duration.ofMinutes(1).toNanos();

  private final Ticket ticket = new Ticket(1, RequestKind.LLM, new long[0]);

  @Test
  void aCallerWhoGaveUpIsNotSentAnyMore() {
    assertThat(ticket.await(1)).isNull();
    assertThat(ticket.isGivenUp()).isTrue();
    assertThat(ticket.send()).isFalse();
  }

  @Test
  void aCallerWhoGaveUpWhileSentGetsNoDecision() {
    ticket.send();
    assertThat(ticket.await(1)).isNull();
    ticket.decide(Decision.UNCOUNTED);
    assertThat(ticket.await(1)).isNull();
  }

  @Test
  void aDecisionIsHandedOverThoughTheCallerWasInterrupted() {
    ticket.send();
    Thread.currentThread().interrupt();
    var decided = CompletableFuture.runAsync(() -> ticket.decide(Decision.UNCOUNTED));

    assertThat(ticket.await(FOREVER)).isSameAs(Decision.UNCOUNTED);
    assertThat(Thread.interrupted()).isTrue();
    decided.join();
  }

  @Test
  void aReleasedCallerGoesOnAtOnce() {
    ticket.release();
    assertThat(ticket.await(FOREVER)).isNull();
    assertThat(ticket.isGivenUp()).isFalse();
    assertThat(ticket.send()).isFalse();
  }
}
