package io.memorygateway.embedding;

import io.memorygateway.database.RowPages;
import io.memorygateway.database.Transactions;
import io.memorygateway.embedding.VectorDao.State;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Provides the vectors of threads to searches. */
public record MessageVectors(Transactions transactions, EmbeddingModels models, VectorCache cache) {
  private static final int MAX_THREADS = 100_000;

  /**
   * A thread to be searched.
   *
   * @param id {@code threads.id}
   * @param messages number of its messages
   */
  public record SearchedThread(long id, long messages) {}

  /** The stored vectors that a query can be compared with. */
  public final class Comparison {
    private final ThreadVectors.Query query;
    private final VectorCache.VectorRequest wanted;

    private Comparison(ThreadVectors.Query query, VectorCache.VectorRequest wanted) {
      this.query = query;
      this.wanted = wanted;
    }

    public ThreadVectors.Query query() {
      return query;
    }

    /** Bytes that have to be read first, at most. */
    public long missingBytes() {
      return cache.missingBytes(wanted);
    }

    /**
     * Reads the vectors.
     *
     * @return by {@code threads.id}; if they exceed the bound of one search, only the newest
     * @throws java.util.concurrent.CancellationException when the current thread is interrupted
     */
    public Map<Long, ThreadVectors> load() {
      return cache.load(wanted);
    }
  }

  /**
   * Prepares to compare a query. The vectors are as current as the threads, if these were read
   * before: none is of a message that was changed or deleted by then.
   *
   * @param resourceId of all the threads; null if there is one thread only
   * @param vector of the query
   * @return null if no thread has vectors of the model
   */
  public @Nullable Comparison compare(
      long project, @Nullable String resourceId, List<SearchedThread> threads, float[] vector) {
    Integer model = threads.isEmpty() ? null : models.findForQuery(vector.length);
    if (model == null) {
      return null;
    }
    Map<Long, State> states = new HashMap<>();
    transactions
        .read(handle -> states(handle.attach(VectorDao.class), project, resourceId, threads, model))
        .forEach(state -> states.put(state.thread(), state));
    if (states.isEmpty()) {
      return null;
    }
    return new Comparison(
        new ThreadVectors.Query(QuantisedVector.of(vector)),
        new VectorCache.VectorRequest(project, model, vector.length, states, threads));
  }

  private static List<State> states(
      VectorDao dao,
      long project,
      @Nullable String resourceId,
      List<SearchedThread> threads,
      int model) {
    return resourceId == null
        ? dao.stateOfThread(project, model, threads.get(0).id())
        : RowPages.read(
            MAX_THREADS,
            State::thread,
            after -> dao.statesOfResource(project, model, VectorDao.hash(resourceId), after));
  }
}
