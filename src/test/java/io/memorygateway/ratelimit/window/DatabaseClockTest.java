package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.ratelimit.window.DatabaseClock.Moment;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The database's time between two answers, by two clocks of which either may be wrong. */
class DatabaseClockTest {
  private static final long DATABASE = 1_800_000_000_000L;

  private long nanos = -5;
  private long wall = 7_000;
  private final DatabaseClock clock =
      new DatabaseClock(() -> Instant.ofEpochMilli(wall), () -> nanos);

  @Test
  void untilTheFirstAnswerItIsTheWallClock() {
    pass(1_234);
    assertThat(clock.earliest()).isEqualTo(8_234);
    assertThat(clock.latest()).isEqualTo(8_234);
  }

  @Test
  void itIsBetweenTheBoundsThatAnAnswerLeaves() {
    ask(30);
    pass(1_000);
    assertThat(clock.earliest()).isEqualTo(DATABASE + 1_000);
    assertThat(clock.latest()).isEqualTo(DATABASE + 1_030);
  }

  @Test
  void aMonotonicClockThatStoodStillIsFoundOutByTheWallClock() {
    ask(0);
    wall += 60_000;
    assertThat(clock.latest()).isEqualTo(DATABASE + 60_000);
    assertThat(clock.earliest()).isEqualTo(DATABASE);
  }

  @Test
  void aWallClockThatIsSetBackChangesNothing() {
    ask(0);
    pass(1_000);
    wall -= 3_600_000;
    assertThat(clock.latest()).isEqualTo(DATABASE + 1_000);
    assertThat(clock.earliest()).isEqualTo(DATABASE + 1_000);
  }

  @Test
  void theNextAnswerPutsAllRight() {
    ask(0);
    wall += 60_000;
    ask(0);
    assertThat(clock.latest()).isEqualTo(DATABASE);
  }

  private void ask(long millis) {
    Moment sent = clock.now();
    pass(millis);
    clock.synchronize(DATABASE, sent, clock.now());
  }

  private void pass(long millis) {
    nanos += millis * 1_000_000;
    wall += millis;
  }
}
