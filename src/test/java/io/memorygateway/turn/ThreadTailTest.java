package io.memorygateway.turn;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.memory.MessageRow;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the ends of threads take of the bytes that a node keeps for them. */
class ThreadTailTest {
  private static final String NUMBERS =
      "[" + String.join(",", Collections.nCopies(4000, "0")) + "]";

  @Test
  void whatIsSentAgainWeighsWithAllThatIsMadeOutOfIt() {
    // 8 KB took about 215 KB of the heap (Java 17 and 25, compressed references).
    assertThat(tail(NUMBERS, -1).weight()).isBetween(200_000L, 240_000L);
    assertThat(tail("\"" + "0 ".repeat(4000) + "\"", -1).weight()).isBetween(32_000L, 35_000L);
  }

  @Test
  void whatIsOnlyComparedIsNotKeptInParts() {
    assertThat(tail(NUMBERS, 0).weight()).isLessThan(35_000);
  }

  @Test
  void whatComesLaterAddsToIt() {
    ThreadTail tail = tail(NUMBERS, -1);
    assertThat(tail.with(List.of(row(NUMBERS))).weight()).isEqualTo(2 * tail.weight());
  }

  private static ThreadTail tail(String content, long observedSeq) {
    return ThreadTail.of(null, List.of(row(content)), observedSeq);
  }

  private static MessageRow row(String content) {
    return new MessageRow(0, "m", "user", "text", content, Instant.EPOCH, false, false);
  }
}
