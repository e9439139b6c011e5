package io.memorygateway.embedding;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.database.RowPages;
import io.memorygateway.database.Transactions;
import io.memorygateway.embedding.MessageVectors.SearchedThread;
import io.memorygateway.embedding.VectorDao.Range;
import io.memorygateway.embedding.VectorDao.State;
import io.memorygateway.embedding.VectorDao.StoredVector;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * The vectors of threads, read from the database when they are first searched and cached up to a
 * bound of bytes. Vectors that were added since are read at the next search; after a message was
 * changed, those of its thread are read anew. If they exceed the bound of one search, only the
 * newest are read.
 */
final class VectorCache {
  private static final long BYTES_AT_ONCE = 4 << 20;
  private static final int RANGES_AT_ONCE = 100;

  /** A thread up to this size is read together with others. */
  private static final long SMALL_BYTES = 256 << 10;

  /** Heap of an entry in addition to its vectors, of which it may have none. */
  private static final int OVERHEAD = 300;

  private static final int BYTES_OF_ROW = 40;

  private final Transactions transactions;
  private final long maxSearchBytes;
  private final Cache<Long, Entry> cache;

  /**
   * @param cachedBytes at most; one search holds half of it at most
   */
  VectorCache(Transactions transactions, long cachedBytes, EmbeddingMetrics metrics) {
    this.transactions = transactions;
    this.maxSearchBytes = cachedBytes / 2;
    this.cache =
        Caffeine.newBuilder()
            .maximumWeight(cachedBytes)
            .weigher(
                (Long thread, Entry entry) ->
                    (int) Math.min(OVERHEAD + entry.vectors.weight(), Integer.MAX_VALUE))
            .build();
    metrics.cachedBytes(
        () -> cache.policy().eviction().map(all -> all.weightedSize().orElse(0)).orElse(0L));
  }

  /** The vectors that were read of a thread, and the state of it when they were. */
  private record Entry(int model, State state, ThreadVectors vectors) {
    /** Whether all of these vectors are valid for a state of the thread. */
    boolean isBeginningOf(int wantedModel, State wanted) {
      return model == wantedModel && state.revision() == wanted.revision();
    }
  }

  /**
   * A request for vectors.
   *
   * @param states of threads that have vectors of the model, by thread
   * @param threads in order of priority, with the number of their messages
   */
  record VectorRequest(
      long project,
      int model,
      int dimensions,
      Map<Long, State> states,
      List<SearchedThread> threads) {}

  /**
   * The vectors of a thread that have to be read.
   *
   * @param before the vectors of messages before the range
   */
  private record Missing(Range range, long bytes, ThreadVectors before) {}

  private @Nullable Missing missing(VectorRequest wanted, SearchedThread thread) {
    State state = wanted.states.get(thread.id());
    if (state == null) {
      return null;
    }
    Entry entry = cache.getIfPresent(thread.id());
    if (entry == null || !entry.isBeginningOf(wanted.model, state)) {
      return missing(wanted, state, Long.MIN_VALUE, thread.messages(), ThreadVectors.NONE);
    }
    long from = entry.state.nextSeq();
    return from >= state.nextSeq()
        ? null
        : missing(
            wanted,
            state,
            from,
            Math.min(thread.messages(), state.nextSeq() - from),
            entry.vectors.before(from));
  }

  private static Missing missing(
      VectorRequest wanted, State state, long from, long messages, ThreadVectors before) {
    return new Missing(
        new Range(state, from, state.nextSeq()),
        messages * (wanted.dimensions + BYTES_OF_ROW),
        before);
  }

  private static long bytesAtOnce(VectorRequest wanted) {
    return Math.min(BYTES_AT_ONCE, (long) RowPages.ROWS * (wanted.dimensions + BYTES_OF_ROW));
  }

  /** Bytes that have to be read before threads can be searched, at most. */
  long missingBytes(VectorRequest wanted) {
    long bytes = 0;
    for (SearchedThread thread : wanted.threads) {
      Missing missing = missing(wanted, thread);
      bytes += missing == null ? 0 : missing.bytes;
    }
    return Math.min(bytes, maxSearchBytes);
  }

