package io.memorygateway.memory.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dropwizard.util.DataSize;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.memory.rows.MessageRow;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What one node admits between two reads of the sum. */
class StorageLimitTest {
  private static final long PROJECT = 7;

  private final AtomicLong nanos = new AtomicLong(1);
  private final AtomicLong held = new AtomicLong();
  private final AtomicInteger reads = new AtomicInteger();
  private Runnable whileReading = () -> {};
  private final StorageLimit limit = limitOf(DataSize.bytes(1000));

  private StorageLimit limitOf(DataSize storage) {
    return new StorageLimit(
        new LimitsConfiguration(storage),
        project -> {
          assertThat(project).isEqualTo(PROJECT);
          reads.incrementAndGet();
          long sum = held.get();
          whileReading.run();
          return sum;
        },
        nanos::get,
        new PrometheusRegistry());
  }

  private boolean write(long bytes) {
    try (StorageLimit.Hold hold = limit.open(PROJECT, bytes)) {
      boolean fits = hold.fits(bytes);
      if (fits) {
        hold.stored();
      }
      return fits;
    }
  }

  private void pass(long millis) {
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private static MessageRow stored(String text) {
    return new MessageRow(
        1, "m", "user", "text", "\"" + text + "\"", Instant.EPOCH, false, false, null);
  }

  @Test
  void withoutALimitNothingIsRead() {
    StorageLimit none = limitOf(null);
    try (StorageLimit.Hold hold = none.open(PROJECT, Long.MAX_VALUE)) {
      hold.require(Long.MAX_VALUE);
      hold.stored();
    }
    none.check(PROJECT, Long.MAX_VALUE);
    none.count(PROJECT, List.of(stored("x")));
    none.freed(PROJECT);
    assertThat(reads).hasValue(0);
  }

  @Test
  void theSumIsReadEveryTwoSecondsAndWhatWasAdmittedSinceIsAdded() {
    held.set(400);
    assertThat(write(300)).isTrue();
    pass(1999);
    assertThat(write(300)).isTrue();
    assertThat(reads).hasValue(1);
    pass(1);
    held.set(1000);
    assertThat(write(1)).isFalse();
    assertThat(reads).hasValue(2);
  }

  @Test
  void whatIsFullIsReadAgainBeforeItIsRefusedButNotForEachRefusal() {
    held.set(1000);
    assertThat(write(1)).isFalse();
    assertThat(write(1)).isFalse();
    assertThat(reads).hasValue(1);
    held.set(0);
    pass(100);
    assertThat(write(1000)).isTrue();
    assertThat(reads).hasValue(2);
  }

  @Test
  void aSumThatTakesLongIsReadSeldom() {
    whileReading = () -> pass(500);
    assertThat(write(1)).isTrue();
    pass(9_499);
    assertThat(write(1)).isTrue();
    assertThat(reads).hasValue(1);
    pass(500);
    assertThat(write(1)).isTrue();
    assertThat(reads).hasValue(2);
  }

  @Test
  void aWriteUnderWayKeepsItsRoomHoweverOftenTheSumIsRead() {
    try (StorageLimit.Hold slow = limit.open(PROJECT, 900)) {
      slow.require(900);
      pass(5_000);
      assertThat(write(101)).isFalse();
      assertThat(write(100)).isTrue();
    }
    assertThat(reads.get()).isGreaterThan(1);
    // It failed, so its room is free.
    assertThat(write(900)).isTrue();
  }

  @Test
  void aSecondAttemptOfAWriteTakesItsRoomOnce() {
    try (StorageLimit.Hold hold = limit.open(PROJECT, 600)) {
      hold.require(600);
      hold.require(600);
      hold.require(700);
      assertThat(hold.fits(1001)).isFalse();
      hold.require(0);
      hold.require(-5);
      hold.stored();
    }
    assertThat(write(300)).isTrue();
    assertThat(write(1)).isFalse();
  }

  @Test
  void whatEndsWhileTheSumIsReadCountsUntilTheNextRead() {
    assertThat(write(1)).isTrue();
    StorageLimit.Hold slow = limit.open(PROJECT, 500);
    slow.require(500);
    slow.stored();
    whileReading = slow::close;
    held.set(1);
    pass(2_000);
    // The sum that is read now may lack it.
    assertThat(write(500)).isFalse();
    assertThat(write(499)).isTrue();
  }

  @Test
  void whatIsDeletedIsFreeAtOnce() {
    held.set(1000);
    assertThat(write(1)).isFalse();
    held.set(10);
    limit.freed(PROJECT);
    assertThat(write(990)).isTrue();
  }

  @Test
  void aSumThatWasReadDuringTheDeletionIsReadAgain() {
    held.set(1000);
    whileReading =
        () -> {
          held.set(10);
          limit.freed(PROJECT);
          whileReading = () -> {};
        };
    assertThat(write(1)).isFalse();
    assertThat(write(1)).isTrue();
  }

  @Test
  void turnsAreCountedAlthoughTheyAreNotAsked() {
    assertThat(write(1)).isTrue();
    limit.count(PROJECT, List.of(stored("x".repeat(869))));
    assertThat(write(1)).isFalse();
  }

  @Test
  void theRefusalSaysWhatIsStoredWhatTheLimitIsAndWhatToDo() {
    held.set(1000);
    assertThatThrownBy(() -> limit.check(PROJECT, 1))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> {
              assertThat(e.error().status()).isEqualTo(413);
              assertThat(e.error().message())
                  .isEqualTo(
                      "The project stores 0.98 KiB and may store 0.98 KiB, so this cannot be added."
                          + " Delete threads or messages that are no longer needed, and try again.");
            });
  }

  @ParameterizedTest
  @CsvSource({
    "0,0.00 KiB",
    "1024,1.00 KiB",
    "413696,0.39 MiB",
    "434406195200,0.40 TiB",
    "104852400,0.10 GiB",
    "104847114,99.99 MiB",
    "9223372036854775807,8.00 EiB"
  })
  void sizesNeverHoldTheDigits404(long bytes, String size) {
    assertThat(StorageLimit.size(bytes)).isEqualTo(size).doesNotContain("404");
  }
}
