package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.testing.TestDatabase;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What {@code check} tells of grants. */
class GrantsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

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
      // The audit log only grows, so an account may be kept from changing it.
      assertThat(Grants.require(denying(connection, "UPDATE", "audit_log"))).isPositive();
      assertThat(Grants.require(denying(connection, "DELETE", "audit_log"))).isPositive();
    }
  }

  /** As from a keyspace of Vitess: a table that is in another one is not shown, and can be used. */
  @Test
  void tablesThatAreDividedAmongShardsAreTriedAsWell() throws Exception {
    try (Connection connection = DATABASE.connect()) {
      assertThat(Grants.require(showing(connection, "projects")))
          .isEqualTo(1 + DividedTables.COLUMNS.size());
    }
  }

  private static Connection showing(Connection real, String table) {
    return (Connection)
        proxy(
            Connection.class,
            (method, arguments) ->
                method.getName().equals("createStatement")
                    ? showing(real.createStatement(), table)
                    : method.invoke(real, arguments));
  }

  private static Object showing(Statement real, String table) {
    return proxy(
        Statement.class,
        (method, arguments) ->
            arguments != null && arguments[0].equals("SHOW TABLES")
                ? real.executeQuery("SHOW TABLES LIKE '" + table + "'")
                : method.invoke(real, arguments));
  }

  /** As a server answers a user without the grant; the embedded one has a user who may do all. */
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
