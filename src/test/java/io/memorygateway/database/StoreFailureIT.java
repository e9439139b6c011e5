package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ErrorCatalogue;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestTimeout;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.tomcat.jdbc.pool.PoolExhaustedException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §3: what failures of the database become. */
class StoreFailureIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private Transactions transactions;

  @BeforeEach
  void twoRows() throws Exception {
    transactions = of(Jdbi.create(DATABASE.url(), DATABASE.user(), DATABASE.password()));
    transactions.write(
        handle -> {
          handle.execute("DROP TABLE IF EXISTS locks");
          handle.execute("CREATE TABLE locks (id INT PRIMARY KEY, n INT NOT NULL)");
          return handle.execute("INSERT INTO locks VALUES (1, 0), (2, 0)");
        });
  }

  @Test
  void theVictimOfADeadlockIsTriedAgain() throws Exception {
    CyclicBarrier both = new CyclicBarrier(2);
    AtomicInteger attempts = new AtomicInteger();
    // Two threads for certain: the common pool may have only one.
    ExecutorService two = Executors.newFixedThreadPool(2);
    try {
      Future<?> one = two.submit(() -> lockBoth(1, 2, both, attempts));
      Future<?> other = two.submit(() -> lockBoth(2, 1, both, attempts));
      one.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
      other.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    } finally {
      two.shutdownNow();
    }
    assertThat(attempts).hasValue(3);
    assertThat(sum()).isEqualTo(4);
  }

  private void lockBoth(int first, int second, CyclicBarrier barrier, AtomicInteger attempts) {
    AtomicInteger own = new AtomicInteger();
    await(barrier); // A transaction is not tried again for ever.
    transactions.write(
        handle -> {
          attempts.incrementAndGet();
          handle.execute("UPDATE locks SET n = n + 1 WHERE id = ?", first);
          if (own.incrementAndGet() == 1) {
            await(barrier);
          }
          return handle.execute("UPDATE locks SET n = n + 1 WHERE id = ?", second);
        });
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await(TestTimeout.SECONDS, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whatFailsLeavesNothingBehind() {
    assertThatThrownBy(
            () ->
                transactions.write(
                    handle -> {
                      handle.execute("UPDATE locks SET n = 100");
                      throw new ApiException(ErrorCatalogue.forStatus(404));
                    }))
        .isInstanceOf(ApiException.class);
    assertThat(sum()).isZero();
  }

  @Test
  void aDatabaseThatCannotBeReachedIs503WithRetryAfter() {
    Transactions down = of(Jdbi.create("jdbc:mysql://127.0.0.1:1/none?connectTimeout=500"));
    for (Runnable use :
        new Runnable[] {
          () -> down.write(handle -> handle.execute("SELECT 1")),
          () -> down.read(handle -> handle.execute("SELECT 1")),
          () -> down.snapshot(handle -> handle.execute("SELECT 1"))
        }) {
      assertThatThrownBy(use::run)
          .isInstanceOfSatisfying(
              ApiException.class,
              e -> {
                assertThat(e.error().status()).isEqualTo(503);
                assertThat(e.error().retryAfterSeconds()).isPositive();
              });
    }
  }

  @Test
  void aConnectionThatIsCutIs503() {
    assertThatThrownBy(
            () ->
                transactions.write(
                    handle -> {
                      endConnectionOf(handle);
                      return handle.execute("UPDATE locks SET n = 5");
                    }))
        .isInstanceOfSatisfying(
            ApiException.class, e -> assertThat(e.error().status()).isEqualTo(503));
  }

  @Test
  void aCommitThatIsNotAnsweredIsOfUnknownOutcomeAndNotRepeated() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    Transactions lossy = of(Jdbi.create(() -> losingTheAnswerToCommits(DATABASE.connect())));

    assertThatThrownBy(
            () ->
                lossy.write(
                    handle -> {
                      attempts.incrementAndGet();
                      return handle.execute("UPDATE locks SET n = n + 1");
                    }))
        .isInstanceOfSatisfying(
            OutcomeUnknownException.class, e -> assertThat(e.error().status()).isEqualTo(503));

    assertThat(attempts).hasValue(1);
    assertThat(sum()).isEqualTo(2);
  }

  @Test
  void whatTheClusterRolledBackAtTheCommitIsDoneAgain() {
    AtomicInteger refusals = new AtomicInteger(2);
    Transactions clustered =
        of(Jdbi.create(() -> failingAtCommit(DATABASE.connect(), refusals, 3101)));

    clustered.write(handle -> handle.execute("UPDATE locks SET n = n + 1"));

    assertThat(refusals).hasNegativeValue();
    assertThat(sum()).isEqualTo(2);
  }

  @Tag("heavy")
  @Test
  void anExhaustedPoolIsWaitedFor() throws Exception {
    AtomicInteger refusals = new AtomicInteger(20);
    Transactions crowded =
        of(
            Jdbi.create(
                () -> {
                  if (refusals.getAndDecrement() > 0) {
                    throw new PoolExhaustedException("none available");
                  }
                  return DATABASE.connect();
                }));

    crowded.write(handle -> handle.execute("UPDATE locks SET n = n + 1"));

    assertThat(refusals).hasNegativeValue();
    assertThat(sum()).isEqualTo(2);
  }

  @Test
  void aPoolThatStaysExhaustedIsNoOutage() {
    Transactions crowded =
        of(
            Jdbi.create(
                () -> {
                  throw new PoolExhaustedException("none available");
                }));

    assertThatThrownBy(
            () -> crowded.write(Deadline.in(Duration.ofSeconds(1)), handle -> handle.execute("x")))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> {
              assertThat(e.error().status()).isEqualTo(503);
              assertThat(e.error().message()).contains("Too many requests of this node");
              assertThat(e.error().retryAfterSeconds()).isPositive();
            });
  }

  @Tag("heavy")
  @Test
  void aLockThatIsNotReleasedEndsInTimeWith503() throws Exception {
    DatabaseAddress address =
        new DatabaseAddress(DATABASE.url(), DATABASE.user(), DATABASE.password(), Map.of());
    AtomicInteger attempts = new AtomicInteger();
    Transactions impatient =
        of(
            Jdbi.create(
                () -> {
                  Connection connection =
                      address.connect(Duration.ofSeconds(5), Duration.ofSeconds(30));
                  connection.setAutoCommit(true);
                  return connection;
                }));
    try (Connection holder = DATABASE.connect()) {
      holder.setAutoCommit(false);
      holder.createStatement().execute("UPDATE locks SET n = 7 WHERE id = 1");

      assertThatThrownBy(
              () ->
                  impatient.write(
                      handle -> {
                        attempts.incrementAndGet();
                        return handle.execute("UPDATE locks SET n = n + 1");
                      }))
          .isInstanceOfSatisfying(
              ApiException.class, e -> assertThat(e.error().status()).isEqualTo(503))
          .isNotInstanceOf(OutcomeUnknownException.class);
      holder.rollback();
    }
    assertThat(attempts.get()).isBetween(2, 4);
    assertThat(sum()).isZero();
  }

  @Test
  void aConnectionLostBeforeTheCommitIsReplacedAndTheWorkDoneAgain() {
    AtomicInteger attempts = new AtomicInteger();

    transactions.write(
        handle -> {
          int updated = handle.execute("UPDATE locks SET n = n + 1");
          if (attempts.incrementAndGet() == 1) {
            endConnectionOf(handle);
            handle.execute("UPDATE locks SET n = n + 1");
          }
          return updated;
        });

    assertThat(attempts).hasValue(2);
    assertThat(sum()).isEqualTo(2);
  }

  @Test
  void statementsOfASnapshotSeeOneState() {
    Transactions readCommitted =
        of(
            Jdbi.create(
                () -> {
                  Connection connection = DATABASE.connect();
                  connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                  return connection;
                }));

    List<Integer> seen =
        readCommitted.snapshot(
            handle -> {
              int before = sumOf(handle);
              transactions.write(other -> other.execute("UPDATE locks SET n = n + 1"));
              return List.of(before, sumOf(handle));
            });

    assertThat(seen).containsExactly(0, 0);
    assertThat(sum()).isEqualTo(2);
  }

  private static int sumOf(Handle handle) {
    return handle.createQuery("SELECT SUM(n) FROM locks").mapTo(Integer.class).one();
  }

  private static void endConnectionOf(Handle handle) {
    long id = handle.createQuery("SELECT CONNECTION_ID()").mapTo(Long.class).one();
    try (Connection killer = DATABASE.connect()) {
      killer.createStatement().execute("KILL " + id);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private static Connection losingTheAnswerToCommits(Connection real) {
    return atCommit(
        real,
        () -> {
          real.commit();
          real.close();
          throw new SQLException("Communications link failure", "08S01");
        });
  }

  private static Connection failingAtCommit(
      Connection real, AtomicInteger refusals, int errorNumber) {
    return atCommit(
        real,
        () -> {
          if (refusals.decrementAndGet() >= 0) {
            real.rollback();
            throw new SQLException("rolled back during commit", "40000", errorNumber);
          }
          real.commit();
        });
  }

  private interface Commit {
    void run() throws SQLException;
  }

  private static Connection atCommit(Connection real, Commit commit) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("commit")) {
                commit.run();
                return null;
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private int sum() {
    return transactions.read(
        handle -> handle.createQuery("SELECT SUM(n) FROM locks").mapTo(Integer.class).one());
  }

  private static Transactions of(Jdbi jdbi) {
    return new Transactions(jdbi, new Random(1), new PrometheusRegistry());
  }
}
