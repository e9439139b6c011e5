package io.memorygateway.memory;

import io.memorygateway.database.DatabaseFailure;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.jdbi.v3.core.HandleCallback;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.transaction.TransactionException;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;

/**
 * The one place where transactions are begun, tried again when the database chose them as the
 * victim of a deadlock, and where its failures become answers (contract §3).
 */
public final class Transactions {
  private static final int ATTEMPTS = 6;
  private static final long FIRST_PAUSE_MILLIS = 4;
  private static final TransactionIsolationLevel SNAPSHOT =
      TransactionIsolationLevel.REPEATABLE_READ;

  private final Jdbi jdbi;
  private final RandomGenerator random;
  private final Counter retries;
  private final Counter failures;

  public Transactions(Jdbi jdbi, RandomGenerator random, PrometheusRegistry registry) {
    this.jdbi = jdbi;
    this.random = random;
    this.retries =
        Counter.builder()
            .name("memory_gateway_transaction_retries_total")
            .help(
                "Transactions begun again after a deadlock or a wait for a lock that was too long.")
            .register(registry);
    this.failures =
        Counter.builder()
            .name("memory_gateway_store_failures_total")
            .help("Requests refused because the database did not serve them.")
            .register(registry);
  }

  /**
   * All or nothing. The work may run several times, each time from the start, so it must touch
   * nothing but the database.
   *
   * @throws OutcomeUnknownException if the connection was lost at the commit
   */
  public <T> T write(HandleCallback<T, RuntimeException> work) {
    for (int attempt = 1; ; attempt++) {
      AtomicBoolean committing = new AtomicBoolean();
      try {
        return jdbi.inTransaction(
            handle -> {
              T result = work.withHandle(handle);
              committing.set(true);
              return result;
            });
      } catch (JdbiException e) {
        boolean retryable = DatabaseFailure.of(e).isRetryable();
        if (committing.get() && !retryable) {
          failures.inc();
          throw new OutcomeUnknownException();
        }
        if (attempt == ATTEMPTS || !retryable) {
          throw failed(e);
        }
        retries.inc();
        pause(attempt);
      }
    }
  }

  /** Statements by hand. */
  @FunctionalInterface
  public interface ConnectionWork<T> {
    T on(Connection connection) throws SQLException;
  }

  /** Statements by hand, each of which sees a state of the database by itself. */
  public <T> T readOn(ConnectionWork<T> work) {
    return answered(() -> jdbi.withHandle(handle -> work.on(handle.getConnection())));
  }

  /** Statements, each of which sees a state of the database by itself. */
  public <T> T read(HandleCallback<T, RuntimeException> work) {
    return answered(() -> jdbi.withHandle(work));
  }

  /** Several statements by hand that see the same state of the database. */
  <T> T snapshotOn(ConnectionWork<T> work) {
    return answered(() -> jdbi.inTransaction(SNAPSHOT, handle -> work.on(handle.getConnection())));
  }

  /** Several statements that see the same state of the database. */
  public <T> T snapshot(HandleCallback<T, RuntimeException> work) {
    return answered(() -> jdbi.inTransaction(SNAPSHOT, work));
  }

  /** Something that the database is asked. */
  private interface Question<T> {
    T ask() throws SQLException;
  }

  private <T> T answered(Question<T> question) {
    try {
      return question.ask();
    } catch (SQLException e) {
      throw failed(new TransactionException("The database did not answer.", e));
    } catch (JdbiException e) {
      throw failed(e);
    }
  }

  private RuntimeException failed(JdbiException e) {
    RuntimeException answer = StoreFailure.answer(e);
    if (answer != e) {
      failures.inc();
    }
    return answer;
  }

  /** Longer each time, and of a random length, so that those who collided do not meet again. */
  private void pause(int attempt) {
    long atMost = FIRST_PAUSE_MILLIS << attempt;
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextLong(1, atMost)));
  }
}
