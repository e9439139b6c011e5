package io.memorygateway.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.database.ConnectionSource;
import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.database.SqlObjects;
import io.memorygateway.observation.ObservationSettings;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestMemory;
import io.memorygateway.testing.TestTimeout;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;

/** Connections for appends that fail when a test wants them to. */
final class FaultyLanes implements ConnectionSource {
  /** What happens to commits. */
  enum Fault {
    NONE,
    /** They are carried out, but nobody learns of it. */
    ANSWER_LOST,
    /** They are not even sent. */
    DEFECT,
    /** The next one waits until {@link #release}; further ones do not. */
    HELD,
    /**
     * After the messages are inserted, the transaction is rolled back, and the rest of the text
     * runs nevertheless, as on Galera where another node's transaction comes first.
     */
    ROLLED_BACK,
    /** There are no connections to send them over. */
    NO_CONNECTION
  }

  private final TestDatabase database;
  private final List<Connection> opened = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private volatile Fault fault = Fault.NONE;

  FaultyLanes(TestDatabase database) {
    this.database = database;
  }

  void have(Fault now) {
    fault = now;
  }

  /** Waits until a commit is held. */
  void awaitHeld() throws InterruptedException {
    assertThat(held.await(TestTimeout.SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  void release() {
    released.countDown();
  }

  List<Connection> opened() {
    return opened;
  }

  /** A memory with project 1 that stores appends over these. */
  MemoryModule openMemory() throws SQLException {
    try (Connection connection = database.connect()) {
      connection
          .createStatement()
          .execute(
              "INSERT IGNORE INTO projects (id, public_id, name, created_at) VALUES (1, UUID(), 'appends', UTC_TIMESTAMP(3))");
    }
    return TestMemory.create(
        SqlObjects.install(Jdbi.create(database.url(), database.user(), database.password())),
        ObservationSettings.defaults(),
        this,
        new PrometheusRegistry());
  }

  @Override
  public Connection open() throws SQLException {
    if (fault == Fault.NO_CONNECTION) {
      throw new SQLException("Too many connections", "08004", 1040);
    }
    Connection connection =
        new DatabaseAddress(database.url(), database.user(), database.password(), Map.of())
            .connect(Duration.ofSeconds(5), Duration.ofSeconds(30));
    opened.add(connection);
    return faulty(Connection.class, connection);
  }

  private <T> T faulty(Class<T> type, T real) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              boolean commits = method.getName().equals("execute");
              if (commits && fault == Fault.DEFECT) {
                throw new ArithmeticException("a defect");
              }
              if (commits && fault == Fault.HELD) {
                fault = Fault.NONE;
                held.countDown();
                assertThat(released.await(TestTimeout.SECONDS, TimeUnit.SECONDS)).isTrue();
              }
              if (commits && fault == Fault.ROLLED_BACK) {
                arguments[0] = arguments[0].toString().replace("; UPDATE ", "; ROLLBACK; UPDATE ");
              }
              try {
                Object answer = method.invoke(real, arguments);
                if (commits && fault == Fault.ANSWER_LOST) {
                  throw new SQLException("Communications link failure", "08S01");
                }
                if (answer instanceof PreparedStatement prepared) {
                  return faulty(PreparedStatement.class, prepared);
                }
                return answer instanceof Statement statement
                    ? faulty(Statement.class, statement)
                    : answer;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
