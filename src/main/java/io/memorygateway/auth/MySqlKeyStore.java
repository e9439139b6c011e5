package io.memorygateway.auth;

import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.database.SqlObjects;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;

/** Store of keys in the table {@code api_keys}, over a dedicated connection. */
final class MySqlKeyStore implements KeyStore {
  private final Connection connection;
  private final Handle handle;
  private boolean broken;

  private MySqlKeyStore(Connection connection) {
    this.connection = connection;
    this.handle = SqlObjects.install(Jdbi.create(connection)).open();
  }

  /**
   * Connects.
   *
   * @param timeout of an answer, after which the connection is closed
   */
  static MySqlKeyStore open(DatabaseAddress database, Duration connectTimeout, Duration timeout)
      throws SQLException {
    Connection connection = database.connect(connectTimeout, timeout);
    try {
      // An open transaction would block an ALTER TABLE.
      connection.setAutoCommit(true);
      return new MySqlKeyStore(connection);
    } catch (SQLException e) {
      DatabaseAddress.disconnect(connection, false);
      throw e;
    }
  }

  @Override
  public List<ApiKey> find(Collection<String> secretHashes) throws SQLException {
    List<byte[]> hashes = secretHashes.stream().map(HexFormat.of()::parseHex).toList();
    try {
      return handle.attach(ApiKeyDao.class).findBySecretHashes(hashes);
    } catch (JdbiException e) {
      broken = true;
      throw e.getCause() instanceof SQLException cause ? cause : new SQLException(e);
    }
  }

  @Override
  public void ping() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT 1");
    } catch (SQLException e) {
      broken = true;
      throw e;
    }
  }

  @Override
  public void close() {
    DatabaseAddress.disconnect(connection, !broken);
  }
}
