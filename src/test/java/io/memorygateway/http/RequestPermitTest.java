package io.memorygateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.concurrent.KeyedPermits;
import io.memorygateway.concurrent.PermitNumber;
import org.junit.jupiter.api.Test;

/** One permit for all, and nobody may wait for it. */
final class RequestPermitTest {
  private static final long KEY = 7;

  private final KeyedPermits permits =
      new KeyedPermits(new PermitNumber(1, 1, () -> 0, 0), Long.MAX_VALUE, 0, () -> 0);
  private final RequestPermit first = new RequestPermit(permits);
  private final RequestPermit second = new RequestPermit(permits);

  @Test
  void aRequestWithoutOneIsRefusedAndMayComeAgain() {
    first.acquire(KEY);

    assertThatThrownBy(() -> second.acquire(KEY))
        .isInstanceOfSatisfying(
            ApiException.class,
            refused -> {
              assertThat(refused.error().status()).isEqualTo(503);
              assertThat(refused.error().retryAfterSeconds()).isEqualTo(1);
            });
    second.close();

    first.close();
    assertThatCode(() -> second.acquire(KEY)).doesNotThrowAnyException();
  }

  @Test
  void anotherIsWorkedAtWhileOneIsPaused() {
    first.acquire(KEY);
    first.pause();

    second.acquire(KEY);
    second.close();
    first.resume();

    assertThat(permits.state().held()).isEqualTo(1);
  }

  @Test
  void aRequestThatNeedsNoneNeverWaits() {
    RequestPermit none = new RequestPermit(null);
    first.acquire(KEY);

    assertThatCode(
            () -> {
              none.acquire(KEY);
              none.pause();
              none.resume();
              none.close();
            })
        .doesNotThrowAnyException();
  }
}
