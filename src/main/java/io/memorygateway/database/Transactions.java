package io.memorygateway.database;

import io.memorygateway.http.errors.ApiException;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.HandleCallback;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.transaction.TransactionException;
import org.jspecify.annotations.Nullable;

/**
 * Runs the transactions of requests, repeats those that the database rolled back (as the victim of
 * a deadlock, or of a cluster's certification), and turns its failures into errors of the API
 * (contract §3). All attempts together end in a bounded time: locks are waited for over a few
 * seconds, and a database that does not answer is waited for once, whatever else of the request
 * waited for it.
 *
 * <p>Other code begins its own transactions: on dedicated connections ({@code Appends}, rate
 * limits, look-ups of keys), in work that is repeated anyway (jobs, cleaners), and where a stream
 * is read or written, which cannot be repeated (export and import). All of it classifies failures
 * by {@link DatabaseFailure}.
 */
public final class Transactions {
  /** Time for looking up the outcome of a commit; reconnecting takes most of it. */
  private static final Duration LOOK_UP_TIMEOUT = Duration.ofSeconds(3);

  /** Longest wait for the answer to a statement, where a commit may be looked up. */
  public static final Duration ANSWER_TIMEOUT =
      ConnectionShares.REQUEST_TIMEOUT.minus(LOOK_UP_TIMEOUT);

  /** Time after which no further attempt is begun. */
  private static final long RETRIED_FOR_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final int MAX_ATTEMPTS = 6;
  private static final long FIRST_PAUSE_MILLIS = 4;

  /** An attempt with less time than this would fail on a slow machine, not on a dead database. */
  private static final int MIN_ATTEMPT_MILLIS = 500;

  /** Requests that wait for the pool at a time, beyond the pool's own timeout. */
  private static final int MAX_WAITING = 256;

  /** Shortest time for a look-up, however late it is when a commit is not answered. */
  private static final Duration MIN_LOOK_UP = Duration.ofSeconds(2);

  /** Attempt number from which pauses stop growing; longer ones would notice too late. */
  private static final int MAX_PAUSE_ATTEMPT = 6;

  private final Jdbi jdbi;
  private final RandomGenerator random;
  private final ConnectionShares shares;
  private final Counter lockTimeouts;
  private final Counter lockRefusals;
  private final Counter retries;
  private final Counter failures;
  private final Counter lookups;
  private final AtomicInteger waiting = new AtomicInteger();
  private final Map<Home, Semaphore> turns = new ConcurrentHashMap<>();

  /**
   * Creates the transactions of operators' commands, which are counted for no project, and not in
   * the metrics of requests.
   */
  public static Transactions ofOperators(Jdbi jdbi) {
    return new Transactions(jdbi, new SecureRandom(), new PrometheusRegistry());
  }

  /** Creates transactions for the only user of a pool. */
  public Transactions(Jdbi jdbi, RandomGenerator random, PrometheusRegistry registry) {
    this(jdbi, random, new ConnectionShares(Integer.MAX_VALUE, registry), registry);
  }

  /**
   * Creates transactions for many projects.
   *
   * @param shares of the pool
   */
  public Transactions(
      Jdbi jdbi, RandomGenerator random, ConnectionShares shares, PrometheusRegistry registry) {
    this.jdbi = jdbi;
    this.random = random;
    this.shares = shares;
    this.lockTimeouts =
        Counter.builder()
            .name("memory_gateway_lock_wait_timeouts_total")
            .help("Statements that waited in vain for a lock of another transaction.")
            .register(registry);
    this.lockRefusals =
        Counter.builder()
            .name("memory_gateway_lock_wait_refusals_total")
            .help("Writes refused because another transaction held their locks all the time.")
            .register(registry);
    this.retries =
        Counter.builder()
            .name("memory_gateway_transaction_retries_total")
            .help(
                "Transactions begun again after a deadlock, a wait for a lock that was too long,"
                    + " or a lost connection.")
            .register(registry);
    this.failures =
        Counter.builder()
            .name("memory_gateway_store_failures_total")
            .help("Requests refused because the database did not serve them.")
            .register(registry);
    this.lookups =
        Counter.builder()
            .name("memory_gateway_uncertain_commits_total")
            .help("Commits whose connection broke: found out what became of them, or given up.")
            .labelNames("outcome")
            .register(registry);
  }

  /**
   * Counts what the current thread does for a project, and for a thread of it, if any.
   *
   * @param spent part of the request's time for the database that its key and its rate limits took
   */
  public ConnectionShares.Account accountOf(
      long projectId, @Nullable String threadId, Duration spent) {
    return shares.open(projectId, threadId, spent);
  }

  /**
   * Creates lanes for work that takes connections of the pool: all of them together hold two for
   * each home, and a home that hangs leaves the others to requests.
   *
   * @param threads as in {@link HomeLanes#HomeLanes}, like the next one
   */
  public HomeLanes lanes(String threads, String failure) {
    return new HomeLanes(threads, failure, turns);
  }

