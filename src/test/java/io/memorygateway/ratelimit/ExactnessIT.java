package io.memorygateway.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import io.memorygateway.ratelimit.window.WindowLimiter;
import io.memorygateway.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * With N nodes on one key, each window admits its limit: never one more, and never one less before
 * somebody is refused. A window in which nobody was refused had too few callers, for a node or a
 * machine may stand still while it runs.
 */
@Tag("heavy")
class ExactnessIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final int CALLERS = 64;
  private static final long LIMIT = 200;

  /** Of the larger limit, requests are counted ahead. */
  @ParameterizedTest
  @ValueSource(longs = {LIMIT, 5_000})
  void twoNodesInOneProcessShareEachWindowExactly(long limit) throws Exception {
    Map<Long, LongAdder> admitted = new ConcurrentHashMap<>();
    Set<Long> full = ConcurrentHashMap.newKeySet();
    var configuration = Limits.patient(Map.of("only", Limits.rule(AppliesTo.LLM, limit, 1)));
    WindowLimiter one = Limits.limiter(configuration, database());
    WindowLimiter other = Limits.limiter(configuration, database());
    Limits.start(one);
    Limits.start(other);
    Crowd crowd = crowd(one, limit, admitted, full);
    Crowd otherCrowd = crowd(other, limit, admitted, full);
    await().until(() -> full.size() >= 6);
    crowd.disperse();
    otherCrowd.disperse();
    one.stop();
    other.stop();

    assertThat(admitted)
        .allSatisfy((w, count) -> assertThat(count.sum()).isLessThanOrEqualTo(limit));
    assertThat(full).allSatisfy(w -> assertThat(admitted.get(w).sum()).isEqualTo(limit));
  }

  @Test
  void threeProcessesShareEachWindowExactly() throws Exception {
    start(3);
    awaitFullWindows(nodes.get(0), 8);
    for (NodeProcess node : nodes) {
      node.end();
    }

    Map<Long, Long> admitted = admitted(nodes);
    assertThat(admitted).allSatisfy((w, count) -> assertThat(count).isLessThanOrEqualTo(LIMIT));
    assertThat(full(nodes)).allSatisfy(w -> assertThat(admitted.get(w)).isEqualTo(LIMIT));
    assertThat(nodes).allSatisfy(n -> assertThat(n.windows()).isNotEmpty());
  }

  @Test
  void aNodeKilledInAWindowNeverMakesItAdmitMore() throws Exception {
    start(3);
    awaitFullWindows(nodes.get(0), 3);
    nodes.get(1).kill();
    // What it had sent may still be counted.
    await().until(() -> connectionsOfNodes() == 2);
    long killed = endOfThePresentWindow();
    awaitFullWindows(nodes.get(0), nodes.get(0).fullWindows().size() + 5);
    nodes.get(0).end();
    nodes.get(2).end();

    Map<Long, Long> admitted = admitted(nodes);
    assertThat(admitted).allSatisfy((w, count) -> assertThat(count).isLessThanOrEqualTo(LIMIT));
    List<Long> after = full(nodes).stream().filter(w -> w > killed).toList();
    assertThat(after).isNotEmpty();
    assertThat(after).allSatisfy(w -> assertThat(admitted.get(w)).isEqualTo(LIMIT));
  }

  private final List<NodeProcess> nodes = new ArrayList<>();

  @AfterEach
  void leaveNoProcessBehind() throws InterruptedException {
    for (NodeProcess node : nodes) {
      node.kill();
    }
  }

  private void start(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      nodes.add(
          NodeProcess.start(
              DATABASE.url(), DATABASE.user(), DATABASE.password(), LIMIT, 1, CALLERS));
    }
    for (NodeProcess node : nodes) {
      node.awaitReady();
    }
    for (NodeProcess node : nodes) {
      node.go();
    }
  }

  /** Not read from what a node said: one that dies may have said nothing of its last windows. */
  private static long endOfThePresentWindow() throws SQLException {
    try (Connection connection = DATABASE.connect();
        ResultSet now = connection.createStatement().executeQuery("SELECT UNIX_TIMESTAMP() + 1")) {
      now.next();
      return now.getLong(1);
    }
  }

  private static long connectionsOfNodes() throws SQLException {
    try (Connection connection = DATABASE.connect();
        ResultSet row =
            connection
                .createStatement()
                .executeQuery(
                    "SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()")) {
      row.next();
      return row.getLong(1);
    }
  }

  private static void awaitFullWindows(NodeProcess node, int count) {
    await().until(() -> node.fullWindows().size() >= count);
  }

  private static Map<Long, Long> admitted(List<NodeProcess> nodes) {
    Map<Long, Long> all = new TreeMap<>();
    for (NodeProcess node : nodes) {
      node.windows().forEach(w -> all.merge(w, node.admitted(w), Long::sum));
    }
    return all;
  }

  /** Those in which a node refused a request. */
  private static Set<Long> full(List<NodeProcess> nodes) {
    Set<Long> all = new TreeSet<>();
    nodes.forEach(node -> all.addAll(node.fullWindows()));
    return all;
  }

  private static Crowd crowd(
      WindowLimiter limiter, long key, Map<Long, LongAdder> admitted, Set<Long> full) {
    return Crowd.of(
        CALLERS,
        limiter,
        Limits.caller(key),
        decision ->
            admitted
                .computeIfAbsent(Crowd.window().applyAsLong(decision), window -> new LongAdder())
                .increment(),
        decision -> full.add(Crowd.window().applyAsLong(decision)));
  }

  private static DatabaseAddress database() {
    return Limits.address(DATABASE);
  }
}
