package io.memorygateway.http.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class UuidsTest {
  private final Instant start = Instant.parse("2026-11-20T09:30:00.123Z");
  private final ManualClock clock = new ManualClock(start);
  private final Random random = new Random(7);

  @Test
  void areOfVersionSevenAndTellTheirTime() {
    for (int i = 0; i < 1000; i++) {
      UUID id = Uuids.version7(clock, random);
      assertThat(id.version()).isEqualTo(7);
      assertThat(id.variant()).isEqualTo(2);
      assertThat(id.getMostSignificantBits() >>> 16).isEqualTo(start.toEpochMilli());
    }
  }

  @Test
  void sortAsTextInTheOrderOfTheirMaking() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      ids.add(Uuids.version7(clock, random).toString());
      clock.advance(Duration.ofMillis(1));
    }
    assertThat(ids).isSorted().doesNotHaveDuplicates();
  }
}
