package io.memorygateway.ratelimit.window;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** Reader of the stored counters of a key, for operators. */
public final class StoredCounters {
  private StoredCounters() {}

  /**
   * Counter of a rule in its running window.
   *
   * @param used requests admitted, and permits that nodes have reserved for keys in use
   * @param resetsAt end of the window, by the clock of the database
   */
  public record Counter(RateLimitRule rule, long used, Instant resetsAt) {}

  /** The counters of a key, in the order of the rules. */
  public static List<Counter> read(Handle handle, long keyId, List<RateLimitRule> rules) {
    Map<String, Integer> slots = new HashMap<>();
    handle
        .createQuery(
            "SELECT slot, rule, window_seconds FROM rate_limit_slots WHERE rule IS NOT NULL")
        .map(
            (row, context) ->
                slots.put(
                    name(row.getString("rule"), row.getLong("window_seconds")), row.getInt("slot")))
        .list();
    long now = handle.createQuery("SELECT " + WindowStatement.NOW).mapTo(Long.class).one();
    Map<String, Object> row =
        handle
            .createQuery("SELECT * FROM rate_limit_windows WHERE key_id = :keyId")
            .bind("keyId", keyId)
            .mapToMap()
            .findOne()
            .orElse(Map.of());
    List<Counter> all = new ArrayList<>();
    for (RateLimitRule rule : rules) {
      long window = rule.window().toMillis();
      long start = now - Math.floorMod(now, window);
      Integer slot = slots.get(name(rule.name(), rule.window().toSeconds()));
      boolean running = slot != null && number(row, "start_" + slot) >= start;
      all.add(
          new Counter(
              rule,
              running ? number(row, "used_" + slot) : 0,
              Instant.ofEpochMilli(start + window)));
    }
    return all;
  }

  private static String name(String rule, long windowSeconds) {
    return windowSeconds + " " + rule;
  }

  /** Value of a column; -1, which is less than any start, if it is null. */
  private static long number(Map<String, Object> row, String column) {
    return row.get(column) instanceof Number number ? number.longValue() : -1;
  }
}
