package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseHostsTest {
  private static final String URL = "jdbc:mysql://u:p,w@a:1,b:2,c/s?x=1,2";

  private final List<String> asked = new ArrayList<>();
  private final Set<String> down = new HashSet<>();
  private final Set<String> readOnly = new HashSet<>();
  private int closed;

  @Test
  void aNewConnectionGoesWhereTheLastWentAndOnWhereThatIsGone() throws SQLException {
    DatabaseHosts hosts = hosts(URL);
    hosts.connect(new Properties());
    hosts.connect(new Properties());
    down.add("a:1");
    hosts.connect(new Properties());
    hosts.connect(new Properties());
    assertThat(asked).containsExactly("a:1", "a:1", "a:1", "b:2", "b:2");
    assertThat(hosts.currentUrl()).isEqualTo("jdbc:mysql://u:p,w@b:2/s?x=1,2");
  }

  @Test
  void aServerThatTakesNoWritesIsPassedOverAndItsConnectionClosed() throws SQLException {
    DatabaseHosts hosts = hosts(URL);
    readOnly.add("a:1");
    readOnly.add("b:2");
    hosts.connect(new Properties());
    assertThat(asked).containsExactly("a:1", "b:2", "c");
    assertThat(closed).isEqualTo(2);
  }

  @Test
  void fromTheLastHostTheFirstIsNext() throws SQLException {
    DatabaseHosts hosts = hosts(URL);
    down.addAll(Set.of("a:1", "b:2"));
    hosts.connect(new Properties());
    down.clear();
    down.add("c");
    hosts.connect(new Properties());
    assertThat(asked).containsExactly("a:1", "b:2", "c", "c", "a:1");
  }

  @Test
  void withoutAnyTheFailureIsOneOfTheConnection() {
    DatabaseHosts hosts = hosts(URL);
    readOnly.addAll(Set.of("a:1", "b:2"));
    down.add("c");
    assertThatThrownBy(() -> hosts.connect(new Properties()))
        .isInstanceOfSatisfying(
            SQLException.class,
            e -> assertThat(DatabaseFailure.of(e)).isEqualTo(DatabaseFailure.CONNECTION_LOST));
    readOnly.add("c");
    down.clear();
    assertThatThrownBy(() -> hosts.connect(new Properties()))
        .isInstanceOfSatisfying(
            SQLException.class,
            e -> assertThat(DatabaseFailure.of(e)).isEqualTo(DatabaseFailure.CONNECTION_LOST));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:mysql://h/s",
        "jdbc:mysql://h:3306/s?a=b,c",
        "jdbc:mysql://h",
        "jdbc:mysql://address=(host=a),address=(host=b)/s",
        "jdbc:mysql://[::1]:3306/s,t"
      })
  void oneHostIsLeftToTheDriverAndNotAskedWhetherItWrites(String url) throws SQLException {
    readOnly.add("h");
    DatabaseHosts hosts = hosts(url);
    assertThat(hosts.several()).isFalse();
    hosts.connect(new Properties());
    assertThat(hosts.currentUrl()).isEqualTo(url);
  }

  private DatabaseHosts hosts(String url) {
    return new DatabaseHosts(
        url,
        (one, properties) -> {
          String host = one.replaceFirst("^.*?//(.*@)?", "").replaceFirst("[/?].*", "");
          asked.add(host);
          if (down.contains(host)) {
            throw new SQLException("refused", "08001");
          }
          return connection(readOnly.contains(host) ? "1" : "0");
        });
  }

  private Connection connection(String readOnlyValue) {
    ResultSet row = fake(ResultSet.class, "getString", readOnlyValue, "next", true);
    Statement statement = fake(Statement.class, "executeQuery", row, "", true);
    return fake(Connection.class, "createStatement", statement, "", true);
  }

  private <T> T fake(
      Class<T> type, String method, Object result, String other, Object otherResult) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, called, arguments) -> {
              if (type == Connection.class && called.getName().equals("close")) {
                closed++;
              }
              String name = called.getName();
              return name.equals(method) ? result : name.equals(other) ? otherResult : null;
            }));
  }
}
