package io.memorygateway.search;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.database.RowPages;
import io.memorygateway.database.Transactions;
import io.memorygateway.memory.rows.MessageDao;
import io.memorygateway.memory.rows.MessageGap;
import io.memorygateway.memory.rows.MessageGapDao;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The terms of threads, read from the database when they are first searched and cached up to a
 * bound of bytes. An index is valid for one version of its thread; messages appended since are
 * added to it, deleted ones are removed, and after a rewrite it is read anew.
 *
 * <p>Contents are read in batches of a few megabytes, and no connection is held while they are
 * indexed. If a thread exceeds the bound of one search, only its newest messages are indexed.
 */
final class ThreadIndexes {
  private static final int SIZES_AT_ONCE = 2_000;
  private static final long BYTES_AT_ONCE = 4 << 20;

  /** A thread up to this size is read together with others. */
  private static final long SMALL_BYTES = 256 << 10;

  private static final int THREADS_AT_ONCE = 200;

  /** Heap of a row in addition to its content. */
  private static final int BYTES_OF_ROW = 100;

  private static final int BLOCKS_AT_ONCE = RowPages.ROWS / MessageGap.SIZE;

  /** Heap of a cache entry in addition to its terms. */
  private static final int OVERHEAD = 300;

  private final Transactions transactions;
  private final SearchMetrics metrics;
  private final long maxSearchBytes;
  private final Cache<Long, Index> cache;

  /** Locks of threads that are being read: concurrent searches of them wait. */
  private final ConcurrentMap<Long, Lock> locks = new ConcurrentHashMap<>();

  /**
   * An empty cache.
   *
   * @param cachedBytes at most; one search holds half of it at most
   */
  ThreadIndexes(Transactions transactions, long cachedBytes, SearchMetrics metrics) {
    this.transactions = transactions;
    this.metrics = metrics;
    this.maxSearchBytes = cachedBytes / 2;
    this.cache =
        Caffeine.newBuilder()
            .maximumWeight(cachedBytes)
            .weigher(
                (Long thread, Index index) ->
                    (int) Math.min(index.terms.weight() + OVERHEAD, Integer.MAX_VALUE))
            .build();
    metrics.cachedBytes(
        () -> cache.policy().eviction().map(all -> all.weightedSize().orElse(0)).orElse(0L));
  }

  /**
   * The terms of a thread at one of its versions.
   *
   * @param thread its state when the terms were read
   * @param read number of messages that the thread had
   */
  private record Index(ThreadScope thread, long read, ThreadTerms terms) {
    boolean isOf(ThreadScope wanted) {
      return thread.version() >= wanted.version();
    }
  }

  /**
   * The terms of several threads.
   *
   * @param terms of the first threads of the request, in their order
   * @param isComplete whether these are all messages of all requested threads
   */
  record Loaded(List<ThreadTerms> terms, boolean isComplete) {}

  /** Approximate bytes of content that have to be read before threads can be searched. */
  long missingBytes(List<ThreadScope> threads) {
    long missing = 0;
    for (ThreadScope thread : threads) {
      Index index = cache.getIfPresent(thread.id());
      if (index == null) {
        missing += bytes(thread);
      } else if (!index.isOf(thread)) {
        missing += Math.max(0, bytes(thread) - bytes(index.thread)) + BYTES_OF_ROW;
      }
    }
    return missing;
  }

  /** Bytes of content to be read to index a thread. */
  static long bytes(ThreadScope thread) {
    return thread.storedBytes() + BYTES_OF_ROW * thread.messageCount();
  }

  /** The most heap that the terms of one search take. */
  long maxSearchBytes() {
    return maxSearchBytes;
  }

