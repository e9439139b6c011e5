package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dropwizard.core.setup.Environment;
import io.dropwizard.db.DataSourceFactory;
import io.memorygateway.audit.Actor;
import io.memorygateway.audit.AuditEntry;
import io.memorygateway.audit.AuditHead;
import io.memorygateway.audit.AuditLog;
import io.memorygateway.audit.AuditReader;
import io.memorygateway.database.ReportConnections;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.testing.TestDatabase;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** No report keeps the database busy for long, on either server. */
class LimitedReadsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static Jdbi connections() {
    DataSourceFactory factory = new DataSourceFactory();
    factory.setDriverClass("com.mysql.cj.jdbc.Driver");
    factory.setUrl(DATABASE.url());
    factory.setUser(DATABASE.user());
    factory.setPassword(DATABASE.password());
    return ReportConnections.open(factory, new Environment("reports"));
  }

  @Test
  void verificationsOfTheAuditLogLeaveTheConnectionsToOthersBetweenPages() {
    AuditLog log = new AuditLog(Transactions.ofOperators(DATABASE.jdbi()));
    Actor actor = new Actor("ada", "owner", "here", null);
    for (int i = 0; i < 50; i++) {
      log.append(new AuditEntry(actor, "test", "s", AuditEntry.Outcome.DONE, null, null));
    }
    Jdbi reports = connections();
    AuditReader reader = new AuditReader(reports);
    CountDownLatch between = new CountDownLatch(2);
    CountDownLatch end = new CountDownLatch(1);
    BooleanSupplier goOn =
        () -> {
          between.countDown();
          return awaited(end);
        };
    ExecutorService threads = Executors.newFixedThreadPool(2);
    // As many as there are connections, each between its first and its second page.
    List<CompletableFuture<AuditReader.Step>> running =
        Stream.generate(
                () ->
                    CompletableFuture.supplyAsync(
                        () -> reader.verify(AuditHead.EMPTY, null, goOn), threads))
            .limit(2)
            .toList();
    try {
      assertThat(awaited(between)).isTrue();
      int one =
          new LimitedReads(reports)
              .read(handle -> handle.select("SELECT 1").mapTo(Integer.class).one());
      assertThat(one).isEqualTo(1);
    } finally {
      end.countDown();
      threads.shutdown();
    }
    assertThat(running.stream().map(CompletableFuture::join))
        .allSatisfy(
            step -> {
              assertThat(step.complete()).isTrue();
              assertThat(step.report().faults()).isEmpty();
              assertThat(step.report().rows()).isEqualTo(50);
            });
  }

  private static boolean awaited(CountDownLatch latch) {
    try {
      latch.await();
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  @Test
  void theServerEndsAStatementThatTakesTooLong() {
    LimitedReads reads = new LimitedReads(connections());

    int one = reads.read(handle -> handle.select("SELECT 1").mapTo(Integer.class).one());
    assertThat(one).isEqualTo(1);
    assertThatThrownBy(
            () ->
                reads.read(
                    handle ->
                        handle
                            .select(
                                "SELECT SUM(CRC32(CONCAT(a.id, b.id, c.id, d.id))) FROM information_schema.collations a,"
                                    + " information_schema.collations b, information_schema.collations c,"
                                    + " information_schema.collations d")
                            .mapTo(Long.class)
                            .one()))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("more than two seconds");
    int again = reads.read(handle -> handle.select("SELECT 1").mapTo(Integer.class).one());
    assertThat(again).isEqualTo(1);
  }
}
