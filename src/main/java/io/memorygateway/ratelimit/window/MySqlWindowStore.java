package io.memorygateway.ratelimit.window;

import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.database.Home;
import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.DatabaseClock.Moment;
import io.memorygateway.ratelimit.window.KeyBatch.Reply;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Shared windows of a home in the table {@code rate_limit_windows}. */
final class MySqlWindowStore implements WindowStore {
  /**
   * Time for which rollbacks are retried: where several members of a cluster take writes, all but
   * one of the concurrent transactions on a key are rolled back on commit, until the others' counts
   * have arrived.
   */
  private static final long RETRIED_FOR_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long FIRST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

  /** Greatest exponent of the backoff between attempts, which is a random part of its limit. */
  private static final int MAX_PAUSE_ATTEMPT = 6;

  private final Connection connection;
  private final Statement statement;
  private final RuleSet rules;
  private final int[] slots;
  private final DatabaseClock clock;
  private final Map<Set<RequestKind>, WindowStatement> statements = new HashMap<>();
  private final AdjustmentStatement adjustments;
  private final Holders holders;
  private final SplittableRandom random = new SplittableRandom();
  private boolean broken;

  /**
   * @param connection that allows several statements in one text; closed with this
   * @param slots of the rules, by index
   * @param node id of this process
   */
  MySqlWindowStore(
      Connection connection, RuleSet rules, int[] slots, Home home, long node, DatabaseClock clock)
      throws SQLException {
    this.connection = connection;
    this.rules = rules;
    this.slots = slots.clone();
    this.adjustments = new AdjustmentStatement(slots);
    this.holders = new Holders(home, node, slots);
    this.clock = clock;
    this.statement = connection.createStatement();
    statement.setEscapeProcessing(false);
  }

  /**
   * Connects and claims the rules' slots.
   *
   * @param timeout of an answer
   * @param node id of this process
   */
  static MySqlWindowStore open(
      DatabaseAddress database,
      Duration connectTimeout,
      Duration timeout,
      RuleSet rules,
      Home home,
      long node,
      DatabaseClock clock)
      throws SQLException {
    Connection connection = database.connect(connectTimeout, timeout);
    try {
      return new MySqlWindowStore(
          connection, rules, RuleSlots.claim(connection, rules), home, node, clock);
    } catch (SQLException e) {
      DatabaseAddress.disconnect(connection, false);
      throw e;
    }
  }

  @Override
  public void decide(List<KeyBatch> keys, Replies receiver) throws SQLException {
    EnumSet<RequestKind> kinds = EnumSet.noneOf(RequestKind.class);
    for (KeyBatch key : keys) {
      for (RequestKind kind : RequestKind.values()) {
        if (key.wanted(kind) > 0) {
          kinds.add(kind);
        }
      }
    }
    WindowStatement window =
        statements.computeIfAbsent(kinds, k -> new WindowStatement(rules, slots, holders, k));
    String sql = window.text(keys);
    List<@Nullable Reply> replies = retrying(() -> execute(sql, window, keys));
    for (int i = 0; i < keys.size(); i++) {
      receiver.received(keys.get(i), replies.get(i));
    }
  }

  /** Executes the text, including COMMIT, and returns the replies after the commit. */
  private List<@Nullable Reply> execute(String sql, WindowStatement window, List<KeyBatch> keys)
      throws SQLException {
    Moment sent = clock.now();
    statement.execute(sql);
    List<@Nullable Reply> replies = new ArrayList<>(keys.size());
    long databaseMillis = Long.MAX_VALUE;
    statement.getMoreResults();
    try (ResultSet row = statement.getResultSet()) {
      for (KeyBatch key : keys) {
        if (!row.next() || row.getLong(1) != key.keyId()) {
          throw new SQLException("rate_limit_windows has lost a row within a transaction");
        }
        databaseMillis = Math.min(databaseMillis, row.getLong(2));
        replies.add(reply(row, window));
      }
    }
    while (statement.getMoreResults() || statement.getUpdateCount() >= 0) {
      // Waits for the result of COMMIT and throws if it failed.
    }
    clock.synchronize(databaseMillis, sent, clock.now());
    return replies;
  }

