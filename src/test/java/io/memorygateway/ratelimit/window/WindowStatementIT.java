package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.database.Home;
import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.Limits;
import io.memorygateway.ratelimit.window.KeyBatch.Reply;
import io.memorygateway.ratelimit.window.WindowStore.Adjustment;
import io.memorygateway.ratelimit.window.WindowStore.Returned;
import io.memorygateway.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The statement against a model, on database clocks that the test sets. */
class WindowStatementIT {
  private static final long BEGIN = 1_800_000_000_000L;

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static long nodes;

  private record Node(Connection connection, MySqlWindowStore store) {}

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void admitsWhatTheModelAdmitsWhateverTheClocksRulesLimitsAndInterleavings(int seed)
      throws Exception {
    Random random = new Random(seed);
    RuleSet rules = RandomRules.from(random);
    ModelWindows model = new ModelWindows(rules);
    int[] slots = randomSlots(random, rules.size());
    List<Node> nodes = List.of(node(rules, slots), node(rules, slots), node(rules, slots));
    long now = BEGIN + random.nextInt(86_400_000);
    for (int step = 0; step < 250; step++) {
      now += random.nextInt(4) == 0 ? random.nextInt(5_000) : random.nextInt(50);
      // A clock may be behind, or its statement late.
      long nodeNow = random.nextInt(5) == 0 ? now - random.nextInt(3_000) : now;
      Node node = nodes.get(random.nextInt(nodes.size()));
      setClock(node.connection(), nodeNow);
      if (random.nextInt(20) == 0) {
        add(random, rules, model, node.store(), nodeNow, seed);
      } else if (random.nextInt(20) == 0) {
        giveBack(random, rules, model, node.store(), seed);
      } else {
        ask(random, rules, model, node.store(), nodeNow, seed);
      }
    }
    for (Node node : nodes) {
      node.store().close();
    }
  }

  private static void ask(
      Random random, RuleSet rules, ModelWindows model, MySqlWindowStore store, long now, int seed)
      throws SQLException {
    List<PermitRequest> tickets = new ArrayList<>();
    List<List<RequestKind>> kinds = new ArrayList<>();
    List<long[]> limits = new ArrayList<>();
    for (int key = 0; key < 3; key++) {
      long[] keyLimits = RandomRules.limits(random, rules);
      limits.add(keyLimits);
      List<RequestKind> keyKinds = new ArrayList<>();
      kinds.add(keyKinds);
      for (int i = 1 + random.nextInt(12); i > 0; i--) {
        RequestKind kind = RandomRules.kind(random, rules);
        keyKinds.add(kind);
        tickets.add(new PermitRequest(key(seed, key), kind, keyLimits));
      }
    }
    List<KeyBatch> batches = KeyBatch.of(tickets);
    List<Reply> replies = asked(store, batches);
    // Rows that were only made now are asked again, as the worker does.
    for (int i = 0; i < batches.size(); i++) {
      Reply reply = replies.get(i);
      if (reply == null) {
        reply = asked(store, List.of(batches.get(i))).get(0);
      }
      int key = (int) (batches.get(i).keyId() % 10);
      int[] admitted = new int[RequestKind.values().length];
      kinds.get(key).stream()
          .sorted()
          .filter(kind -> model.admit(key(seed, key), kind, limits.get(key), now))
          .forEach(kind -> admitted[kind.index()]++);
      for (RequestKind kind : RequestKind.values()) {
        assertThat(reply.granted(kind)).as("granted %s", kind).isEqualTo(admitted[kind.index()]);
      }
      assertThat(reply.counts().used()).isEqualTo(model.used(key(seed, key)));
      assertThat(reply.counts().starts()).isEqualTo(model.starts(key(seed, key)));
    }
  }

  private static List<Reply> asked(MySqlWindowStore store, List<KeyBatch> batches)
      throws SQLException {
    List<Reply> replies = new ArrayList<>();
    store.decide(batches, (key, reply) -> replies.add(reply));
    return replies;
  }

  private static void add(
      Random random, RuleSet rules, ModelWindows model, MySqlWindowStore store, long now, int seed)
      throws SQLException {
    List<Adjustment> admitted = new ArrayList<>();
    for (int key = 0; key < 3; key++) {
      long[] starts = new long[rules.size()];
      long[] used = new long[rules.size()];
      Arrays.fill(starts, -1);
      for (int i = 0; i < starts.length; i++) {
        if (random.nextBoolean()) {
          starts[i] = rules.windowStart(i, now - random.nextInt(2_000));
          used[i] = random.nextInt(20);
          model.add(key(seed, key), i, starts[i], used[i]);
        }
      }
      admitted.add(new Adjustment(key(seed, key), new WindowCounts(starts, used)));
    }
    store.add(admitted);
  }

  private static void giveBack(
      Random random, RuleSet rules, ModelWindows model, MySqlWindowStore store, int seed)
      throws SQLException {
    List<Adjustment> unused = new ArrayList<>();
    for (int key = 0; key < 3; key++) {
      long[] starts = model.starts(key(seed, key)).clone();
      long[] used = new long[rules.size()];
      for (int i = 0; i < starts.length; i++) {
        used[i] = random.nextLong(model.used(key(seed, key))[i] + 1);
        if (random.nextInt(4) == 0) {
          starts[i] -= rules.windowMillis(i);
        }
        model.giveBack(key(seed, key), i, starts[i], used[i]);
      }
      unused.add(new Adjustment(key(seed, key), new WindowCounts(starts, used)));
    }
    store.subtract(new Returned(unused, Set.of()));
  }

  private static long key(int seed, int key) {
    return 1_000L * seed + key;
  }

  private static int[] randomSlots(Random random, int size) {
    List<Integer> slots = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      slots.add(i);
    }
    java.util.Collections.shuffle(slots, random);
    return slots.stream().limit(size).mapToInt(Integer::intValue).toArray();
  }

  private static Node node(RuleSet rules, int[] slots) throws SQLException {
    Connection connection =
        Limits.address(DATABASE).connect(Duration.ofSeconds(30), Duration.ofSeconds(60));
    DatabaseClock clock = new DatabaseClock(InstantSource.system(), System::nanoTime);
    return new Node(
        connection, new MySqlWindowStore(connection, rules, slots, Home.FIRST, ++nodes, clock));
  }

  private static void setClock(Connection connection, long millis) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET timestamp = " + millis / 1000 + "." + "%03d".formatted(millis % 1000));
    }
  }
}
