package io.memorygateway.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RefusalBoundTest {
  private final AtomicLong now = new AtomicLong(5);
  private final RefusalBound bound = new RefusalBound(now::get);

  private int allowed(String actor) {
    int allowed = 0;
    for (int i = 0; i < 1_000; i++) {
      allowed += bound.allows(actor) ? 1 : 0;
    }
    return allowed;
  }

  @Test
  void ofEachActorSomeAreRecordedAMinute() {
    assertThat(allowed("vic")).isEqualTo(RefusalBound.PER_MINUTE);
    assertThat(allowed("eve")).isEqualTo(RefusalBound.PER_MINUTE);
    assertThat(allowed("vic")).isZero();

    now.addAndGet(TimeUnit.MINUTES.toNanos(1));
    assertThat(allowed("vic")).isEqualTo(RefusalBound.PER_MINUTE);
  }

  @Test
  void longWordsAreCut() {
    assertThat(RefusalBound.asked(Map.of("id", "x".repeat(7_000), "project", "p")))
        .containsEntry("project", "p")
        .hasEntrySatisfying("id", id -> assertThat(id).hasSize(255).endsWith("x…"));
  }
}