  /** Deadline of the next work of the current thread's request. */
  public Deadline deadline() {
    return shares.deadline();
  }

  /**
   * Runs work in a transaction, of which everything is stored or nothing. The work may run several
   * times, each time from the start, so it must touch nothing but the database.
   *
   * @throws OutcomeUnknownException if the connection was lost at the commit
   */
  public <T> T write(HandleCallback<T, RuntimeException> work) {
    return shares.spend(true, deadline -> attempts(deadline, () -> new WriteAttempt<>(work)));
  }

  /** Runs work in a transaction with a separate deadline: one of many of a long piece of work. */
  public <T> T write(Deadline deadline, HandleCallback<T, RuntimeException> work) {
    return shares.use(true, deadline, () -> attempts(deadline, () -> new WriteAttempt<>(work)));
  }

  /**
   * Runs work in a transaction, which finds what an earlier run of it has stored, by ids or keys
   * that were fixed before. While the outcome of a commit is not known, it is run again on another
   * connection: by the lock of its thread it waits for what the server may still be doing.
   *
   * @param deadline for all attempts, and for looking up their outcome, for which some of the time
   *     is reserved; after it, the look-up goes on a little longer
   * @param uncertain whether an attempt before this call may have been committed
   * @throws OutcomeUnknownException if the database cannot be asked until then
   */
  public <T> T writeFinding(
      Deadline deadline, boolean uncertain, HandleCallback<T, RuntimeException> work) {
    Deadline end = uncertain ? lookUpUntil(deadline) : deadline.leaving(LOOK_UP_TIMEOUT);
    boolean unknown = uncertain;
    for (int attempt = 1; ; attempt++) {
      long begun = System.nanoTime();
      try {
        T found = write(end, work);
        if (unknown) {
          lookups.labelValues("found_out").inc();
        }
        return found;
      } catch (ApiException e) {
        boolean lookedUp = unknown;
        if (e instanceof OutcomeUnknownException && !unknown) {
          unknown = true;
          end = lookUpUntil(deadline);
        }
        if (!unknown || e.error().status() != 503) {
          throw e;
        }
        // If the database stalls, each look-up takes as long as the one before.
        long took = lookedUp ? TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun) : 0;
        if (end.millisLeft() < Math.max(MIN_ATTEMPT_MILLIS, took)) {
          lookups.labelValues("given_up").inc();
          throw new OutcomeUnknownException();
        }
        pause(Math.min(attempt, MAX_PAUSE_ATTEMPT));
      }
    }
  }

  private static Deadline lookUpUntil(Deadline deadline) {
    return deadline.millisLeft() < MIN_LOOK_UP.toMillis() ? Deadline.in(MIN_LOOK_UP) : deadline;
  }

  @FunctionalInterface
  public interface Work<T> {
    T with(Handle handle) throws SQLException;
  }

  /** Reads; every statement sees the state of the database at its own time. */
  public <T> T read(Work<T> work) {
    return shares.spend(false, deadline -> attempts(deadline, () -> work));
  }

  /** Reads for many callers at once; counted for no project. */
  public <T> T readForMany(Deadline deadline, Work<T> work) {
    return attempts(deadline, () -> work);
  }

  /**
   * Reads for a project, apart from what the current thread does for it else: each of many reads
   * may take as long as a request's only one.
   */
  public <T> T readInOwnAccount(long projectId, Work<T> work) {
    ConnectionShares.Account account = accountOf(projectId, null, Duration.ZERO);
    try {
      return read(work);
    } finally {
      account.close();
    }
  }

  /** Reads; all statements see the same state of the database. */
  public <T> T snapshot(Work<T> work) {
    return read(handle -> inSnapshot(handle, work));
  }

  /**
   * Reads in a transaction of a higher level than that of the pool. The level is the session's, and
   * set back: not all servers take one that is the next transaction's alone for that. Auto-commit
   * stays on, so that it takes no more statements.
   */
  private static <T> T inSnapshot(Handle handle, Work<T> work) throws SQLException {
    try {
      handle.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
      handle.execute("START TRANSACTION");
      return work.with(handle);
    } finally {
      try {
        handle.execute("COMMIT");
        handle.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
      } catch (JdbiException e) {
        ConnectionCheck.discard(handle.getConnection());
      }
    }
  }

  private static final class WriteAttempt<T> implements Work<T> {
    private final HandleCallback<T, RuntimeException> work;

    /** Whether a failure may have come after the commit was sent. */
    private boolean committing;

    WriteAttempt(HandleCallback<T, RuntimeException> work) {
      this.work = work;
    }

    @Override
    public T with(Handle handle) {
      return handle.inTransaction(
          same -> {
            T result = work.withHandle(same);
            committing = true;
            return result;
          });
    }
  }

  private <T> T attempts(Deadline deadline, Supplier<Work<T>> attempts) {
    long begun = System.nanoTime();
    boolean lost = false;
    int attempt = 1;
    while (true) {
      if (deadline.millisLeft() < MIN_ATTEMPT_MILLIS) {
        failures.inc();
        throw new StoreUnreachableException();
      }
      Work<T> work = attempts.get();
      try {
        return onConnection(deadline, lost ? ifConnected(work) : work);
      } catch (SQLException | JdbiException e) {
        DatabaseFailure failure = DatabaseFailure.of(e);
        if (failure == DatabaseFailure.LOCK_WAIT_TIMEOUT) {
          lockTimeouts.inc();
        }
        boolean committing = work instanceof WriteAttempt<T> write && write.committing;
        if (committing && !failure.isRetryable()) {
          failures.inc();
          throw new OutcomeUnknownException();
        }
        // A transaction whose connection was lost before its commit is rolled back.
        lost |= failure.endsConnection();
        boolean again = failure.isRetryable() || failure == DatabaseFailure.CONNECTION_LOST;
        if (!again || attempt == MAX_ATTEMPTS || System.nanoTime() - begun > RETRIED_FOR_NANOS) {
          throw failed(failure, e);
        }
        retries.inc();
        if (!(e instanceof ConnectionEndedException)) {
          pause(attempt);
          attempt++;
        }
      }
    }
  }

  /**
   * Work behind a trial of its connection: a server that is started anew, or writable no more, does
   * so to all that the pool has, and each of them would be an attempt.
   */
  private static <T> Work<T> ifConnected(Work<T> work) {
    return handle -> {
      if (!ConnectionCheck.passes(handle.getConnection())) {
        throw new ConnectionEndedException();
      }
      return work.with(handle);
    };
  }

  /** A connection of the pool had ended before it was used; the pool has it no longer. */
  private static final class ConnectionEndedException extends SQLRecoverableException {
    private static final long serialVersionUID = 1;
  }

  /**
   * Runs work on a connection of the pool. An exhausted pool is not an outage: a connection is
   * waited for until too little time is left to use one.
   */
  private <T> T onConnection(Deadline deadline, Work<T> work) throws SQLException {
    boolean queued = false;
    try {
      for (int attempt = 1; ; attempt++) {
        long begun = System.nanoTime();
        try {
          return jdbi.<T, SQLException>withHandle(handle -> byDeadline(handle, deadline, work));
        } catch (JdbiException e) {
          long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
          if (DatabaseFailure.of(e) != DatabaseFailure.POOL_EXHAUSTED) {
            throw e;
          }
          boolean full = !queued && waiting.incrementAndGet() > MAX_WAITING;
          queued = true;
          if (full || deadline.millisLeft() < took + MIN_ATTEMPT_MILLIS) {
            throw e;
          }
        }
        pause(Math.min(attempt, MAX_PAUSE_ATTEMPT));
      }
    } finally {
      if (queued) {
        waiting.decrementAndGet();
      }
    }
  }

  /** Bounds the driver's wait for each answer by the deadline. */
  private static <T> T byDeadline(Handle handle, Deadline deadline, Work<T> work)
      throws SQLException {
    Connection connection = handle.getConnection();
    int usualMillis = connection.getNetworkTimeout();
    int left = (int) Math.max(MIN_ATTEMPT_MILLIS, deadline.millisLeft());
    // Most deadlines have just begun, and the usual timeout fits them.
    boolean shorter = usualMillis > left + MIN_ATTEMPT_MILLIS;
    if (shorter) {
      connection.setNetworkTimeout(Runnable::run, left);
    }
    try {
      return work.with(handle);
    } catch (SQLException | JdbiException e) {
      if (DatabaseFailure.of(e).endsConnection()) {
        ConnectionCheck.discard(connection);
      }
      throw e;
    } finally {
      if (shorter && !connection.isClosed()) {
        connection.setNetworkTimeout(Runnable::run, usualMillis);
      }
    }
  }

  private RuntimeException failed(DatabaseFailure failure, Exception cause) {
    JdbiException thrown =
        cause instanceof JdbiException jdbiException
            ? jdbiException
            : new TransactionException("The database did not answer.", cause);
    RuntimeException answer = StoreFailure.answer(failure, thrown);
    if (failure == DatabaseFailure.POOL_EXHAUSTED) {
      shares.refusedByPool();
    } else if (answer != thrown) {
      failures.inc();
    }
    if (failure == DatabaseFailure.LOCK_WAIT_TIMEOUT) {
      lockRefusals.inc();
    }
    return answer;
  }

  /**
   * Pauses longer each time, for a random time, so that colliding transactions do not meet again.
   */
  private void pause(int attempt) {
    long atMost = FIRST_PAUSE_MILLIS << attempt;
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextLong(1, atMost)));
  }
}