  /**
   * The vectors of threads.
   *
   * @return by thread; only as many threads as one search may hold
   * @throws CancellationException when the current thread is interrupted
   */
  Map<Long, ThreadVectors> load(VectorRequest wanted) {
    Map<Long, ThreadVectors> loaded = new HashMap<>();
    List<Missing> together = new ArrayList<>();
    long bytes = 0;
    long weight = 0;
    for (SearchedThread thread : wanted.threads) {
      Missing missing = missing(wanted, thread);
      Entry entry = cache.getIfPresent(thread.id());
      long own = missing == null ? 0 : missing.bytes;
      if (entry != null && wanted.states.containsKey(thread.id())) {
        own += entry.vectors.weight();
      }
      weight += own;
      if (weight > maxSearchBytes && weight > own) {
        break;
      }
      if (missing != null && missing.bytes <= SMALL_BYTES) {
        if (together.size() == RANGES_AT_ONCE || bytes + missing.bytes > bytesAtOnce(wanted)) {
          readTogether(wanted, together, loaded);
          together.clear();
          bytes = 0;
        }
        together.add(missing);
        bytes += missing.bytes;
      } else if (missing != null) {
        readLarge(wanted, missing, loaded);
      } else if (entry != null && wanted.states.containsKey(thread.id())) {
        loaded.put(thread.id(), entry.vectors);
      }
    }
    readTogether(wanted, together, loaded);
    loaded.values().removeIf(ThreadVectors::isEmpty);
    return loaded;
  }

  private void readTogether(
      VectorRequest wanted, List<Missing> together, Map<Long, ThreadVectors> loaded) {
    if (together.isEmpty()) {
      return;
    }
    List<Range> ranges = together.stream().map(missing -> missing.range).toList();
    Map<Long, List<StoredVector>> rows = new HashMap<>();
    for (StoredVector row :
        read(wanted.project, handle -> VectorDao.vectors(handle, wanted.project, ranges))) {
      rows.computeIfAbsent(row.thread(), id -> new ArrayList<>()).add(row);
    }
    for (Missing missing : together) {
      List<StoredVector> own = rows.getOrDefault(missing.range.thread().thread(), List.of());
      keep(wanted, missing.range, missing.before.plus(block(own, wanted.dimensions)), loaded);
    }
  }

  /** Reads the newest vectors first, up to the bound. */
  private void readLarge(VectorRequest wanted, Missing missing, Map<Long, ThreadVectors> loaded) {
    Range range = missing.range;
    long bytesAtOnce = Math.min(bytesAtOnce(wanted), maxSearchBytes / 4);
    int rowsAtOnce = (int) Math.max(1, bytesAtOnce / (wanted.dimensions + BYTES_OF_ROW));
    List<VectorBlock> newestFirst = new ArrayList<>();
    long weight = 0;
    long to = range.to();
    boolean more = true;
    while (more && weight < maxSearchBytes) {
      long before = to;
      List<StoredVector> rows =
          new ArrayList<>(
              read(
                  wanted.project,
                  handle ->
                      handle
                          .attach(VectorDao.class)
                          .newest(
                              wanted.project, range.thread(), range.from(), before, rowsAtOnce)));
      Collections.reverse(rows);
      VectorBlock block = block(rows, wanted.dimensions);
      newestFirst.add(block);
      weight += block.weight();
      more = rows.size() == rowsAtOnce;
      to = rows.isEmpty() ? to : rows.get(0).seq();
    }
    ThreadVectors all = more ? ThreadVectors.NONE : missing.before;
    Collections.reverse(newestFirst);
    for (VectorBlock block : newestFirst) {
      all = all.plus(block);
    }
    keep(wanted, range, all.newest(maxSearchBytes), loaded);
  }

  private void keep(
      VectorRequest wanted, Range range, ThreadVectors vectors, Map<Long, ThreadVectors> loaded) {
    cache.put(range.thread().thread(), new Entry(wanted.model, range.thread(), vectors));
    loaded.put(range.thread().thread(), vectors);
  }

  private static VectorBlock block(List<StoredVector> rows, int dimensions) {
    List<StoredVector> good =
        rows.stream().filter(row -> row.vector().length == dimensions).toList();
    long[] seqs = new long[good.size()];
    byte[] vectors = new byte[good.size() * dimensions];
    for (int i = 0; i < seqs.length; i++) {
      seqs[i] = good.get(i).seq();
      System.arraycopy(good.get(i).vector(), 0, vectors, i * dimensions, dimensions);
    }
    return new VectorBlock(seqs, vectors, dimensions);
  }

  private <T> T read(long project, Transactions.Work<T> work) {
    if (Thread.currentThread().isInterrupted()) {
      throw new CancellationException();
    }
    return transactions.readInOwnAccount(project, work);
  }
}
