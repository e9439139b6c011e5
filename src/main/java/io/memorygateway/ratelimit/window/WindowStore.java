package io.memorygateway.ratelimit.window;

import io.memorygateway.ratelimit.window.KeyBatch.Reply;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The shared windows of a home, over one connection and for one thread. */
interface WindowStore extends AutoCloseable {

  /** Adjustments of a transaction, at most. */
  int MAX_ADDED = 500;

  /** Opens a connection; the rules have their slots when it returns. */
  interface Source {
    WindowStore open() throws SQLException;
  }

  /**
   * Receives the reply for a key; null if its row was only just inserted and the key has to be
   * retried.
   */
  @FunctionalInterface
  interface Replies {
    void received(KeyBatch key, @Nullable Reply reply);
  }

  /**
   * Decides for all keys in one transaction. The replies follow the commit: an admitted request
   * stays counted even if this node or the database dies right after.
   *
   * @param keys ascending, without duplicates
   * @throws SQLException before the replies: the keys are either undecided, or decided and counted
   *     with the reply lost
   */
  void decide(List<KeyBatch> keys, Replies replies) throws SQLException;

  /**
   * Adds permits that were admitted without the database, where their windows still run, in one
   * transaction.
   *
   * @param admitted no more than {@link #MAX_ADDED}
   */
  void add(List<Adjustment> admitted) throws SQLException;

  /** Subtracts reserved permits that were not used, where their windows still run. */
  void subtract(Returned returned) throws SQLException;

  /** Asks all nodes for the permits that they hold of keys. */
  void recall(Set<Long> keys) throws SQLException;

  /** The keys of which this node is asked for the permits that it holds. */
  List<Long> recalled() throws SQLException;

  /** Takes nodes for dead that were asked for permits of keys and still hold some. */
  void forget(Set<Long> keys) throws SQLException;

  /** Reads the database's clock. */
  void ping() throws SQLException;

  @Override
  void close();

  /**
   * Permits to add to the counters of a key, or to subtract from them.
   *
   * @param counts by rule; a start of -1 where there is none
   */
  record Adjustment(long keyId, WindowCounts counts) {}

  /**
   * What a node returns.
   *
   * @param unused permits
   * @param keys of which it holds nothing any more
   */
  record Returned(List<Adjustment> unused, Set<Long> keys) {
    boolean isEmpty() {
      return unused.isEmpty() && keys.isEmpty();
    }
  }
}
