package io.memorygateway.ratelimit.window;

import io.memorygateway.ratelimit.window.KeyBatch.Reply;
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
   * Hears what was decided for a key; null: its row was only made now, and is to be asked again.
   */
  @FunctionalInterface
  interface Answers {
    void answer(KeyBatch key, @Nullable Reply reply);
  }

  /**
   * Decides for all keys in one transaction. The answers come once the database has committed it:
   * what is admitted stays counted, though this node or the database dies right after.
   *
   * @param keys ascending, none twice
   * @throws SQLException before any answer: undecided, or decided and not known, then counted
   *     perhaps
   */
  void ask(List<KeyBatch> keys, Answers answers) throws SQLException;

  /** Adds what was admitted without asking, if its windows still run. */
  void add(List<Admitted> admitted) throws SQLException;

  /** Takes back what was counted and did not come, if its windows still run. */
  void giveBack(List<Admitted> unused) throws SQLException;

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
