package io.memorygateway.ratelimit;

import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.ratelimit.KeyBatch.Reply;
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
import org.jspecify.annotations.Nullable;

/** The shared windows in {@code rate_limit_windows}: one round trip for a batch. */
final class MySqlWindowStore implements WindowStore {
  /** Deadlock, lock wait timeout, certification failure: rolled back for certain, so try again. */
  private static final Set<Integer> TRY_AGAIN = Set.of(1213, 1205, 3101);

  private static final int ATTEMPTS = 5;
  private static final int ROWS_OF_ADMITTED = 500;

  /**
   * What the database surely sends in one piece, in bytes, of its 16 KiB. Were it to send a second
   * one to a node that died after the first, it would break off instead of committing.
   */
  private static final int AT_ONCE = 14_000;

  private static final int BYTES_A_KEY = 80;
  private static final int BYTES_A_RULE = 25;

  private final Connection connection;
  private final Statement statement;
  private final Statement deciding;
  private final RuleSet rules;
  private final int[] slots;
  private final DatabaseClock clock;
  private final Map<Set<RequestKind>, WindowStatement> statements = new HashMap<>();
  private final AdmittedStatement admittedStatement;
  private boolean broken;

  /**
   * Works on a connection of its own.
   *
   * @param connection takes several statements in one text; closed with this
   * @param slots of the rules, by index
   */
  MySqlWindowStore(Connection connection, RuleSet rules, int[] slots, DatabaseClock clock)
      throws SQLException {
    this.connection = connection;
    this.rules = rules;
    this.slots = slots.clone();
    this.admittedStatement = new AdmittedStatement(slots);
    this.clock = clock;
    this.statement = connection.createStatement();
    statement.setEscapeProcessing(false);
    this.deciding = connection.createStatement();
    deciding.setEscapeProcessing(false);
    deciding.setFetchSize(Integer.MIN_VALUE); // the driver's word for: as it comes
  }

  /**
   * Connects and claims the rules' slots.
   *
   * @param timeout of an answer
   */
  static MySqlWindowStore open(
      DatabaseAddress database,
      Duration connectTimeout,
      Duration timeout,
      RuleSet rules,
      DatabaseClock clock)
      throws SQLException {
    Connection connection = database.connect(connectTimeout, timeout);
    try {
      return new MySqlWindowStore(connection, rules, RuleSlots.claim(connection, rules), clock);
    } catch (SQLException e) {
      connection.abort(Runnable::run);
      throw e;
    }
  }

  @Override
  public void ask(List<KeyBatch> keys, Answers answers) throws SQLException {
    EnumSet<RequestKind> kinds = EnumSet.noneOf(RequestKind.class);
    for (KeyBatch key : keys) {
      for (RequestKind kind : RequestKind.values()) {
        if (key.wanted(kind) > 0) {
          kinds.add(kind);
        }
      }
    }
    WindowStatement window =
        statements.computeIfAbsent(kinds, k -> new WindowStatement(rules, slots, k));
    String sql = window.text(keys);
    if (keys.size() * (BYTES_A_KEY + BYTES_A_RULE * slots.length) > AT_ONCE) {
      answer(keys, retrying(() -> committed(decide(sql, window, keys))), answers);
      return;
    }
    Decided decided = retrying(() -> decide(sql, window, keys));
    answer(keys, decided.replies(), answers);
    try {
      committed(decided);
    } catch (SQLException e) {
      broken = true;
      throw new UncertainException(granted(keys, decided.replies()), e);
    }
  }

  private static void answer(List<KeyBatch> keys, List<@Nullable Reply> replies, Answers answers) {
    for (int i = 0; i < keys.size(); i++) {
      answers.answer(keys.get(i), replies.get(i));
    }
  }

  /** Replies that have come, while COMMIT, which the database has got with the rest, runs. */
  private record Decided(List<@Nullable Reply> replies, ResultSet rows) {}

