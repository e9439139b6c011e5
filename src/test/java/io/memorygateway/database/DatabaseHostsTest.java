package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseHostsTest {
  private static final String URL = "jdbc:mysql://u:p,w@a:1,b:2,c/s?x=1,2";

  private final List<String> asked = new ArrayList<>();
  private final Set<String> down = new HashSet<>();
  private final Set<String> readOnly = new HashSet<>();
  private final Map<String, String> stateInGroup = new HashMap<>();
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
  void aMemberThatHasNotJoinedItsGroupIsPassedOver() throws SQLException {
    DatabaseHosts hosts = hosts(URL);
    stateInGroup.put("a:1", "OFFLINE");
    stateInGroup.put("b:2", "");
    stateInGroup.put("c", "ONLINE");
    hosts.connect(new Properties());
    assertThat(asked).containsExactly("a:1", "b:2", "c");
    assertThat(closed).isEqualTo(2);
  }

  @Test
  void aMemberIsTakenWhereTheAccountMayNotAskForItsState() throws SQLException {
    DatabaseHosts hosts = hosts(URL);
    stateInGroup.put("a:1", "denied");
    hosts.connect(new Properties());
    assertThat(asked).containsExactly("a:1");
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
          return connection(host);
        });
  }

  private Connection connection(String host) {
    Statement statement =
        fake(
            Statement.class,
            (self, called, arguments) ->
                called.getName().equals("executeQuery")
                    ? row(answer(host, String.valueOf(arguments[0])))
                    : null);
    return fake(
        Connection.class,
        (self, called, arguments) -> {
          closed += called.getName().equals("close") ? 1 : 0;
          return called.getName().equals("createStatement") ? statement : null;
        });
  }

  /** The value of the only row; null if there is none. */
  private @Nullable String answer(String host, String query) throws SQLException {
    if (query.contains("read_only")) {
      return readOnly.contains(host) ? "1" : "0";
    }
    String state = stateInGroup.get(host);
    if (query.startsWith("SHOW")) {
      return state == null ? null : "the group";
    }
    if ("denied".equals(state)) {
      throw new SQLException("SELECT command denied", "42000", 1142);
    }
    return state;
  }

  private static ResultSet row(@Nullable String value) {
    return fake(
        ResultSet.class,
        (self, called, arguments) ->
            switch (called.getName()) {
              case "next" -> value != null;
              case "getString" -> value;
              default -> null;
            });
  }

  private static <T> T fake(Class<T> type, InvocationHandler answers) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, answers));
  }
}
