package io.memorygateway.ratelimit.window;

import static java.util.stream.Collectors.joining;

import io.memorygateway.ratelimit.window.WindowStore.Adjustment;
import java.util.List;
import java.util.stream.IntStream;

/** Builder of the statements that add permits to {@code rate_limit_windows}, or subtract them. */
final class AdjustmentStatement {
  private final int[] slots;

  /**
   * @param slots of the rules, by index
   */
  AdjustmentStatement(int[] slots) {
    this.slots = slots.clone();
  }

  /**
   * Text that subtracts permits where their window still runs; else the counter belongs to a later
   * one.
   */
  String subtraction(Adjustment row) {
    long[] starts = row.counts().starts();
    long[] used = row.counts().used();
    return "UPDATE rate_limit_windows SET "
        + IntStream.range(0, slots.length)
            .mapToObj(
                i ->
                    "used_%1$d = IF(start_%1$d = %2$d, used_%1$d - %3$d, used_%1$d)"
                        .formatted(slots[i], starts[i], used[i]))
            .collect(joining(", "))
        + " WHERE key_id = "
        + row.keyId();
  }

  /** Text that adds permits whatever the limits; a window that has ended is not changed. */
  String addition(List<Adjustment> rows) {
    return "INSERT INTO rate_limit_windows (key_id, touched_at, "
        + columns("start_%1$d, used_%1$d")
        + ") VALUES "
        + rows.stream().map(AdjustmentStatement::values).collect(joining(", "))
        + " ON DUPLICATE KEY UPDATE touched_at = GREATEST(touched_at, VALUES(touched_at)), "
        + columns(
            """
            used_%1$d = IF(start_%1$d = VALUES(start_%1$d), used_%1$d + VALUES(used_%1$d),
              IF(start_%1$d > VALUES(start_%1$d), used_%1$d, VALUES(used_%1$d))),
            start_%1$d = IF(start_%1$d > VALUES(start_%1$d), start_%1$d, VALUES(start_%1$d))
            """);
  }

  private String columns(String pattern) {
    return IntStream.of(slots).mapToObj(pattern::formatted).collect(joining(", "));
  }

  private static String values(Adjustment row) {
    return IntStream.range(0, row.counts().starts().length)
        .mapToObj(i -> ", " + row.counts().starts()[i] + ", " + row.counts().used()[i])
        .collect(joining("", "(" + row.keyId() + ", " + WindowStatement.NOW, ")"));
  }
}
