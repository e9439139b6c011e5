package io.memorygateway.ratelimit;

import io.memorygateway.ratelimit.KeyBatch.Reply;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The shared windows, over one connection and for one thread. */
interface WindowStore extends AutoCloseable {

  /** Connects; the rules have their slots when it returns. */
  interface Source {
    WindowStore open() throws SQLException;
  }

  /**
   * Decides for all keys in one transaction.
   *
   * @param keys ascending, none twice
   * @return a reply per key; null where the key's row was only made now, and is to be asked again
   * @throws SQLException undecided, or decided and not known; then counted perhaps
   */
  List<@Nullable Reply> ask(List<KeyBatch> keys) throws SQLException;

  /** Adds what was admitted without asking, if its windows still run. */
  void add(List<Admitted> admitted) throws SQLException;

  /** Reads the database's clock. */
  void ping() throws SQLException;

  @Override
  void close();

  /**
   * What a node admitted on its own.
   *
   * @param counts by rule; a start of -1 where there is nothing
   */
  record Admitted(long keyId, Counts counts) {}
}
