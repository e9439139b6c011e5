package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowPagesTest {
  private final List<Long> asked = new ArrayList<>();

  private LongFunction<List<Long>> table(long rows) {
    return after -> {
      asked.add(after);
      return LongStream.range(Math.max(0, after + 1), rows).limit(RowPages.ROWS).boxed().toList();
    };
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, RowPages.ROWS - 1, RowPages.ROWS, RowPages.ROWS + 1, 20_000})
  void allRowsAreReadOnceAndInOrder(long rows) {
    assertThat(RowPages.read(Long::longValue, table(rows)))
        .isEqualTo(LongStream.range(0, rows).boxed().toList());
    assertThat(asked).hasSize((int) (rows / RowPages.ROWS + 1));
  }

  @Test
  void noPageIsReadOnceThereIsEnough() {
    assertThat(RowPages.read(RowPages.ROWS + 1, Long::longValue, table(50_000)))
        .hasSize(2 * RowPages.ROWS);
  }

  @Test
  void allRowsAreDeleted() {
    AtomicInteger left = new AtomicInteger(2 * RowPages.ROWS);
    RowPages.delete(
        () -> {
          int some = Math.min(left.get(), RowPages.ROWS);
          left.addAndGet(-some);
          return some;
        });
    assertThat(left).hasValue(0);
  }
}