  private Decided decide(String sql, WindowStatement window, List<KeyBatch> keys)
      throws SQLException {
    long sent = clock.ticks();
    deciding.execute(sql);
    deciding.getMoreResults();
    ResultSet row = deciding.getResultSet();
    List<@Nullable Reply> replies = new ArrayList<>(keys.size());
    long databaseMillis = Long.MAX_VALUE;
    for (KeyBatch key : keys) {
      if (!row.next() || row.getLong(1) != key.keyId()) {
        throw new SQLException("rate_limit_windows has lost a row within a transaction");
      }
      databaseMillis = Math.min(databaseMillis, row.getLong(2));
      replies.add(reply(row, window));
    }
    clock.answered(databaseMillis, sent, clock.ticks());
    return new Decided(replies, row);
  }

  /** Waits until COMMIT has been answered. */
  private List<@Nullable Reply> committed(Decided decided) throws SQLException {
    // Closed before its end, a result that is read as it comes stays open for the driver.
    if (decided.rows().next()) {
      throw new SQLException("more rows than keys");
    }
    while (deciding.getMoreResults() || deciding.getUpdateCount() >= 0) {
      // Nothing that anybody needs.
    }
    return decided.replies();
  }

  /** What a batch was granted, apart from what was counted before. */
  private List<Admitted> granted(List<KeyBatch> keys, List<@Nullable Reply> replies) {
    List<Admitted> granted = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      Reply reply = replies.get(i);
      if (reply != null) {
        Counts added = new Counts(reply.counts().starts(), reply.added(rules));
        granted.add(new Admitted(keys.get(i).keyId(), added));
      }
    }
    return granted;
  }

  private @Nullable Reply reply(ResultSet row, WindowStatement window) throws SQLException {
    long databaseMillis = row.getLong(2);
    int column = 3;
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
    return new Reply(granted, new Counts(starts, used), databaseMillis);
  }

  @Override
  public void add(List<Admitted> admitted) throws SQLException {
    List<Admitted> sorted = byKey(admitted);
    for (int from = 0; from < sorted.size(); from += ROWS_OF_ADMITTED) {
      int to = Math.min(sorted.size(), from + ROWS_OF_ADMITTED);
      String sql = admittedStatement.addition(sorted.subList(from, to));
      retrying(
          () -> {
            statement.executeUpdate(sql);
            connection.commit();
            return 0;
          });
    }
  }

  @Override
  public void giveBack(List<Admitted> unused) throws SQLException {
    List<Admitted> sorted = byKey(unused);
    retrying(
        () -> {
          for (Admitted row : sorted) {
            statement.executeUpdate(admittedStatement.subtraction(row));
          }
          connection.commit();
          return 0;
        });
  }

  /** In the order in which all nodes lock. */
  private static List<Admitted> byKey(List<Admitted> rows) {
    return rows.stream().sorted(Comparator.comparingLong(Admitted::keyId)).toList();
  }

  @Override
  public void ping() throws SQLException {
    retrying(
        () -> {
          long sent = clock.ticks();
          try (ResultSet row = statement.executeQuery("SELECT " + WindowStatement.NOW)) {
            row.next();
            clock.answered(row.getLong(1), sent, clock.ticks());
          }
          return 0;
        });
  }

  @Override
  public void close() {
    try {
      if (broken) {
        // Without a farewell, for which a server that hangs would make us wait.
        connection.abort(Runnable::run);
      } else {
        connection.close();
      }
    } catch (SQLException ignored) {
      // It is gone either way.
    }
  }

  private interface Attempt<T> {
    T run() throws SQLException;
  }

  private <T> T retrying(Attempt<T> attempt) throws SQLException {
    for (int tries = 1; ; tries++) {
      try {
        return attempt.run();
      } catch (SQLException e) {
        if (tries == ATTEMPTS || !TRY_AGAIN.contains(e.getErrorCode())) {
          broken = true;
          throw e;
        }
        connection.rollback();
      }
    }
  }
}
