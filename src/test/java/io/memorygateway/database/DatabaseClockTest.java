package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.ManualClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class DatabaseClockTest {
  private static final long DAY = Duration.ofDays(1).toMillis();
  private static final Duration WAIT = Duration.ofSeconds(5);

  private final ManualClock own = new ManualClock(Instant.ofEpochMilli(1_000_000_000_000L));
  private final DatabaseClock clock = new DatabaseClock(own);

  @Test
  void itIsThatOfTheDatabaseHoweverWrongTheOwnOneIs() {
    clock.read(() -> own.millis() - DAY);
    assertThat(clock.millis()).isEqualTo(own.millis() - DAY);
    own.advance(WAIT);
    assertThat(clock.instant()).isEqualTo(Instant.ofEpochMilli(own.millis() - DAY));
    clock.read(() -> own.millis() + DAY);
    assertThat(clock.millis()).as("another server").isEqualTo(own.millis() + DAY);
    clock.read(own::millis);
    assertThat(clock.millis()).as("the own one was put right").isEqualTo(own.millis());
  }

  @Test
  void aDifferenceOfASecondIsNone() {
    clock.read(() -> own.millis() + 1000);
    assertThat(clock.millis()).isEqualTo(own.millis());
    clock.read(() -> own.millis() + DAY);
    clock.read(() -> own.millis() + DAY - 1000);
    assertThat(clock.millis()).isEqualTo(own.millis() + DAY);
  }

  /** A command asks once, and its first query loads classes. */
  @Test
  void anAnswerMayBeLate() {
    long asked = own.millis();
    clock.read(() -> late(asked));
    assertThat(clock.millis()).as("told at any moment of the wait").isEqualTo(own.millis());
    clock.read(() -> late(asked + DAY));
    assertThat(clock.millis()).as("of another day").isEqualTo(asked + DAY);
  }

  private long late(long told) {
    own.advance(WAIT);
    return told;
  }
}