  private @Nullable Reply reply(ResultSet row, WindowStatement window) throws SQLException {
    long databaseMillis = row.getLong(2);
    int held = holders.rules(row.getLong(3));
    int column = 4;
    int[] granted = new int[RequestKind.values().length];
    for (RequestKind kind : window.kinds()) {
      granted[kind.index()] = row.getInt(column++);
    }
    long[] starts = new long[slots.length];
    for (int i = 0; i < starts.length; i++) {
      starts[i] = row.getLong(column++);
      if (row.wasNull()) {
        return null;
      }
    }
    long[] used = new long[slots.length];
    for (int i = 0; i < used.length; i++) {
      used[i] = row.getLong(column++);
    }
    return new Reply(granted, new WindowCounts(starts, used), held, databaseMillis);
  }

  @Override
  public void add(List<Adjustment> admitted) throws SQLException {
    update(adjustments.addition(byKey(admitted)));
  }

  @Override
  public void subtract(Returned returned) throws SQLException {
    List<Adjustment> rows = byKey(returned.unused());
    retrying(
        () -> {
          for (Adjustment row : rows) {
            statement.executeUpdate(adjustments.subtraction(row));
          }
          if (!returned.keys().isEmpty()) {
            statement.executeUpdate(holders.release(returned.keys()));
          }
          connection.commit();
          return 0;
        });
  }

  @Override
  public void recall(Set<Long> keys) throws SQLException {
    update(holders.recall(keys));
  }

  @Override
  public List<Long> recalled() throws SQLException {
    return retrying(
        () -> {
          List<Long> keys = new ArrayList<>();
          try (ResultSet row = statement.executeQuery(holders.recalled())) {
            while (row.next()) {
              keys.add(row.getLong(1));
            }
          }
          connection.commit();
          return keys;
        });
  }

  @Override
  public void forget(Set<Long> keys) throws SQLException {
    update(holders.forget(keys));
  }

  private void update(String sql) throws SQLException {
    retrying(
        () -> {
          statement.executeUpdate(sql);
          connection.commit();
          return 0;
        });
  }

  /** The rows in the order in which all nodes lock them. */
  private static List<Adjustment> byKey(List<Adjustment> rows) {
    return rows.stream().sorted(Comparator.comparingLong(Adjustment::keyId)).toList();
  }

  @Override
  public void ping() throws SQLException {
    retrying(
        () -> {
          Moment sent = clock.now();
          try (ResultSet row = statement.executeQuery("SELECT " + WindowStatement.NOW)) {
            row.next();
            clock.synchronize(row.getLong(1), sent, clock.now());
          }
          return 0;
        });
  }

  @Override
  public void close() {
    DatabaseAddress.disconnect(connection, !broken);
  }

  /** Whether the transaction was certainly rolled back and may be retried. */
  private static boolean isRolledBack(SQLException failure) {
    return switch (DatabaseFailure.of(failure)) {
      case ROLLED_BACK, LOCK_WAIT_TIMEOUT -> true;
      default -> false;
    };
  }

  private interface Attempt<T> {
    T run() throws SQLException;
  }

  private <T> T retrying(Attempt<T> attempt) throws SQLException {
    long begun = System.nanoTime();
    for (int tries = 0; ; tries++) {
      try {
        return attempt.run();
      } catch (SQLException e) {
        if (System.nanoTime() - begun > RETRIED_FOR_NANOS || !isRolledBack(e)) {
          broken = true;
          throw e;
        }
        connection.rollback();
        long atMost = FIRST_PAUSE_NANOS << Math.min(tries, MAX_PAUSE_ATTEMPT);
        LockSupport.parkNanos(this, random.nextLong(atMost));
      }
    }
  }
}
