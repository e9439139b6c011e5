package io.memorygateway.auth;

import java.sql.SQLException;
import java.util.Collection;
import java.util.List;

/** Access to the keys in the database, over one connection and for one thread. */
interface KeyStore extends AutoCloseable {

  @FunctionalInterface
  interface Source {
    KeyStore open() throws SQLException;
  }

  /** Finds the keys with these hashes, in any order; hashes without a key are left out. */
  List<ApiKey> find(Collection<String> secretHashes) throws SQLException;

  /** Uses the connection, since the server closes idle ones. */
  void ping() throws SQLException;

  @Override
  void close();
}
