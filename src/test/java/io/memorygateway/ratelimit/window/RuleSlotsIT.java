package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.ratelimit.Limits;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import io.memorygateway.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Rules are configuration, the schema is not: each rule finds its columns again. */
class RuleSlotsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  @BeforeEach
  void freeAll() throws SQLException {
    update("UPDATE rate_limit_slots SET rule = NULL, window_seconds = NULL, seen_at = NULL");
  }

  @Test
  void aRuleKeepsItsSlotWhateverOthersComeAndGo() throws Exception {
    int[] before = claim(rules("a", "b", "c"));
    int[] after = claim(rules("new", "c", "a"));

    assertThat(before).doesNotHaveDuplicates();
    assertThat(after[1]).isEqualTo(before[2]);
    assertThat(after[2]).isEqualTo(before[0]);
    assertThat(before).doesNotContain(after[0]);
  }

  @Test
  void anotherWindowIsAnotherRule() throws Exception {
    int[] minute = claim(ruleSet(new RateLimitRule("a", AppliesTo.ALL, 1, Duration.ofMinutes(1))));
    int[] hour = claim(ruleSet(new RateLimitRule("a", AppliesTo.ALL, 1, Duration.ofHours(1))));
    assertThat(hour[0]).isNotEqualTo(minute[0]);
  }

  @Test
  void aSlotIsFreeAgainOnceNoNodeHasKnownItsRuleForTwoDays() throws Exception {
    claim(rules(IntStream.range(0, 24).mapToObj(i -> "rule_" + i).toArray(String[]::new)));
    assertThatThrownBy(() -> claim(rules("one_more"))).hasMessageContaining("no free slot");
    update(
        """
        UPDATE rate_limit_slots SET seen_at = UTC_TIMESTAMP(3) - INTERVAL 49 HOUR
        WHERE rule = 'rule_7'
        """);
    int old = slotOf("rule_7");

    assertThat(claim(rules("one_more"))).containsExactly(old);
  }

  @Test
  void nodesThatStartTogetherAgree() throws Exception {
    ExecutorService nodes = Executors.newFixedThreadPool(8);
    Callable<String> node = () -> Arrays.toString(claim(rules("a", "b", "c", "d", "e")));
    List<String> claimed = new ArrayList<>();
    for (var slots : nodes.invokeAll(java.util.Collections.nCopies(8, node))) {
      claimed.add(slots.get());
    }
    nodes.shutdown();

    assertThat(claimed).hasSize(8).containsOnly(claimed.get(0));
  }

  private static RuleSet rules(String... names) {
    return ruleSet(
        Arrays.stream(names)
            .map(name -> new RateLimitRule(name, AppliesTo.ALL, 1, Duration.ofMinutes(1)))
            .toArray(RateLimitRule[]::new));
  }

  private static RuleSet ruleSet(RateLimitRule... rules) {
    return new RuleSet(List.of(rules));
  }

  private static int[] claim(RuleSet rules) throws SQLException {
    try (Connection connection =
            Limits.address(DATABASE).connect(Duration.ofSeconds(30), Duration.ofSeconds(60));
        Statement statement = connection.createStatement()) {
      // A node would try again; this does not.
      statement.execute("SET innodb_lock_wait_timeout = 60");
      return RuleSlots.claim(connection, rules);
    }
  }

  private static int slotOf(String rule) throws SQLException {
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement();
        var row =
            statement.executeQuery(
                "SELECT slot FROM rate_limit_slots WHERE rule = '" + rule + "'")) {
      row.next();
      return row.getInt(1);
    }
  }

  private static void update(String sql) throws SQLException {
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement()) {
      statement.executeUpdate(sql);
    }
  }
}
