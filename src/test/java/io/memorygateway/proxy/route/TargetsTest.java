package io.memorygateway.proxy.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.http.errors.ApiException;
import io.memorygateway.testing.ManualClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What is kept of the names that callers give in {@code models}. */
class TargetsTest {
  private static final long MINE = 1;
  private static final long OTHER = 2;

  private final ManualClock clock = new ManualClock(Instant.parse("2026-11-23T12:00:00Z"));
  private final Targets targets = new Targets(clock);
  private final Provider provider = TargetSelectionTest.provider("p");

  @Test
  void namesOfOneProjectDoNotPushOutThoseOfAnother() {
    Target mine = targets.named(MINE, provider, "mine");
    for (int i = 0; i < 10_000; i++) {
      targets.named(OTHER, provider, "other-" + i);
    }

    assertThat(targets.named(MINE, provider, "mine")).isSameAs(mine);
    assertThat(targets.named(OTHER, provider, "mine")).isNotSameAs(mine);
  }

  @Test
  void aProjectHasABoundedNumberAndTheLastIsAmongThem() {
    Target first = targets.named(MINE, provider, "0");
    for (int i = 1; i < 200; i++) {
      Target named = targets.named(MINE, provider, "" + i);
      assertThat(targets.named(MINE, provider, "" + i)).isSameAs(named);
    }

    int kept = 0;
    for (int i = 0; i < 200; i++) {
      Target again = targets.named(MINE, provider, "" + i);
      kept += again == first ? 1 : 0;
    }
    assertThat(kept).isZero();
  }

  @Test
  void aNameThatIsNotUsedIsForgotten() {
    Target mine = targets.named(MINE, provider, "mine");
    clock.advance(Duration.ofMinutes(9));
    assertThat(targets.named(MINE, provider, "mine")).isSameAs(mine);
    clock.advance(Duration.ofMinutes(11));

    assertThat(targets.named(MINE, provider, "mine")).isNotSameAs(mine);
  }

  @Test
  void operatorsSeeTheTargetsOfTheConfigurationAlone() {
    Target configured = targets.configured(provider, "known");
    targets.named(MINE, provider, "mine");

    assertThat(targets.named(MINE, provider, "known")).isSameAs(configured);
    assertThat(targets.configured()).containsExactly(configured);
    assertThat(targets.require("p", "known")).isSameAs(configured);
    assertThatThrownBy(() -> targets.require("p", "mine")).isInstanceOf(ApiException.class);
  }
}
