package io.memorygateway.http.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.concurrent.CallerShares;
import io.memorygateway.concurrent.KeyedPermits;
import io.memorygateway.concurrent.PermitNumber;
import io.memorygateway.http.errors.ApiException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** One permit for all, and nobody may wait for it. */
final class RequestPermitTest {
  private static final long KEY = 7;
  private static final long PROJECT = 8;

  private final KeyedPermits permits =
      new KeyedPermits(new PermitNumber(1, 1, () -> 0, 0), Long.MAX_VALUE, 0, () -> 0);
  private final CallerShares inFlight = new CallerShares(4, Duration.ZERO);
  private final RequestPermit first = new RequestPermit(permits, inFlight);
  private final RequestPermit second = new RequestPermit(permits, inFlight);

  @Test
  void aRequestWithoutOneIsRefusedAndMayComeAgain() {
    first.acquire(KEY, PROJECT);

    assertThatThrownBy(() -> second.acquire(KEY, PROJECT))
        .isInstanceOfSatisfying(
            ApiException.class,
            refused -> {
              assertThat(refused.error().status()).isEqualTo(503);
              assertThat(refused.error().retryAfterSeconds()).isEqualTo(1);
            });
    second.close();

    first.close();
    assertThatCode(() -> second.acquire(KEY, PROJECT)).doesNotThrowAnyException();
  }

  @Test
  void anotherIsWorkedAtWhileOneIsPaused() {
    first.acquire(KEY, PROJECT);
    first.pause();

    second.acquire(KEY, PROJECT);
    second.close();
    first.resume();

    assertThat(permits.state().held()).isEqualTo(1);
  }

  @Test
  void aRequestThatNeedsNoneNeverWaits() {
    RequestPermit none = new RequestPermit(null, null);
    first.acquire(KEY, PROJECT);

    assertThatCode(
            () -> {
              none.acquire(KEY, PROJECT);
              none.pause();
              none.resume();
              none.close();
            })
        .doesNotThrowAnyException();
  }
}
