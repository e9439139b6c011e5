package io.memorygateway.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** With N nodes on one key, each window admits its limit: never one more, never one less. */
class ExactnessIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final int CALLERS = 64;
  private static final long LIMIT = 200;

  @Test
  void twoNodesInOneProcessShareEachWindowExactly() throws Exception {
    Map<Long, LongAdder> admitted = new ConcurrentHashMap<>();
    var configuration = Limits.patient(Map.of("only", Limits.rule(AppliesTo.LLM, LIMIT, 1)));
    RateLimiter one = Limits.limiter(configuration, database());
    RateLimiter other = Limits.limiter(configuration, database());
    one.start();
    other.start();
    Crowd crowd = crowd(one, admitted);
    Crowd otherCrowd = crowd(other, admitted);
    await().atMost(Duration.ofMinutes(1)).until(() -> admitted.size() >= 8);
    crowd.disperse();
    otherCrowd.disperse();
    one.stop();
    other.stop();

    List<Long> windows = whole(admitted.keySet());
    assertThat(windows).hasSizeGreaterThanOrEqualTo(6);
    assertThat(windows).allSatisfy(w -> assertThat(admitted.get(w).sum()).isEqualTo(LIMIT));
  }

  @Test
  void threeProcessesShareTwentyWindowsExactly() throws Exception {
    start(3);
    awaitWindows(nodes.get(0), 22);
    for (NodeProcess node : nodes) {
      node.end();
    }

    Map<Long, Long> admitted = admitted(nodes);
    List<Long> windows = whole(admitted.keySet());
    assertThat(windows).hasSizeGreaterThanOrEqualTo(20);
    assertThat(windows).allSatisfy(w -> assertThat(admitted.get(w)).isEqualTo(LIMIT));
    assertThat(nodes).allSatisfy(n -> assertThat(n.windows()).isNotEmpty());
  }

  @Test
  void aNodeKilledInAWindowNeverMakesItAdmitMore() throws Exception {
    start(3);
    awaitWindows(nodes.get(0), 3);
    nodes.get(1).kill();
    long killed = endOfThePresentWindow();
    awaitWindows(nodes.get(0), nodes.get(0).windows().size() + 5);
    nodes.get(0).end();
    nodes.get(2).end();

    Map<Long, Long> admitted = admitted(nodes);
    assertThat(admitted).allSatisfy((w, count) -> assertThat(count).isLessThanOrEqualTo(LIMIT));
    List<Long> after = whole(admitted.keySet()).stream().filter(w -> w > killed + 1).toList();
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
      nodes.add(NodeProcess.start(database(), LIMIT, 1, CALLERS));
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

  private static void awaitWindows(NodeProcess node, int count) {
    await().atMost(Duration.ofMinutes(2)).until(() -> node.windows().size() >= count);
  }

  private static Map<Long, Long> admitted(List<NodeProcess> nodes) {
    Map<Long, Long> all = new TreeMap<>();
    for (NodeProcess node : nodes) {
      node.windows().forEach(w -> all.merge(w, node.admitted(w), Long::sum));
    }
    return all;
  }

  /** All but the first and the last, in which the callers were not there for the whole time. */
  private static List<Long> whole(Set<Long> windows) {
    List<Long> sorted = windows.stream().sorted().toList();
    return sorted.subList(1, sorted.size() - 1);
  }

  private static Crowd crowd(RateLimiter limiter, Map<Long, LongAdder> admitted) {
    return Crowd.of(
        CALLERS,
        limiter,
        Limits.caller(1),
        decision ->
            admitted
                .computeIfAbsent(Crowd.window().applyAsLong(decision), window -> new LongAdder())
                .increment());
  }

  private static DatabaseAddress database() {
    return Limits.address(DATABASE);
  }
}
