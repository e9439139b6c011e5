package io.memorygateway.budget.hold;

import io.dropwizard.core.setup.Environment;
import io.dropwizard.db.DataSourceFactory;
import io.memorygateway.budget.BudgetsConfiguration;
import io.memorygateway.database.Cleaner;
import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.database.OldRows;
import io.memorygateway.database.SqlText;
import io.memorygateway.database.Transactions;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import org.jdbi.v3.core.Jdbi;

/** Wires budgets. */
public final class BudgetModule {
  private static final Duration CONNECT = Duration.ofSeconds(2);
  private static final Duration CLEANING_INTERVAL = Duration.ofMinutes(10);
  private static final Duration CHECKING_INTERVAL = Duration.ofMinutes(1);
  private static final int ROWS_PER_DELETE = 1000;

  /** Windows are kept for once more their length after their end, and two days at least. */
  private static final String OLD =
      "end_ms < "
          + SqlText.NOW_MILLIS
          + " - 172800000 AND end_ms + (end_ms - start_ms) < "
          + SqlText.NOW_MILLIS
          + " AND held = 0 AND reserved = 0";

  private static final OldRows.Table WINDOWS =
      new OldRows.Table("budget_windows", "owner_id", "budget_windows_by_end", "end_ms", OLD);

  /** What windows say that is held, less what calls hold of them: in all, nothing. */
  static final String DIFFERENCES =
      "SELECT COALESCE(SUM(ABS(held)), 0) FROM (SELECT id, SUM(held) AS held FROM (SELECT id, held"
          + " FROM budget_windows WHERE held <> 0 UNION ALL SELECT window_id, -amount FROM"
          + " budget_holds) both_sides GROUP BY id) of_window";

  private BudgetModule() {}

  /** The budgets that there are, for the command line, where no call is held. */
  public static Budgets forCommand(BudgetsConfiguration configuration) {
    return new Budgets(
        configuration,
        () -> {
          throw new SQLException("no call is held by a command");
        },
        InstantSource.system(),
        System::nanoTime,
        new PrometheusRegistry());
  }

  /** Connects when the first call is covered. */
  public static Budgets install(
      BudgetsConfiguration configuration,
      DataSourceFactory database,
      Jdbi jdbi,
      Transactions transactions,
      PrometheusRegistry registry,
      Environment environment) {
    DatabaseAddress address = DatabaseAddress.of(database);
    Budgets budgets =
        new Budgets(
            configuration,
            () -> address.connect(CONNECT, Transactions.ANSWER_TIMEOUT),
            InstantSource.system(),
            System::nanoTime,
            registry);
    environment.lifecycle().manage(budgets);
    environment
        .lifecycle()
        .manage(
            new BudgetRenewal(
                budgets,
                jdbi,
                transactions.lanes("budget-renewal", "Holds of budgets could not be renewed"),
                environment.lifecycle().scheduledExecutorService("budget-clock-%d", true).build()));
    Cleaner.install(
        environment.lifecycle(),
        "budget-windows",
        CLEANING_INTERVAL,
        () ->
            OldRows.remove(
                jdbi,
                "budget-windows",
                ROWS_PER_DELETE,
                (handle, home) -> WINDOWS.remove(handle, home, null, ROWS_PER_DELETE)));
    AtomicLong difference = new AtomicLong();
    GaugeWithCallback.builder()
        .name("memory_gateway_budget_held_difference")
        .help(
            "What windows of budgets say that is held, less what calls hold of them, in tokens and"
                + " pico-dollars: always 0, unless rows were changed by hand.")
        .callback(gauge -> gauge.call((double) difference.get()))
        .register(registry);
    Cleaner.install(
        environment.lifecycle(),
        "budget-check",
        CHECKING_INTERVAL,
        () -> {
          difference.set(
              jdbi.withHandle(handle -> handle.createQuery(DIFFERENCES).mapTo(Long.class).one()));
          return 0;
        });
    return budgets;
  }
}
