package io.memorygateway.embedding;

import io.dropwizard.lifecycle.AutoCloseableManager;
import io.dropwizard.lifecycle.setup.LifecycleEnvironment;
import io.memorygateway.concurrent.DaemonThreads;
import io.memorygateway.database.Homes;
import io.memorygateway.database.NodeLease;
import io.memorygateway.database.Transactions;
import io.memorygateway.proxy.circuit.Circuit;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.random.RandomGenerator;
import org.jdbi.v3.core.Jdbi;

/**
 * Wires embeddings: those of queries and messages for search, and the background work.
 *
 * @param queries embeds the queries of searches
 * @param vectors reads the vectors of messages
 * @param embedder embeds messages
 */
public record EmbeddingModule(QueryEmbedding queries, MessageVectors vectors, Embedder embedder) {

  /** Name of the lease; see the table {@code leases}. */
  private static final String LEASE = "embeddings";

  /** Calls of the model, for messages, that are open at once. */
  private static final int CALLS = 2;

  /**
   * Settings of embedding.
   *
   * @param model {@code provider/model}
   * @param timeLimit of the embedding of a query
   * @param cachedBytes of vectors
   */
  public record Settings(
      String model,
      EmbeddedInput query,
      EmbeddedInput passage,
      Duration timeLimit,
      long cachedBytes) {}

  static EmbeddingModule create(
      Settings settings,
      EmbeddingClient client,
      Transactions transactions,
      Jdbi jdbi,
      Clock clock,
      RandomGenerator random,
      PrometheusRegistry registry) {
    EmbeddingMetrics metrics = new EmbeddingMetrics(registry);
    EmbeddingModels models =
        new EmbeddingModels(transactions, settings.passage().nameOf(settings.model()));
    TextEmbedder texts =
        new TextEmbedder(client, settings.model(), settings.passage(), clock, metrics);
    ExecutorService calls = DaemonThreads.queue("embedding-call", CALLS);
    FailingThreads failing = new FailingThreads(clock);
    return new EmbeddingModule(
        new QueryEmbedding(
            client,
            settings.model(),
            settings.query(),
            settings.timeLimit(),
            new Circuit(clock),
            metrics),
        new MessageVectors(
            transactions, models, new VectorCache(transactions, settings.cachedBytes(), metrics)),
        new Embedder(
            new NodeLease(jdbi, LEASE),
            new Homes(jdbi),
            home ->
                new Embedder.OfHome(
                    new PendingThreads(transactions, clock, failing, home),
                    new EmbeddingRound(
                        transactions,
                        new EmbeddingCommits(transactions),
                        texts,
                        calls,
                        failing,
                        metrics)),
            models,
            texts,
            calls,
            metrics,
            random));
  }

  /** Starts and stops the embedding of messages with the node. */
  public static EmbeddingModule install(
      Settings settings,
      EmbeddingClient client,
      Transactions transactions,
      Jdbi jdbi,
      Clock clock,
      PrometheusRegistry registry,
      LifecycleEnvironment lifecycle) {
    EmbeddingModule module =
        create(settings, client, transactions, jdbi, clock, new SecureRandom(), registry);
    lifecycle.manage(module.embedder);
    lifecycle.manage(new AutoCloseableManager(module.queries::close));
    return module;
  }
}
