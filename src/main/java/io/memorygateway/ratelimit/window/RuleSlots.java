package io.memorygateway.ratelimit.window;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Assignment of rules to columns of {@code rate_limit_windows}. The schema is fixed while rules are
 * configuration: a rule takes a slot when a node first knows it, all nodes share it, and it is free
 * again when no node has known the rule for two days. A rule whose window's length changes is
 * another rule, so that the starts in one slot are multiples of one length.
 */
final class RuleSlots {
  /**
   * Time until a slot is free; longer than any window, so that the windows of its last owner have
   * ended.
   */
  static final Duration FREE_AFTER = RateLimitRule.MAX_WINDOW.multipliedBy(2);

  private static final String LOCK =
      """
      SELECT slot, rule, window_seconds,
             rule IS NULL OR seen_at < UTC_TIMESTAMP(3) - INTERVAL %d SECOND AS free
      FROM rate_limit_slots ORDER BY slot FOR UPDATE
      """
          .formatted(FREE_AFTER.toSeconds());
  private static final String TAKE =
      """
      UPDATE rate_limit_slots SET rule = ?, window_seconds = ?, seen_at = UTC_TIMESTAMP(3)
      WHERE slot = ?
      """;

  private record Slot(int number, @Nullable String rule, long windowSeconds, boolean free) {
    boolean holds(RateLimitRule wanted) {
      return wanted.name().equals(rule) && wanted.window().toSeconds() == windowSeconds;
    }
  }

  private RuleSlots() {}

  /**
   * Finds or takes the slots of the rules and marks them as seen, in a separate transaction.
   *
   * @param connection without auto-commit
   * @return the slots, by rule index
   */
  static int[] claim(Connection connection, RuleSet rules) throws SQLException {
    List<Slot> slots = lock(connection);
    List<RateLimitRule> wanted = new ArrayList<>();
    for (int i = 0; i < rules.size(); i++) {
      wanted.add(rules.rule(i));
    }
    int[] claimed = new int[rules.size()];
    try (PreparedStatement take = connection.prepareStatement(TAKE)) {
      for (int i = 0; i < claimed.length; i++) {
        RateLimitRule rule = wanted.get(i);
        Slot slot =
            slots.stream()
                .filter(s -> s.holds(rule))
                .findFirst()
                .or(
                    () ->
                        slots.stream()
                            .filter(s -> s.free() && wanted.stream().noneMatch(s::holds))
                            .findFirst())
                .orElseThrow(() -> new SQLException("no free slot for rate limit " + rule.name()));
        slots.remove(slot);
        take.setString(1, rule.name());
        take.setLong(2, rule.window().toSeconds());
        take.setInt(3, slot.number());
        take.executeUpdate();
        claimed[i] = slot.number();
      }
    }
    connection.commit();
    return claimed;
  }

  private static List<Slot> lock(Connection connection) throws SQLException {
    List<Slot> slots = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(LOCK)) {
      while (row.next()) {
        slots.add(
            new Slot(
                row.getInt("slot"),
                row.getString("rule"),
                row.getLong("window_seconds"),
                row.getBoolean("free")));
      }
    }
    return slots;
  }
}
