package io.memorygateway.embedding;

import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.database.Deadline;
import io.memorygateway.database.Transactions;
import io.memorygateway.embedding.VectorDao.PendingThread;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Embeds messages of several threads of a home together: reads them, asks the model, stores the
 * vectors. For one thread.
 */
final class EmbeddingRound {
  private static final Logger LOGGER = LoggerFactory.getLogger(EmbeddingRound.class);
  private static final int MESSAGES = 512;
  private static final long BYTES = 4 << 20;
  private static final Duration HEAP_TIMEOUT = Duration.ofSeconds(10);

  private final Transactions transactions;
  private final EmbeddingCommits commits;
  private final TextEmbedder embedder;
  private final ExecutorService calls;
  private final FailingThreads failing;
  private final EmbeddingMetrics metrics;

  /** Threads of the last round with texts that failed together with others. */
  private final Set<Long> suspects = new HashSet<>();

  /** Whether a thread was stored in the current round. */
  private boolean stored;

  /** Why the database refused the last of the threads that it did; null if it refused none. */
  private @Nullable RuntimeException refused;

  /**
   * @param calls runs calls of the model, a bounded number at once
   */
  EmbeddingRound(
      Transactions transactions,
      EmbeddingCommits commits,
      TextEmbedder embedder,
      ExecutorService calls,
      FailingThreads failing,
      EmbeddingMetrics metrics) {
    this.transactions = transactions;
    this.commits = commits;
    this.embedder = embedder;
    this.calls = calls;
    this.failing = failing;
    this.metrics = metrics;
  }

  /** The messages that were read of a thread, and their vectors so far. */
  private static final class Work {
    private final PendingThread thread;
    private final PendingMessages.Read read;
    private final SortedMap<Long, byte[]> vectors = new TreeMap<>();

    /** Whether the model fails on one of the texts, and not on others. */
    private boolean failing;

    /** Whether a text on which the model fails is left out. */
    private boolean givenUp;

    private boolean untried;
    private long end;

    Work(PendingThread thread, PendingMessages.Read read) {
      this.thread = thread;
      this.read = read;
      this.end = read.end();
    }

    /** A text is left to a later round. */
    private void leave(long seq) {
      end = Math.min(end, seq);
    }
  }

  private record Item(Work work, long seq, String text) {}

