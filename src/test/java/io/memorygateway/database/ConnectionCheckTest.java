package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.apache.tomcat.jdbc.pool.PoolProperties;
import org.junit.jupiter.api.Test;

/** Contract §13: a connection that is of no more use is not lent again. */
class ConnectionCheckTest {
  private int opened;
  private int closed;

  @Test
  void aDiscardedConnectionIsClosedAndAnotherOneLent() throws Exception {
    PoolProperties properties = new PoolProperties();
    properties.setInitialSize(0);
    properties.setMaxActive(1);
    properties.setDataSource(
        (DataSource)
            Proxy.newProxyInstance(
                ConnectionCheckTest.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> connection()));
    org.apache.tomcat.jdbc.pool.DataSource pool =
        new org.apache.tomcat.jdbc.pool.DataSource(properties);
    try {
      pool.getConnection().close();
      try (Connection lent = pool.getConnection()) {
        assertThat(opened).isEqualTo(1);
        ConnectionCheck.discard(lent);
      }
      assertThat(closed).isEqualTo(1);
      pool.getConnection().close();
      assertThat(opened).isEqualTo(2);
    } finally {
      pool.close();
    }
  }

  @Test
  void aConnectionOfNoPoolStaysAsItIs() {
    ConnectionCheck.discard(connection());
    assertThat(closed).isZero();
  }

  private Connection connection() {
    opened++;
    return (Connection)
        Proxy.newProxyInstance(
            ConnectionCheckTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "close" -> {
                    closed++;
                    yield null;
                  }
                  case "unwrap" -> throw new SQLException("not wrapped");
                  case "isClosed", "isWrapperFor" -> false;
                  case "isValid", "getAutoCommit" -> true;
                  case "hashCode" -> System.identityHashCode(proxy);
                  case "equals" -> proxy == arguments[0];
                  case "toString" -> "connection";
                  default -> null;
                });
  }
}
