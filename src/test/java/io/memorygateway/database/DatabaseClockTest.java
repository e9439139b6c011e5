package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class DatabaseClockTest {
  private static final long DAY = Duration.ofDays(1).toMillis();

  private long now = 1_000_000_000_000L;
  private final DatabaseClock clock = new DatabaseClock(new Own());

  @Test
  void itIsThatOfTheDatabaseHoweverWrongTheOwnOneIs() {
    clock.read(() -> now - DAY);
    assertThat(clock.millis()).isEqualTo(now - DAY);
    now += 5000;
    assertThat(clock.instant()).isEqualTo(Instant.ofEpochMilli(now - DAY));
    clock.read(() -> now + DAY);
    assertThat(clock.millis()).as("another server").isEqualTo(now + DAY);
    clock.read(() -> now);
    assertThat(clock.millis()).as("the own one was put right").isEqualTo(now);
  }

  @Test
  void aDifferenceOfASecondIsNone() {
    clock.read(() -> now + 1000);
    assertThat(clock.millis()).isEqualTo(now);
    clock.read(() -> now + DAY);
    clock.read(() -> now + DAY - 1000);
    assertThat(clock.millis()).isEqualTo(now + DAY);
  }

  /** A command asks once, and its first query loads classes. */
  @Test
  void anAnswerMayBeLate() {
    long asked = now;
    clock.read(() -> late(asked));
    assertThat(clock.millis()).as("told at any moment of the wait").isEqualTo(now);
    clock.read(() -> late(asked + DAY));
    assertThat(clock.millis()).as("of another day").isEqualTo(asked + DAY);
  }

  private long late(long told) {
    now += 5000;
    return told;
  }

  private final class Own extends Clock {
    @Override
    public Instant instant() {
      return Instant.ofEpochMilli(now);
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      throw new UnsupportedOperationException();
    }
  }
}
