package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DatabaseClockTest {
  private static final long NOW = 1_000_000_000_000L;
  private static final long DAY = Duration.ofDays(1).toMillis();
  private static final Duration WAIT = Duration.ofSeconds(5);

  private final AtomicLong nanos = new AtomicLong(77_000_000);
  private final ManualClock own = new ManualClock(Instant.ofEpochMilli(NOW));
  private final DatabaseClock clock = new DatabaseClock(own, nanos::get);

  @Test
  void itIsTheOwnOneUntilTheDatabaseIsAsked() {
    assertThat(clock.millis()).isEqualTo(NOW);
    pass(WAIT);
    assertThat(clock.instant()).isEqualTo(Instant.ofEpochMilli(NOW).plus(WAIT));
  }

  @Test
  void itIsThatOfTheDatabaseHoweverWrongTheOwnOneIs() {
    clock.read(() -> NOW - DAY);
    assertThat(clock.millis()).isEqualTo(NOW - DAY);
    pass(WAIT);
    assertThat(clock.instant()).isEqualTo(Instant.ofEpochMilli(NOW - DAY).plus(WAIT));
    clock.read(() -> NOW + DAY);
    assertThat(clock.millis()).as("another server").isEqualTo(NOW + DAY);
  }

  @Test
  void itStaysWhenTheOwnOneIsSet() {
    clock.read(() -> NOW);
    own.advance(Duration.ofDays(400));
    assertThat(clock.millis()).isEqualTo(NOW);
  }

  /** A command asks once, and its first query loads classes. */
  @Test
  void anAnswerMayBeLate() {
    clock.read(() -> late(NOW));
    assertThat(clock.millis()).as("told at any moment of the wait").isEqualTo(NOW + 5000);
    clock.read(() -> late(NOW + 10_000));
    assertThat(clock.millis()).as("told at the end of the wait").isEqualTo(NOW + 10_000);
    clock.read(() -> late(NOW + DAY));
    assertThat(clock.millis()).as("of another day").isEqualTo(NOW + DAY);
  }

  private long late(long told) {
    pass(WAIT);
    return told;
  }

  private void pass(Duration time) {
    own.advance(time);
    nanos.addAndGet(time.toNanos());
  }
}
