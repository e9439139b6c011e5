package io.memorygateway.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** At least 32 permits, at most 100, and a usual duration of ten milliseconds. */
final class PermitNumberTest {
  private static final int LEAST = 32;
  private static final int MOST = 100;
  private static final long USUAL = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long WINDOW = TimeUnit.MILLISECONDS.toNanos(200);

  private double load;
  private long now;
  private final PermitNumber number = new PermitNumber(LEAST, MOST, () -> load, now);

  PermitNumberTest() {
    window(2, USUAL, false);
  }

  @Test
  void thereAreMoreWhileMoreAtOnceDoNotTakeLonger() {
    window(LEAST, 2 * USUAL, true);

    assertThat(number.permits()).isGreaterThan(LEAST);

    for (int i = 0; i < 50; i++) {
      window(LEAST, 2 * USUAL, true);
    }
    assertThat(number.permits()).isEqualTo(MOST);
  }

  @Test
  void thereAreNoMoreThanAreWanted() {
    window(LEAST, 2 * USUAL, false);

    assertThat(number.permits()).isEqualTo(LEAST);
  }

  @Test
  void thereAreNotMoreWhenWorkTakesLonger() {
    window(LEAST, 3 * USUAL, true);

    assertThat(number.permits()).isEqualTo(LEAST);
  }

  @Test
  void thereAreNotMoreWhileTheProcessorsAreBusy() {
    load = 0.9;
    window(LEAST, USUAL, true);

    assertThat(number.permits()).isEqualTo(LEAST);
  }

  @Test
  void thereAreMoreWhereTheLoadIsNotKnown() {
    load = -1;
    window(LEAST, USUAL, true);

    assertThat(number.permits()).isGreaterThan(LEAST);
  }

  @Test
  void thereAreFewerAgainWhenWorkTakesMuchLonger() {
    thereAreMoreWhileMoreAtOnceDoNotTakeLonger();

    for (int i = 0; i < 50; i++) {
      window(LEAST, 5 * USUAL, true);
    }

    assertThat(number.permits()).isEqualTo(LEAST);
  }

  @Test
  void thereAreFewerAgainWhenTheProcessorsAreBusy() {
    thereAreMoreWhileMoreAtOnceDoNotTakeLonger();

    load = 1;
    window(LEAST, USUAL, true);

    assertThat(number.permits()).isLessThan(MOST);
  }

  @Test
  void whatIsUsualIsLearntWhileHardlyAnythingIsDone() {
    for (int i = 0; i < 50; i++) {
      window(2, 10 * USUAL, false);
    }

    window(LEAST, 20 * USUAL, true);

    assertThat(number.permits()).isGreaterThan(LEAST);
  }

  @Test
  void whatIsUsualIsLearntOnANodeThatIsBusyFromItsStart() {
    PermitNumber busy = new PermitNumber(LEAST, MOST, () -> load, now);
    busy.began(LEAST);
    for (int i = 0; i < 2; i++) {
      for (int j = 0; j < 300; j++) {
        busy.ended(USUAL);
      }
      now += WINDOW;
      busy.adjust(now, true, LEAST);
    }

    assertThat(busy.permits()).isGreaterThan(LEAST);
  }

  @Test
  void aFewDurationsSayNothing() {
    number.began(LEAST);
    number.ended(USUAL);
    now += WINDOW;
    number.adjust(now, true, LEAST);

    assertThat(number.permits()).isEqualTo(LEAST);
  }

  @Test
  void oneKeyMayHoldThreeQuarters() {
    assertThat(number.ofOneKey()).isEqualTo(24);
  }

  private void window(int held, long nanos, boolean isShort) {
    number.began(held);
    for (int i = 0; i < 300; i++) {
      number.ended(nanos);
    }
    now += WINDOW;
    number.readLoad(now);
    number.adjust(now, isShort, held);
  }
}
