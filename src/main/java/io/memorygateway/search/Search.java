package io.memorygateway.search;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.RowPages;
import io.memorygateway.database.Transactions;
import io.memorygateway.embedding.EmbeddingModule;
import io.memorygateway.embedding.MessageVectors;
import io.memorygateway.embedding.MessageVectors.SearchedThread;
import io.memorygateway.embedding.QueryEmbedding;
import io.memorygateway.embedding.ThreadVectors;
import io.memorygateway.http.admission.ClientPresence;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.NotFound;
import io.memorygateway.search.HitReader.Candidate;
import java.time.Duration;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Searches the messages of a thread or of a resource by their words, and by their meaning if
 * messages are embedded (contract §11). The cost of a search depends on the size of its threads,
 * not of the database: it reads the versions of all of them, indexes new messages, and looks at all
 * their different terms and their vectors.
 *
 * @param forms of words that were searched for
 * @param embeddings null to search by words alone
 */
public record Search(
    Transactions transactions,
    RecentThreads recent,
    ThreadIndexes indexes,
    ScanThreads scans,
    SearchMetrics metrics,
    InstantSource clock,
    WordForms forms,
    @Nullable EmbeddingModule embeddings) {
  /** The most threads of a resource that are searched: those that changed last. */
  private static final int MAX_THREADS = 50_000;

  /** Bytes of contents at which an answer ends, after at least one hit. */
  private static final long MAX_ANSWER_BYTES = 16 << 20;

  /** Bytes of recalled messages: they are shown to a model, so larger ones are left out. */
  private static final long MAX_RECALLED_BYTES = 256 << 10;

  /** The most bytes of the contents of other threads that are searched for a call. */
  private static final long MAX_RECALLED_SCAN = 8 << 20;

  /**
   * What the words that a recalled message shares with what is said must tell, together: that it is
   * one of at most the square root of the number of messages. Of questions about a conversation 99
   * % find such a message.
   */
  static final double MIN_RECALL_SHARE = 0.5;

  /** Hits that are ranked in addition, in place of those that have just been deleted. */
  private static final int SPARE = 4;

  /** Bytes of contents that are held while they are indexed. */
  private static final long WORKING_BYTES = 16 << 20;

  /**
   * The same search, by meaning as well. Recall still uses words only: a call does not wait for a
   * model.
   */
  public Search with(EmbeddingModule newEmbeddings) {
    return new Search(transactions, recent, indexes, scans, metrics, clock, forms, newEmbeddings);
  }

  /**
   * The results of a search.
   *
   * @param hits best first
   * @param isHybrid whether they are ranked by meaning as well, not by words alone
   * @param truncated whether only the newest messages were searched, because all of them exceed the
   *     memory of one search
   */
  public record Results(List<Hit> hits, boolean isHybrid, boolean truncated) {
    public Results {
      hits = List.copyOf(hits);
    }
  }

  public interface HeapReserver {
    /**
     * Reserves heap for the content to be searched; waits for it, and throws 503 if there is none.
     */
    void reserve(long heap);

    /** Reserves heap for an answer with contents of so many bytes; throws 503 if there is none. */
    void coverAnswer(long bytes);
  }

  /**
   * Searches messages.
   *
   * @param client whose leaving cancels the search
   * @throws io.memorygateway.http.errors.ApiException 404 for an unknown thread, 503 if there is
   *     too much to do, 499 if the client has left
   */
  public Results search(
      Caller caller, SearchRequest request, ClientPresence client, HeapReserver heap) {
    long start = System.nanoTime();
    List<ThreadScope> scope = scope(caller, request);
    QueryEmbedding.PendingEmbedding asked =
        embeddings == null || scope.isEmpty()
            ? null
            : embeddings.queries().ask(request.query(), caller.keyId(), caller.projectId());
    ScanThreads.Size size = size(caller, scope, heap::reserve);
    ThreadIndexes.Loaded loaded =
        scans.run(size, client, () -> indexes.load(caller.projectId(), scope));
    MessageVectors.Comparison comparison =
        asked == null ? null : comparison(caller, request, scope, asked, heap);
    int wanted = request.limit() + SPARE;
    Ranked found =
        scans.run(
            size.plus(comparison == null ? 0 : comparison.missingBytes()),
            client,
            () -> rank(scope, loaded.terms(), query(request.query()), request, comparison, wanted));
    boolean truncated = !loaded.isComplete() || scope.size() == MAX_THREADS;
    if (truncated) {
      metrics.truncated();
    }
    HitReader.Bounds bounds =
        new HitReader.Bounds(request.limit(), MAX_ANSWER_BYTES, true, Long.MAX_VALUE, false);
    List<Hit> hits = new HitReader(transactions, bounds).read(found.candidates, heap::coverAnswer);
    Results results = new Results(hits, found.isHybrid, truncated);
    metrics.searched(System.nanoTime() - start, found.isHybrid);
    return results;
  }

  private record Ranked(List<Candidate> candidates, boolean isHybrid) {}

  private MessageVectors.@Nullable Comparison comparison(
      Caller caller,
      SearchRequest request,
      List<ThreadScope> scope,
      QueryEmbedding.PendingEmbedding asked,
      HeapReserver heap) {
    float[] vector = asked.await();
    if (vector == null || embeddings == null) {
      return null;
    }
    MessageVectors.Comparison comparison =
        embeddings
            .vectors()
            .compare(
                caller.projectId(),
                request.threadId() == null ? request.resourceId() : null,
                scope.stream()
                    .map(thread -> new SearchedThread(thread.id(), thread.messageCount()))
                    .toList(),
                vector);
    if (comparison != null && comparison.missingBytes() > 0) {
      heap.reserve(comparison.missingBytes());
    }
    return comparison;
  }

  /**
   * A request to {@link #recall}.
   *
   * @param threadId the id that clients see
   * @param resourceId of the thread, to search its other threads too; null for the thread alone
   * @param text that the messages are to fit
   * @param before only messages of the thread itself that were stored before this seq may be hits
   * @param limit hits at most
   * @param context neighbours of each hit on either side that are returned with it
   * @param enoughBytes bytes of contents after which no further hit is read, 10 more for each
   *     message; of a large one count 700, half of them where it is not a user's, and half of them
   *     where it is a neighbour
   */
  public record Recall(
      String threadId,
      @Nullable String resourceId,
      String text,
      long before,
      int limit,
      int context,
      long enoughBytes) {}

  /**
   * Finds the old messages of a thread, and those of other threads of its resource, that fit a text
   * best, for the context of a call; none for a text that says nothing, such as a greeting. Never
   * waits for long: a thread that cannot be searched in time is indexed for the next call, and
   * nothing is recalled. Contents larger than 256 KiB are left out.
   *
   * @param timeout how long indexing and ranking may take; not exact
   * @param heap reserves heap for the content to be searched; throws if there is none
   * @throws io.memorygateway.http.errors.ApiException 503 if there is too much to do
   */
  public Recalled recall(Caller caller, Recall recall, Duration timeout, LongConsumer heap) {
    if (!Query.says(recall.text(), new TermReader())) {
      return Recalled.NOTHING;
    }
    long start = System.nanoTime();
    Found found = find(caller, recall, timeout, heap);
    String resource = recall.resourceId();
    if (!found.isStale || resource == null) {
      return found.recalled;
    }
    recent.forget(caller.projectId(), resource);
    Duration left = timeout.minusNanos(System.nanoTime() - start);
    if (left.isNegative() || found.recalled.hits().size() >= recall.limit()) {
      return found.recalled;
    }
    Recalled again = find(caller, recall, left, heap).recalled;
    return again.hits().isEmpty() ? found.recalled : again;
  }

  /**
   * Takes messages that a turn has added to a thread, so that the next recall need not read them.
   *
   * @param thread {@code threads.id}
   */
  public void added(long thread, List<MessageRow> messages) {
    indexes.add(thread, messages);
  }

  /**
   * What a recall has found.
   *
   * @param isStale whether messages took the places of others that are deleted, or not shared
   */
  private record Found(Recalled recalled, boolean isStale) {
    private static final Found NOTHING = new Found(Recalled.NOTHING, false);
  }

  private Found find(Caller caller, Recall recall, Duration timeout, LongConsumer heap) {
    List<ThreadScope> scope = scope(caller, recall);
    if (scope.isEmpty()) {
      return Found.NOTHING;
    }
    // Its own: another search may go on with that of an earlier one, which was late.
    TermReader reader = new TermReader();
    Query query = Query.of(recall.text(), reader, today(), forms);
    Ranking.Filter filter =
        (thread, role, time, seq) ->
            Roles.isTalk(role)
                && (seq < recall.before()
                    || !scope.get(thread).publicId().equals(recall.threadId()));
    int asked = recall.limit() + SPARE;
    return scans
        .runWithin(
            timeout,
            size(caller, scope, heap),
            () -> {
              List<ThreadTerms> terms = indexes.load(caller.projectId(), scope).terms();
              Ranking.Best best =
                  Ranking.rank(terms, query, filter, asked, MIN_RECALL_SHARE, false);
              List<Candidate> candidates =
                  candidates(scope, terms, query, best.hits(), recall.context());
              double least = MIN_RECALL_SHARE * best.weights().ofOneMessage();
              candidates.removeIf(hit -> query.information(hit.matched(), best.weights()) < least);
              return new Chosen(candidates, new Passages(query, best.weights().alone(), reader));
            })
        .map(
            found -> {
              HitReader.Bounds bounds =
                  new HitReader.Bounds(
                      recall.limit(),
                      MAX_RECALLED_BYTES,
                      false,
                      recall.enoughBytes(),
                      recall.resourceId() != null);
              HitReader hits = new HitReader(transactions, bounds);
              List<Hit> read = hits.read(found.candidates, bytes -> {});
              return new Found(new Recalled(read, found.passages), hits.isStale());
            })
        .orElse(Found.NOTHING);
  }

  private Query query(String text) {
    return Query.of(text, new TermReader(), today(), forms);
  }

  private LocalDate today() {
    return LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
  }

  private record Chosen(List<Candidate> candidates, Passages passages) {}

  /**
   * Recalled messages.
   *
   * @param hits best first
   * @param passages around what was asked, in messages of the hits
   */
  public record Recalled(List<Hit> hits, Passages passages) {
    static final Recalled NOTHING = new Recalled(List.of(), Passages.NONE);

    public Recalled {
      hits = List.copyOf(hits);
    }
  }

  private ScanThreads.Size size(Caller caller, List<ThreadScope> scope, LongConsumer heap) {
    long missing = indexes.missingBytes(scope);
    long scanned = scope.stream().mapToLong(ThreadIndexes::bytes).sum();
    if (missing > 0) {
      long held = Math.min(missing, indexes.maxSearchBytes());
      heap.accept(held + Math.min(2 * missing, WORKING_BYTES));
    }
    return new ScanThreads.Size(caller.keyId(), caller.projectId(), missing, scanned);
  }

  private List<ThreadScope> scope(Caller caller, SearchRequest request) {
    String thread = request.threadId();
    if (thread != null) {
      return List.of(thread(caller, thread, request.resourceId()).orElseThrow(NotFound::thread));
    }
    String resource = String.valueOf(request.resourceId());
    long project = caller.projectId();
    List<ThreadScope> first =
        transactions.read(handle -> SearchStatements.first(handle, project, resource));
    return first.size() < RowPages.ROWS
        ? first
        : transactions.snapshot(
            handle -> SearchStatements.resource(handle, project, resource, MAX_THREADS));
  }

  /** The thread, where something of it may be found, and the others that changed last. */
  private List<ThreadScope> scope(Caller caller, Recall recall) {
    String resource = recall.resourceId();
    List<ThreadScope> shared =
        resource == null ? List.of() : recent.of(caller.projectId(), resource);
    List<ThreadScope> scope = new ArrayList<>();
    if (recall.before() > 0) {
      shared.stream()
          .filter(thread -> thread.publicId().equals(recall.threadId()))
          .findFirst()
          .or(() -> thread(caller, recall.threadId(), null))
          .ifPresent(scope::add);
    }
    long bytes = 0;
    for (ThreadScope other : shared) {
      long own = ThreadIndexes.bytes(other);
      if (!other.publicId().equals(recall.threadId()) && bytes + own <= MAX_RECALLED_SCAN) {
        bytes += own;
        scope.add(other);
      }
    }
    return scope;
  }

  private Optional<ThreadScope> thread(
      Caller caller, String threadId, @Nullable String resourceId) {
    return transactions.read(
        handle -> SearchStatements.thread(handle, caller.projectId(), threadId, resourceId));
  }

  /**
   * Ranks by words and by meaning; by words alone if there is no comparison, or none of the
   * messages has a vector.
   */
  private static Ranked rank(
      List<ThreadScope> scope,
      List<ThreadTerms> threads,
      Query query,
      SearchRequest request,
      MessageVectors.@Nullable Comparison comparison,
      int limit) {
    Ranking.Filter filter = request.filter();
    Map<Long, ThreadVectors> loaded = comparison == null ? Map.of() : comparison.load();
    List<Ranking.Ranked> ranked;
    if (comparison == null || loaded.isEmpty()) {
      ranked = Ranking.best(threads, query, filter, limit);
    } else {
      List<@Nullable ThreadVectors> vectors = new ArrayList<>();
      for (int i = 0; i < threads.size(); i++) {
        vectors.add(loaded.get(scope.get(i).id()));
      }
      ranked =
          new MeaningRanking(threads, vectors, comparison.query())
              .fuse(
                  Ranking.rank(threads, query, filter, MeaningRanking.DEPTH, 0, true),
                  filter,
                  limit);
    }
    return new Ranked(
        candidates(scope, threads, query, ranked, request.context()), !loaded.isEmpty());
  }

  private static List<Candidate> candidates(
      List<ThreadScope> scope,
      List<ThreadTerms> threads,
      Query query,
      List<Ranking.Ranked> ranking,
      int context) {
    List<Candidate> candidates = new ArrayList<>();
    for (Ranking.Ranked ranked : ranking) {
      ThreadScope thread = scope.get(ranked.thread());
      ThreadTerms terms = threads.get(ranked.thread());
      candidates.add(
          new Candidate(
              thread,
              terms.sized(ranked.message()),
              ranked.score(),
              terms.matched(ranked.message(), query),
              terms.neighbours(ranked.message(), context)));
    }
    return candidates;
  }
}
