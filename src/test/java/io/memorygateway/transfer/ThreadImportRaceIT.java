package io.memorygateway.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.CommandLine;
import io.memorygateway.database.SqlObjects;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jdbi.v3.core.ConnectionFactory;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Two imports at once: what the other one stores between a look and an insert is told. */
@Tag("heavy")
class ThreadImportRaceIT {
  @Order(1)
  @RegisterExtension
  static final TestDatabase DATABASE = new TestDatabase();

  @Order(2)
  @RegisterExtension
  static final TestDatabase ELSEWHERE = new TestDatabase();

  @Order(3)
  @RegisterExtension
  static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @Order(4)
  @RegisterExtension
  static final TestGateway GATEWAY = TransferredThreads.gateway(DATABASE, UPSTREAM);

  @Order(5)
  @RegisterExtension
  static final TestGateway OTHER = TransferredThreads.gateway(ELSEWHERE, UPSTREAM);

  private TransferredThreads threads;

  @BeforeEach
  void useAFolder(@TempDir Path folder) {
    threads = new TransferredThreads(GATEWAY, DATABASE, ELSEWHERE, folder);
  }

  @Test
  void ofTheSameThreadOneSaysThatItIsThereAlready() throws Exception {
    threads.make("race");
    Path file = threads.export(DATABASE, "race", "file");
    Jdbi late = before("INSERT INTO threads ", () -> read(opened(), "test", false, file));

    assertThatThrownBy(() -> read(late, "test", false, file))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> assertThat(e.error().message()).contains("race", "there already"));
    assertThat(count("threads")).isEqualTo(count("thread_heads"));
  }

  @Test
  void ofTheSameThreadOneSkipsItIfItIsTold() throws Exception {
    threads.make("skipped");
    Path file = threads.export(DATABASE, "skipped", "file");
    long before = count("messages");
    Jdbi late = before("INSERT INTO threads ", () -> read(opened(), "test", true, file));

    assertThat(read(late, "test", true, file)).isEqualTo(new ThreadImport.Report(0, 0, 1));
    assertThat(count("messages")).isEqualTo(before + 302);
  }

  @Test
  void intoTwoProjectsBothAreStoredAndOneGetsOtherIdsOfRecords() throws Exception {
    CommandLine.Outcome made =
        new CommandLine()
            .with(ELSEWHERE)
            .run("project", "create", "--project", "second", "config.yml");
    assertThat(made.status()).as(made.err()).isZero();
    threads.make("both");
    Path file = threads.export(DATABASE, "both", "file");
    long before = count("observation_records");
    Jdbi late =
        before("INSERT INTO observation_records ", () -> read(opened(), "second", false, file));

    assertThat(read(late, "test", false, file).threads()).isEqualTo(1);
    assertThat(count("observation_records")).isEqualTo(before + 2);
  }

  private static ThreadImport.Report read(Jdbi jdbi, String project, boolean skip, Path file)
      throws Exception {
    long id =
        jdbi.withHandle(
            handle ->
                handle
                    .createQuery("SELECT id FROM projects WHERE name = :name")
                    .bind("name", project)
                    .mapTo(Long.class)
                    .one());
    return new ThreadImport(jdbi, skip).read(id, file);
  }

  private static long count(String table) {
    return opened()
        .withHandle(
            handle -> handle.createQuery("SELECT COUNT(*) FROM " + table).mapTo(Long.class).one());
  }

  private static Jdbi opened() {
    return SqlObjects.install(Jdbi.create(ThreadImportRaceIT::connect));
  }

  private static Connection connect() throws SQLException {
    Connection connection = ELSEWHERE.connect();
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    return connection;
  }

  /** Opens connections on which something is done once, right before a statement is executed. */
  private static Jdbi before(String statement, Callable<?> done) {
    AtomicReference<Callable<?>> once = new AtomicReference<>(done);
    ConnectionFactory watched =
        () ->
            proxy(
                Connection.class,
                connect(),
                (method, arguments, result) ->
                    method.equals("prepareStatement")
                            && ((String) arguments[0]).startsWith(statement)
                        ? proxy(
                            PreparedStatement.class,
                            (PreparedStatement) result,
                            (call, values, unchanged) -> unchanged,
                            once)
                        : result,
                new AtomicReference<>());
    return SqlObjects.install(Jdbi.create(watched));
  }

  /** What becomes of the result of a method. */
  private interface Results {
    Object of(String method, Object[] arguments, Object result);
  }

  /**
   * Passes calls on.
   *
   * @param beforeExecution is done before the first execution
   */
  private static <T> T proxy(
      Class<T> type, T target, Results results, AtomicReference<Callable<?>> beforeExecution) {
    return type.cast(
        Proxy.newProxyInstance(
            ThreadImportRaceIT.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              Callable<?> due =
                  method.getName().startsWith("execute") ? beforeExecution.getAndSet(null) : null;
              if (due != null) {
                due.call();
              }
              try {
                return results.of(method.getName(), arguments, method.invoke(target, arguments));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
