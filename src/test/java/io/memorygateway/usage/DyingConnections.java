package io.memorygateway.usage;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.ConnectionFactory;

/** Connections of a process that is killed: after so many statements they all end. */
final class DyingConnections implements ConnectionFactory {
  private final ConnectionFactory real;
  private final AtomicInteger left;

  DyingConnections(ConnectionFactory real, int left) {
    this.real = real;
    this.left = new AtomicInteger(left);
  }

  @Override
  public Connection openConnection() throws SQLException {
    Connection connection = real.openConnection();
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("prepareStatement") && left.getAndDecrement() <= 0) {
                connection.close();
                throw new SQLException("killed");
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
