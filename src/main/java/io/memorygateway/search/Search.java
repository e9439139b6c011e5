package io.memorygateway.search;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.ClientPresence;
import io.memorygateway.memory.NotFound;
import io.memorygateway.search.HitReader.Candidate;
import io.memorygateway.search.SearchStatements.Place;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Searches the messages of a thread or of a resource by their words (contract §11). A search costs
 * what its threads have, whatever the database holds: the versions of all of them are asked for,
 * new messages are indexed, all terms are scanned.
 */
public final class Search {
  /** Threads of a resource that are searched, those that changed last. */
  private static final int MOST_THREADS = 50_000;

  /** An answer ends before it is larger, at one hit or more. */
  private static final long MOST_BYTES = 16 << 20;

  /** Recalled messages are shown to a model: what is larger than this is not. */
  private static final long MOST_RECALLED_BYTES = 256 << 10;

  /** Messages that are asked for beside, for those that are deleted just now. */
  private static final int SPARE = 4;

  /** Bytes of contents in work while they are indexed. */
  private static final long IN_WORK = 16 << 20;

  private final Transactions transactions;
  private final ThreadIndexes indexes;
  private final ScanThreads scans;
  private final SearchMetrics metrics;

  Search(
      Transactions transactions, ThreadIndexes indexes, ScanThreads scans, SearchMetrics metrics) {
    this.transactions = transactions;
    this.indexes = indexes;
    this.scans = scans;
    this.metrics = metrics;
  }

  /**
   * What was found.
   *
   * @param hits best first
   * @param truncated whether only the newest messages were searched, because there are more than
   *     can be at once
   */
  public record Results(List<Hit> hits, boolean truncated) {
    public Results {
      hits = List.copyOf(hits);
    }
  }

  /** Where the heap is reserved for a search. */
  public interface Room {
    /** Reserves heap for what is read to be searched; waits, and throws 503 if there is none. */
    void reserve(long heap);

    /** Reserves heap for an answer with contents of so many bytes; throws 503 if there is none. */
    void coverAnswer(long bytes);
  }

  /**
   * Searches.
   *
   * @param client whose leaving ends it
   * @throws io.memorygateway.http.ApiException 404 for an unknown thread, 503 if there is too much
   *     to do, 499 if the client has left
   */
  public Results search(Caller caller, SearchRequest request, ClientPresence client, Room room) {
    long start = System.nanoTime();
    List<ThreadScope> scope = scope(caller, request);
    ScanThreads.Size size = size(caller, scope, room::reserve);
    ThreadIndexes.Loaded loaded =
        scans.run(size, client, () -> indexes.load(caller.projectId(), scope));
    HitReader reader =
        new HitReader(transactions, request.limit(), request.context(), MOST_BYTES, true);
    int asked = request.limit() + SPARE;
    reader.take(scans.run(size, client, () -> rank(scope, loaded.terms(), request, asked)));
    boolean truncated = !loaded.isWhole() || scope.size() == MOST_THREADS;
    if (truncated) {
      metrics.truncated();
    }
    Results results = new Results(reader.read(room::coverAnswer), truncated);
    metrics.searched(System.nanoTime() - start);
    return results;
  }

  /**
   * What is asked of {@link #recall}.
   *
   * @param threadId the id that clients see
   * @param text that the messages are to fit
   * @param before only messages that were stored before this seq may be hits
   * @param limit hits at most
   * @param context messages before and behind each hit that are shown with it
   */
  public record Recall(String threadId, String text, long before, int limit, int context) {}

  /**
   * The old messages of a thread that fit a text best, best first, for the context of a call. Never
   * waits for long: what cannot be searched in time is indexed meanwhile for the next call, and
   * nothing is recalled. Contents larger than 256 KiB are left out.
   *
   * @param patience how long indexing and ranking may take; not exact
   * @param room reserves heap for what is read to be searched; throws if there is none
   * @throws io.memorygateway.http.ApiException 503 if there is too much to do
   */
  public List<Hit> recall(Caller caller, Recall recall, Duration patience, LongConsumer room) {
    SearchRequest request =
        SearchRequest.ofThread(recall.threadId(), recall.text(), recall.limit(), recall.context());
    List<ThreadScope> scope = thread(caller, recall.threadId(), null).stream().toList();
    if (scope.isEmpty()) {
      return List.of();
    }
    Ranking.Filter filter = (role, time, seq) -> seq < recall.before();
    int asked = recall.limit() + SPARE;
    List<Candidate> candidates =
        scans
            .runWithin(
                patience,
                size(caller, scope, room),
                () -> {
                  List<ThreadTerms> terms = indexes.load(caller.projectId(), scope).terms();
                  return rank(scope, terms, request.query(), filter, asked);
                })
            .orElse(List.of());
    HitReader reader =
        new HitReader(transactions, recall.limit(), recall.context(), MOST_RECALLED_BYTES, false);
    reader.take(candidates);
    return reader.read(bytes -> {});
  }

  private ScanThreads.Size size(Caller caller, List<ThreadScope> scope, LongConsumer room) {
    long missing = indexes.missingBytes(scope);
    long scanned = scope.stream().mapToLong(ThreadIndexes::bytes).sum();
    if (missing > 0) {
      long held = Math.min(missing, indexes.mostOfSearch());
      room.accept(held + Math.min(2 * missing, IN_WORK));
    }
    return new ScanThreads.Size(caller.projectId(), missing, scanned);
  }

  private List<ThreadScope> scope(Caller caller, SearchRequest request) {
    String thread = request.threadId();
    if (thread != null) {
      return List.of(thread(caller, thread, request.resourceId()).orElseThrow(NotFound::thread));
    }
    String resource = String.valueOf(request.resourceId());
    return transactions.readOn(
        connection ->
            SearchStatements.resource(connection, caller.projectId(), resource, MOST_THREADS));
  }

  private Optional<ThreadScope> thread(
      Caller caller, String threadId, @Nullable String resourceId) {
    return transactions.readOn(
        connection ->
            SearchStatements.thread(connection, caller.projectId(), threadId, resourceId));
  }

  private static List<Candidate> rank(
      List<ThreadScope> scope, List<ThreadTerms> threads, SearchRequest request, int limit) {
    return rank(scope, threads, request.query(), request.filter(), limit);
  }

  private static List<Candidate> rank(
      List<ThreadScope> scope,
      List<ThreadTerms> threads,
      String text,
      Ranking.Filter filter,
      int limit) {
    Query query = Query.of(text, new TermReader());
    List<Candidate> candidates = new ArrayList<>();
    for (Ranking.Ranked ranked : Ranking.best(threads, query, filter, limit)) {
      ThreadScope thread = scope.get(ranked.thread());
      candidates.add(
          new Candidate(
              thread,
              new Place(thread.id(), ranked.seq()),
              ranked.score(),
              threads.get(ranked.thread()).matched(ranked.message(), query)));
    }
    return candidates;
  }
}