  /**
   * Embeds some messages of these threads, those of the first threads first. Vectors are stored
   * even if a later call fails.
   *
   * @param model number of the model with these dimensions
   * @throws EmbeddingFailureException if the model failed
   */
  void run(List<PendingThread> threads, int model, int dimensions)
      throws EmbeddingFailureException, InterruptedException {
    stored = false;
    refused = null;
    suspects.retainAll(threads.stream().map(PendingThread::id).toList());
    List<Work> works = read(threads, model);
    Instant budget = embedder.newBudget();
    Map<List<Item>, Future<List<byte @Nullable []>>> answers = new HashMap<>();
    for (List<Item> batch : batches(works)) {
      List<String> texts = batch.stream().map(Item::text).toList();
      answers.put(batch, calls.submit(() -> embedder.embed(texts, dimensions, budget)));
    }
    EmbeddingFailureException failure = null;
    for (Map.Entry<List<Item>, Future<List<byte @Nullable []>>> answer : answers.entrySet()) {
      List<Item> batch = answer.getKey();
      try {
        take(batch, answer.getValue().get());
      } catch (ExecutionException e) {
        failure = failure(e);
        take(batch, Collections.nCopies(batch.size(), TextEmbedder.UNTRIED));
      }
    }
    for (Work work : works) {
      store(work, model);
    }
    if (refused != null && !stored) {
      throw refused; // it is not the fault of one thread
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void store(Work work, int model) {
    try {
      if (!work.vectors.isEmpty() || work.end > work.thread.from()) {
        metrics.embedded(
            commits.store(
                new EmbeddingCommits.Embedded(
                    work.thread, model, work.read.texts(), work.vectors, work.end)));
        stored = true;
      }
    } catch (RuntimeException e) {
      setAside(work.thread, e);
      return;
    }
    long thread = work.thread.id();
    if (work.failing) {
      failing.failed(thread);
    } else if (work.givenUp || !work.untried) {
      failing.succeeded(thread);
    }
    if (work.failing || !work.untried) {
      suspects.remove(thread);
    }
  }

  /** Lets a thread wait that the database refuses; throws the failure again if it is an outage. */
  private void setAside(PendingThread thread, RuntimeException failure) {
    if (DatabaseFailure.of(failure).isOutage()) {
      throw failure;
    }
    LOGGER.warn(
        "The messages of thread {} cannot be embedded for now: {}",
        thread.id(),
        failure.getClass().getSimpleName());
    LOGGER.debug("It failed here", failure);
    failing.failed(thread.id());
    refused = failure;
  }

  private List<Work> read(List<PendingThread> threads, int model) {
    List<Work> works = new ArrayList<>();
    int messages = 0;
    long bytes = 0;
    for (PendingThread thread : threads) {
      if (messages >= MESSAGES || bytes >= BYTES) {
        break;
      }
      int max = MESSAGES - messages;
      long maxBytes = BYTES - bytes;
      PendingMessages.Read read;
      try {
        read =
            transactions.readForMany(
                Deadline.in(HEAP_TIMEOUT),
                handle ->
                    PendingMessages.read(
                        handle.attach(VectorDao.class), thread, model, max, maxBytes));
      } catch (RuntimeException e) {
        setAside(thread, e);
        continue;
      }
      works.add(new Work(thread, read));
      messages += read.texts().size();
      bytes += read.bytes();
    }
    return works;
  }

  private List<List<Item>> batches(List<Work> works) {
    BatchSize size = embedder.batch();
    List<List<Item>> batches = new ArrayList<>();
    List<Item> batch = new ArrayList<>();
    int characters = 0;
    for (Work work : works) {
      long thread = work.thread.id();
      boolean alone = suspects.contains(thread) || failing.has(thread);
      for (Map.Entry<Long, @Nullable String> text : work.read.texts().entrySet()) {
        String words = text.getValue();
        if (words == null) {
          continue;
        }
        Item item = new Item(work, text.getKey(), words);
        if (alone) {
          batches.add(List.of(item));
          continue;
        }
        if (batch.size() >= size.texts()
            || (!batch.isEmpty() && characters + words.length() > size.characters())) {
          batches.add(batch);
          batch = new ArrayList<>();
          characters = 0;
        }
        batch.add(item);
        characters += words.length();
      }
    }
    if (!batch.isEmpty()) {
      batches.add(batch);
    }
    return batches;
  }

  private void take(List<Item> batch, List<byte @Nullable []> vectors) {
    for (int i = 0; i < batch.size(); i++) {
      Item item = batch.get(i);
      byte[] vector = vectors.get(i);
      if (vector == TextEmbedder.FAILED && failing.isGivenUp(item.work.thread.id())) {
        metrics.skipped();
        item.work.givenUp = true;
      } else if (vector == TextEmbedder.FAILED) {
        item.work.failing = true;
        item.work.leave(item.seq);
      } else if (vector == TextEmbedder.UNTRIED || vector == TextEmbedder.SUSPECT) {
        item.work.untried = true;
        item.work.leave(item.seq);
        if (vector == TextEmbedder.SUSPECT) {
          suspects.add(item.work.thread.id());
        }
      } else if (vector != null) {
        item.work.vectors.put(item.seq, vector);
      }
    }
  }

  private static EmbeddingFailureException failure(ExecutionException e)
      throws InterruptedException {
    if (e.getCause() instanceof EmbeddingFailureException failure) {
      return failure;
    }
    if (e.getCause() instanceof InterruptedException) {
      throw new InterruptedException();
    }
    throw new IllegalStateException(e.getCause());
  }
}