  /**
   * The terms of threads, at least as new as the given state of these. Throws a {@link
   * CancellationException} when the current thread is interrupted.
   *
   * @param project to whose account the reading is charged
   */
  Loaded load(long project, List<ThreadScope> threads) {
    List<ThreadTerms> loaded = new ArrayList<>(threads.size());
    Map<Long, Index> together = new HashMap<>();
    boolean complete = true;
    long weight = 0;
    for (int i = 0; i < threads.size(); i++) {
      ThreadScope thread = threads.get(i);
      Index index = together.remove(thread.id());
      if (index == null) {
        index = cache.getIfPresent(thread.id());
      }
      if (index == null && isSmall(thread)) {
        together.putAll(readTogether(project, threads.subList(i, threads.size())));
        index = together.remove(thread.id());
      }
      if (index == null || !index.isOf(thread)) {
        index = refresh(project, thread);
      }
      weight += index.terms.weight();
      if (weight > maxSearchBytes && i > 0) {
        return new Loaded(loaded, false);
      }
      complete &= index.terms.isComplete();
      loaded.add(index.terms);
    }
    return new Loaded(loaded, complete);
  }

  private static boolean isSmall(ThreadScope thread) {
    return bytes(thread) <= SMALL_BYTES;
  }

  /** Indexes small threads that are not cached, as many as one statement reads. */
  private Map<Long, Index> readTogether(long project, List<ThreadScope> threads) {
    Map<Long, ThreadScope> batch = new HashMap<>();
    long bytes = 0;
    long rows = 0;
    for (ThreadScope thread : threads) {
      if (!isSmall(thread) || cache.getIfPresent(thread.id()) != null) {
        continue;
      }
      bytes += bytes(thread);
      rows += thread.messageCount();
      boolean full = bytes > BYTES_AT_ONCE || rows > RowPages.ROWS;
      if (batch.size() == THREADS_AT_ONCE || (!batch.isEmpty() && full)) {
        break;
      }
      batch.put(thread.id(), thread);
    }
    List<IndexStatements.Message> messages =
        read(
            project,
            batch.values().stream()
                .map(
                    thread ->
                        new IndexStatements.Range(thread.id(), thread.baseSeq(), thread.nextSeq()))
                .toList());
    Map<Long, IndexBuilder> builders = new HashMap<>();
    TermReader reader = new TermReader();
    for (IndexStatements.Message message : messages) {
      add(
          message,
          builders.computeIfAbsent(
              message.thread(), id -> new IndexBuilder(reader, maxSearchBytes)));
    }
    Map<Long, Index> indexes = new HashMap<>();
    for (ThreadScope thread : batch.values()) {
      IndexBuilder builder = builders.get(thread.id());
      Index index =
          builder == null
              ? new Index(thread, 0, ThreadTerms.EMPTY)
              : new Index(thread, builder.messages(), builder.terms());
      cache.put(thread.id(), index);
      indexes.put(thread.id(), index);
    }
    return indexes;
  }

  private Index refresh(long project, ThreadScope thread) {
    Lock lock = locks.computeIfAbsent(thread.id(), id -> new ReentrantLock());
    try {
      lock.lockInterruptibly();
    } catch (InterruptedException e) {
      throw new CancellationException();
    }
    try {
      Index index = cache.getIfPresent(thread.id());
      if (index == null || !index.isOf(thread)) {
        index = refreshed(project, index, thread);
        cache.put(thread.id(), index);
      }
      return index;
    } finally {
      lock.unlock();
      locks.remove(thread.id(), lock);
    }
  }

  private Index refreshed(long project, @Nullable Index index, ThreadScope thread) {
    if (index != null) {
      long added = thread.storedBytes() - index.thread.storedBytes();
      IndexBuilder more = read(project, thread, index.thread.nextSeq(), added);
      boolean rewritten = index.thread.storedBytes() + more.bytes() != thread.storedBytes();
      if (!rewritten) {
        ThreadTerms terms = index.terms.plus(more.terms());
        if (index.read + more.messages() > thread.messageCount()) {
          terms = withoutDeleted(project, thread, terms);
        }
        if (!terms.isComplete() || terms.messages() == thread.messageCount()) {
          return new Index(thread, thread.messageCount(), terms.newest(maxSearchBytes));
        }
      }
    }
    IndexBuilder all = read(project, thread, thread.baseSeq(), thread.storedBytes());
    return new Index(thread, all.messages(), all.terms());
  }

