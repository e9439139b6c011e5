package io.memorygateway.auth;

import java.sql.SQLException;
import java.util.Collection;
import java.util.List;

/** The keys in the database, over one connection and for one thread. */
interface KeyStore extends AutoCloseable {

  /** Connects. */
  @FunctionalInterface
  interface Source {
    KeyStore open() throws SQLException;
  }

  /** Finds the keys with these hashes, in any order; of a hash without a key there is none. */
  List<ApiKey> find(Collection<String> secretHashes) throws SQLException;

  /** Shows the server that the connection is used; it ends idle ones. */
  void ping() throws SQLException;

  @Override
  void close();
}
