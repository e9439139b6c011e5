package io.memorygateway.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailedAttemptsTest {
  private static final String ADDRESS = "10.0.0.1";

  private long nanos = -42;
  private final FailedAttempts attempts = new FailedAttempts(2, () -> nanos);

  @Test
  void whatIsMoreThanAllowedInAMinuteWaitsForTheNext() {
    pass(20);
    assertThat(attempts.countAndGetWait(ADDRESS)).isZero();
    assertThat(attempts.countAndGetWait(ADDRESS)).isZero();
    assertThat(attempts.countAndGetWait(ADDRESS)).isEqualTo(40);
    pass(39);
    assertThat(attempts.countAndGetWait(ADDRESS)).isEqualTo(1);
    pass(1);
    assertThat(attempts.countAndGetWait(ADDRESS)).isZero();
  }

  @Test
  void addressesAreCountedApart() {
    fail(ADDRESS, 3);
    assertThat(attempts.countAndGetWait("10.0.0.2")).isZero();
  }

  @Test
  void anAddressThatUsedUpItsFailuresMayHaveOneUnknownKeyLookedUpInASecond() {
    fail(ADDRESS, 1);
    for (int i = 0; i < 10; i++) {
      assertThat(attempts.waitBeforeLookUp(ADDRESS)).isZero();
    }
    fail(ADDRESS, 1);
    pass(10);
    assertThat(attempts.waitBeforeLookUp(ADDRESS)).isZero();
    for (int i = 0; i < 10; i++) {
      fail(ADDRESS, 1);
      assertThat(attempts.waitBeforeLookUp(ADDRESS)).isEqualTo(50);
    }
    pass(1);
    assertThat(attempts.waitBeforeLookUp(ADDRESS)).isZero();
    assertThat(attempts.waitBeforeLookUp(ADDRESS)).isEqualTo(49);
    pass(49);
    assertThat(attempts.waitBeforeLookUp(ADDRESS)).isZero();
    assertThat(attempts.waitBeforeLookUp(ADDRESS)).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "2001:db8:1:2::1, 2001:db8:1:2:ffff:ffff:ffff:ffff, true",
    "[2001:db8:1:2::1], 2001:0db8:0001:0002::7, true",
    "2001:db8:1:2::1, 2001:db8:1:3::1, false",
    "fe80::1%eth0, fe80::2%lo, true",
    "::ffff:10.0.0.1, 10.0.0.1, true",
    "::ffff:10.0.0.1, 10.0.0.2, false",
    "10.0.0.1, 10.0.0.2, false",
    "unknown, unknown, true",
    "a:b, c:d, false",
  })
  void ofIpv6TheFirst64BitsCount(String one, String other, boolean together) {
    fail(one, 3);
    assertThat(attempts.countAndGetWait(other) > 0).isEqualTo(together);
  }

  private void fail(String address, int times) {
    for (int i = 0; i < times; i++) {
      attempts.countAndGetWait(address);
    }
  }

  private void pass(int seconds) {
    nanos += TimeUnit.SECONDS.toNanos(seconds);
  }
}
