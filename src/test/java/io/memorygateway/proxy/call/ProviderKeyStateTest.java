package io.memorygateway.proxy.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.proxy.call.ProviderKeyState.LookUp;
import io.memorygateway.testing.ManualClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §10: when a provider's key counts as refused, and until when. */
class ProviderKeyStateTest {
  private static final long CALLER = 1;
  private static final long OTHER = 2;

  private final ManualClock clock = new ManualClock(Instant.parse("2026-11-23T12:00:00Z"));
  private final ProviderKeyState key = new ProviderKeyState(clock);

  @ParameterizedTest
  @ValueSource(ints = {401, 402, 403})
  void oneRefusalHasTheProviderAskedAndItsAnswerDecides(int status) {
    Instant start = clock.instant();
    assertThat(key.isLookUpDue()).isFalse();
    key.answered(status, CALLER);
    assertThat(key.refusedSince()).isNull();
    assertThat(key.isLookUpDue()).isTrue();
    clock.advance(Duration.ofSeconds(1));

    key.lookedUp(LookUp.REFUSED);

    assertThat(key.refusedSince()).isEqualTo(start);
  }

  @ParameterizedTest
  @ValueSource(ints = {402, 403})
  void whatOneCallerIsRefusedSaysNothingWhereTheProviderDoesNotTell(int status) {
    for (int i = 0; i < 100; i++) {
      key.answered(status, CALLER);
      if (key.isLookUpDue()) {
        key.lookedUp(i < 50 ? LookUp.UNKNOWN : LookUp.ACCEPTED);
      }
      clock.advance(Duration.ofSeconds(7));
    }

    assertThat(key.refusedSince()).isNull();
  }

  @Test
  void threeRefusalsOfTwoCallersDecideIfNoGoodAnswerIsBetweenThem() {
    key.answered(403, CALLER);
    key.answered(403, CALLER);
    key.answered(200, OTHER);
    key.answered(403, CALLER);
    key.answered(402, OTHER);
    assertThat(key.refusedSince()).isNull();

    key.answered(403, CALLER);

    assertThat(key.refusedSince()).isEqualTo(clock.instant());
  }

  @Test
  void anUnknownKeyIsRefusedWhoeverCalls() {
    key.answered(401, CALLER);
    key.answered(401, CALLER);
    key.lookedUp(LookUp.UNKNOWN);
    assertThat(key.refusedSince()).isNull();

    key.answered(401, CALLER);

    assertThat(key.refusedSince()).isNotNull();
  }

  @Test
  void aGoodAnswerOfAnyModelEndsItAtOnceAndAnErrorDoesNot() {
    key.answered(401, CALLER);
    key.lookedUp(LookUp.REFUSED);
    key.answered(500, OTHER);
    key.answered(400, OTHER);
    assertThat(key.refusedSince()).isNotNull();

    key.answered(200, OTHER);

    assertThat(key.refusedSince()).isNull();
    assertThat(key.isLookUpDue()).isFalse();
  }

  @Test
  void whileItIsRefusedTheProviderIsAskedEachMinuteAndTheMarkEndsWithoutCalls() {
    key.answered(401, CALLER);
    key.answered(401, OTHER);
    key.answered(401, OTHER);
    for (int i = 0; i < 60; i++) {
      assertThat(key.isLookUpDue()).isTrue();
      key.lookedUp(LookUp.REFUSED);
      clock.advance(Duration.ofSeconds(59));
      assertThat(key.isLookUpDue()).isFalse();
      clock.advance(Duration.ofSeconds(1));
    }
    assertThat(key.refusedSince()).isNotNull();

    key.lookedUp(LookUp.ACCEPTED);

    assertThat(key.refusedSince()).isNull();
  }

  @Test
  void aMarkThatNothingConfirmsEndsByItself() {
    key.answered(401, CALLER);
    key.answered(401, OTHER);
    key.answered(401, OTHER);
    clock.advance(Duration.ofMinutes(9));
    key.lookedUp(LookUp.UNKNOWN);
    assertThat(key.refusedSince()).isNotNull();
    clock.advance(Duration.ofMinutes(2));

    assertThat(key.refusedSince()).isNull();
    assertThat(key.isLookUpDue()).isFalse();
  }
}
