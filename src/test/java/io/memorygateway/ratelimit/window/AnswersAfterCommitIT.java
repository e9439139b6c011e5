package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.database.Home;
import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.Limits;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import io.memorygateway.testing.DatabaseRelay;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestTimeout;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Nobody is let in before the commit: the database is held just before it, by a row that others
 * lock.
 */
class AnswersAfterCommitIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final String TOUCH_HELD =
      "; UPDATE rate_limit_windows SET touched_at = 1 WHERE key_id = 99";
  private static final long KEY = 1;

  private final RuleSet rules =
      new RuleSet(List.of(new RateLimitRule("only", AppliesTo.LLM, 100, Duration.ofDays(1))));
  private final ExecutorService executor = Executors.newSingleThreadExecutor();
  private Connection other;
  private DatabaseRelay relay;
  private MySqlWindowStore store;

  @BeforeEach
  void connect() throws SQLException, IOException {
    Limits.awaitRoomInTheDay();
    other = DATABASE.connect();
    other.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    relay = DatabaseRelay.to(DATABASE.port());
    Connection own =
        new DatabaseAddress(DATABASE.url(relay), DATABASE.user(), DATABASE.password(), Map.of())
            .connect(Duration.ofSeconds(30), Duration.ofSeconds(60));
    try (Statement statement = own.createStatement()) {
      statement.execute("SET innodb_lock_wait_timeout = 60");
      statement.execute("DELETE FROM rate_limit_windows");
      statement.execute("INSERT INTO rate_limit_windows (key_id, touched_at) VALUES (99, 0)");
    }
    own.commit();
    DatabaseClock clock = new DatabaseClock(InstantSource.system(), System::nanoTime);
    store =
        new MySqlWindowStore(
            holding(Connection.class, own), rules, new int[] {0}, Home.FIRST, 1, clock);
    store.decide(batch(1), (key, reply) -> assertThat(reply).isNull()); // makes the row
    store.decide(batch(1), (key, reply) -> assertThat(reply).isNotNull());
  }

  @AfterEach
  void disconnect() throws SQLException, IOException {
    other.close();
    executor.shutdownNow();
    store.close();
    relay.close();
  }

  @Test
  void aDecisionIsKnownOnceItIsCommitted() throws Exception {
    hold();
    CompletableFuture<Integer> granted = new CompletableFuture<>();
    Future<?> asking = ask(granted);
    await().until(this::isHeld);
    assertThat(granted).isNotDone();
    assertThat(used()).isEqualTo(1);

    other.commit();
    asking.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    assertThat(granted).isCompletedWithValue(5);
    assertThat(used()).isEqualTo(6);
  }

  @Test
  void ofWhatIsNotKnownToBeCommittedNobodyIsLetIn() throws Exception {
    hold();
    CompletableFuture<Integer> granted = new CompletableFuture<>();
    Future<?> asking = ask(granted);
    await().until(this::isHeld);

    relay.cut();
    assertThatThrownBy(() -> asking.get(TestTimeout.SECONDS, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(SQLException.class);
    assertThat(granted).isNotDone();
    other.commit();
  }

  private boolean isHeld() throws SQLException {
    try (Statement statement = other.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE()"
                    + " AND TRIM(info) LIKE 'UPDATE rate_limit_windows%'")) {
      row.next();
      return row.getInt(1) == 1;
    }
  }

  private Future<?> ask(CompletableFuture<Integer> granted) {
    return executor.submit(
        () -> {
          store.decide(batch(5), (key, reply) -> granted.complete(reply.granted(RequestKind.LLM)));
          return null;
        });
  }

  private List<KeyBatch> batch(int requests) {
    return KeyBatch.of(
        IntStream.range(0, requests)
            .mapToObj(i -> new PermitRequest(KEY, RequestKind.LLM, rules.limits()))
            .toList());
  }

  /** Locks the row that the statement will want before it commits. */
  private void hold() throws SQLException {
    other.setAutoCommit(false);
    try (Statement statement = other.createStatement()) {
      statement.execute("SELECT 1 FROM rate_limit_windows WHERE key_id = 99 FOR UPDATE");
    }
  }

  private long used() throws SQLException {
    try (Statement statement = other.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT used_0 FROM rate_limit_windows WHERE key_id = 1")) {
      row.next();
      return row.getLong(1);
    }
  }

  /** A connection, or a statement of it, whose transactions touch the held row last. */
  private static <T> T holding(Class<T> type, T target) {
    InvocationHandler handler =
        (proxy, method, args) -> {
          if (method.getName().equals("execute")) {
            args[0] = ((String) args[0]).replace("; COMMIT", TOUCH_HELD + "; COMMIT");
          }
          try {
            Object result = method.invoke(target, args);
            return result instanceof Statement own ? holding(Statement.class, own) : result;
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