  /** Removes the terms of deleted messages: reads the seqs of each block that lost some. */
  private ThreadTerms withoutDeleted(long project, ThreadScope thread, ThreadTerms terms) {
    Set<Long> gone = new HashSet<>(terms.seqs(0, thread.baseSeq()));
    List<IndexStatements.Range> changed = new ArrayList<>();
    for (MessageGap gap :
        transactions.readInOwnAccount(
            project, handle -> handle.attach(MessageGapDao.class).list(thread.id()))) {
      long from = Math.max(gap.block() * MessageGap.SIZE, thread.baseSeq());
      long to = Math.min((gap.block() + 1) * MessageGap.SIZE, thread.nextSeq());
      long indexed = to <= terms.firstSeq() ? 0 : terms.seqs(from, to).size();
      if (indexed > 0 && indexed != to - from - gap.deleted()) {
        changed.add(new IndexStatements.Range(thread.id(), from, to));
      }
    }
    for (int i = 0; i < changed.size(); i += BLOCKS_AT_ONCE) {
      List<IndexStatements.Range> some =
          changed.subList(i, Math.min(i + BLOCKS_AT_ONCE, changed.size()));
      Set<Long> there =
          transactions.readInOwnAccount(project, handle -> IndexStatements.seqs(handle, some));
      for (IndexStatements.Range range : some) {
        terms.seqs(range.from(), range.to()).stream()
            .filter(seq -> !there.contains(seq))
            .forEach(gone::add);
      }
    }
    return gone.isEmpty() ? terms : terms.without(gone);
  }

  /**
   * Reads the messages from a seq on.
   *
   * @param contentBytes the most bytes of content that they have
   */
  private IndexBuilder read(long project, ThreadScope thread, long from, long contentBytes) {
    IndexBuilder builder = new IndexBuilder(new TermReader(), maxSearchBytes);
    long next = from;
    long rows = thread.nextSeq() - from;
    if (rows > 0 && rows <= RowPages.ROWS && contentBytes + BYTES_OF_ROW * rows <= BYTES_AT_ONCE) {
      IndexStatements.Range rest = new IndexStatements.Range(thread.id(), from, thread.nextSeq());
      read(project, List.of(rest)).forEach(message -> add(message, builder));
      return builder;
    }
    while (next < thread.nextSeq()) {
      IndexStatements.Range rest = new IndexStatements.Range(thread.id(), next, thread.nextSeq());
      List<MessageDao.Size> sizes =
          transactions.readInOwnAccount(
              project,
              handle ->
                  handle
                      .attach(MessageDao.class)
                      .sizes(rest.thread(), rest.from(), rest.to(), SIZES_AT_ONCE));
      for (IndexStatements.Range batch : batches(rest, sizes)) {
        read(project, List.of(batch)).forEach(message -> add(message, builder));
      }
      next =
          sizes.size() < SIZES_AT_ONCE ? thread.nextSeq() : sizes.get(sizes.size() - 1).seq() + 1;
    }
    return builder;
  }

  private void add(IndexStatements.Message message, IndexBuilder builder) {
    if (Thread.currentThread().isInterrupted()) {
      throw new CancellationException();
    }
    builder.add(message);
    metrics.indexed();
  }

  private static List<IndexStatements.Range> batches(
      IndexStatements.Range range, List<MessageDao.Size> sizes) {
    List<IndexStatements.Range> batches = new ArrayList<>();
    long from = range.from();
    long bytes = 0;
    for (MessageDao.Size size : sizes) {
      long own = Math.min(size.bytes(), IndexStatements.MAX_CONTENT_CHARACTERS) + BYTES_OF_ROW;
      if (bytes > 0 && bytes + own > BYTES_AT_ONCE) {
        batches.add(new IndexStatements.Range(range.thread(), from, size.seq()));
        from = size.seq();
        bytes = 0;
      }
      bytes += own;
    }
    if (bytes > 0) {
      long end = sizes.get(sizes.size() - 1).seq() + 1;
      batches.add(new IndexStatements.Range(range.thread(), from, end));
    }
    return batches;
  }

  private List<IndexStatements.Message> read(long project, List<IndexStatements.Range> ranges) {
    return transactions.readInOwnAccount(
        project, handle -> IndexStatements.messages(handle, ranges));
  }
}
