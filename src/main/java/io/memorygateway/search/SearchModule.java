package io.memorygateway.search;

import io.dropwizard.lifecycle.AutoCloseableManager;
import io.dropwizard.lifecycle.setup.LifecycleEnvironment;
import io.memorygateway.database.Transactions;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.InstantSource;
import java.time.LocalDate;

/** Wires search: for the memory API, and for turns of proxied calls. */
public final class SearchModule {
  private SearchModule() {}

  /** Creates the search over the threads of a database. */
  public static Search install(
      SearchConfiguration configuration,
      Transactions transactions,
      InstantSource clock,
      PrometheusRegistry registry,
      LifecycleEnvironment lifecycle) {
    // So that the first call that recalls does not wait until all that reads words is loaded.
    Query.of("Yesterday, 1 May 2026.", new TermReader(), LocalDate.EPOCH);
    SearchMetrics metrics = new SearchMetrics(registry);
    ScanThreads scans = new ScanThreads(2 * Runtime.getRuntime().availableProcessors(), metrics);
    lifecycle.manage(new AutoCloseableManager(scans::close));
    return create(transactions, configuration.bytesOfTerms(), scans, clock, metrics);
  }

  static Search create(
      Transactions transactions,
      long cachedBytes,
      ScanThreads scans,
      InstantSource clock,
      SearchMetrics metrics) {
    return new Search(
        transactions,
        new RecentThreads(transactions, clock),
        new ThreadIndexes(transactions, cachedBytes, metrics),
        scans,
        metrics,
        clock,
        new WordForms(),
        null);
  }
}
