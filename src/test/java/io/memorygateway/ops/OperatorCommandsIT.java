package io.memorygateway.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.CommandLine;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code check} and {@code purge}. */
class OperatorCommandsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TestGateway GATEWAY = new TestGateway(DATABASE, UPSTREAM);

  @Test
  void checkLooksAtTheDatabaseToo() throws Exception {
    CommandLine.Outcome good = new CommandLine().with(DATABASE).run("check", "config.yml");
    assertThat(good.status()).as(good.err()).isZero();
    assertThat(good.out()).contains("configuration: good", "every migration", "grants: enough");

    String nowhere = "jdbc:mysql://127.0.0.1:" + FakeUpstream.closedPort() + "/x";
    CommandLine gone = new CommandLine().with(DATABASE).with("DATABASE_URL", nowhere);
    assertThat(gone.run("check", "config.yml").failure()).contains("database.url", "refused");
    assertThat(gone.run("check", "--database", "no", "config.yml").status()).isZero();
    assertThat(gone.run("check", "--help").out()).contains("--database");
  }

  @Test
  void whatTheUserMayNotDoIsNamedWithItsTable() throws Exception {
    try (Connection connection = DATABASE.connect()) {
      assertThat(Grants.require(connection)).isGreaterThan(10);
      for (String what : List.of("SELECT *", "INSERT", "UPDATE", "DELETE")) {
        assertThatThrownBy(() -> Grants.require(denying(connection, what, "messages")))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("database.user: may not " + what.split(" ", -1)[0])
            .hasMessageContaining("table messages: denied");
      }
      // The server only reads what migrations have done.
      assertThat(Grants.require(denying(connection, "INSERT", "DATABASECHANGELOG"))).isPositive();
    }
  }

  @Test
  void purgeRemovesWhatIsOldAndSaysHowMuch() throws Exception {
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          """
          INSERT INTO request_log (started_at, id, project_id, key_id, request_id, endpoint, provider, model, status, stream, duration_ms)
          VALUES (UTC_TIMESTAMP(3) - INTERVAL 10 DAY, 1, 1, 1, 'a', 'chat', 'p', 'm', 200, 0, 1),
                 (UTC_TIMESTAMP(3) - INTERVAL 100 DAY, 2, 1, 1, 'b', 'chat', 'p', 'm', 200, 0, 1)
          """);
      statement.execute(
          """
          INSERT INTO idempotency_keys (project_id, key_hash, request_hash, status, created_at)
          VALUES (1, UNHEX(REPEAT('a1', 32)), UNHEX(REPEAT('a2', 32)), 200, UTC_TIMESTAMP(3) - INTERVAL 2 DAY)
          """);
      statement.execute("INSERT INTO rate_limit_windows (key_id, touched_at) VALUES (99999, 1)");
    }

    JsonNode removed = GATEWAY.task("purge");
    assertThat(removed.path("requestLog").asInt()).isEqualTo(1);
    assertThat(removed.path("idempotencyKeys").asInt()).isEqualTo(1);
    assertThat(removed.path("formerMessages").isInt()).isTrue();
    assertThat(removed.path("rateLimitWindows").asInt()).isEqualTo(1);

    CommandLine gateway = new CommandLine().with(DATABASE);
    CommandLine.Outcome outcome = gateway.run("purge", "--requestLog", "5d", "config.yml");
    assertThat(outcome.status()).as(outcome.err()).isZero();
    assertThat(new ObjectMapper().readTree(outcome.out()).path("requestLog").asInt()).isEqualTo(1);
    assertThat(gateway.run("purge", "--requestLog", "soon", "config.yml").failure())
        .contains("requestLog", "duration");
    assertThat(gateway.run("purge", "--help").out()).contains("--requestLog");
  }

  /** As a server answers a user without the grant; the embedded one has no grants at all. */
  private static Connection denying(Connection real, String what, String table) {
    return (Connection)
        proxy(
            Connection.class,
            (method, arguments) ->
                method.getName().equals("createStatement")
                    ? denying(real.createStatement(), what, table)
                    : method.invoke(real, arguments));
  }

  private static Object denying(Statement real, String what, String table) {
    return proxy(
        Statement.class,
        (method, arguments) -> {
          String sql = arguments == null ? "" : arguments[0].toString();
          if (sql.startsWith(what) && sql.contains(" " + table + " ")) {
            throw new SQLException("denied");
          }
          return method.invoke(real, arguments);
        });
  }

  private interface Call {
    Object apply(Method method, Object[] arguments) throws Exception;
  }

  private static Object proxy(Class<?> type, Call call) {
    return Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (self, method, arguments) -> call.apply(method, arguments));
  }
}
