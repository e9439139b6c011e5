package io.memorygateway.search;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.database.RowPages;
import io.memorygateway.database.Transactions;
import io.memorygateway.memory.rows.MessageDao;
import io.memorygateway.memory.rows.MessageGap;
import io.memorygateway.memory.rows.MessageGapDao;
import io.memorygateway.memory.rows.MessageRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
  private final AppendedMessages appended = new AppendedMessages();

  /** Locks of threads that are being read: concurrent searches of them wait. */
  private final ConcurrentMap<Long, Lock> locks = new ConcurrentHashMap<>();

  /**
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

  /**
   * What a search has to read of a thread.
   *
   * @param index of what it need not; null if that is nothing
   */
  private record Missing(ThreadScope thread, @Nullable Index index) {
    boolean isSmall() {
      return bytes() <= SMALL_BYTES;
    }

    IndexStatements.Range range() {
      long from = index == null ? thread.baseSeq() : index.thread.nextSeq();
      return new IndexStatements.Range(thread.id(), from, thread.nextSeq());
    }

    /** The most messages. */
    long rows() {
      return range().to() - range().from();
    }

    /** Heap of the index that is known. */
    long weight() {
      return index == null ? 0 : index.terms.weight();
    }

    /** About the bytes of content. */
    long bytes() {
      return index == null
          ? ThreadIndexes.bytes(thread)
          : Math.max(0, thread.storedBytes() - index.thread.storedBytes())
              + BYTES_OF_ROW * Math.max(1, rows());
    }
  }

  /** What is missing of a thread; null if nothing is. */
  private @Nullable Missing missing(ThreadScope thread) {
    Index index = cache.getIfPresent(thread.id());
    return index != null && index.isOf(thread) ? null : new Missing(thread, index);
  }

  /** Approximate bytes of content that have to be read before threads can be searched. */
  long missingBytes(List<ThreadScope> threads) {
    long bytes = 0;
    for (ThreadScope thread : threads) {
      Missing missing = missing(thread);
      bytes += missing == null ? 0 : missing.bytes();
    }
    return bytes;
  }

  /** Bytes of content to be read to index a thread. */
  static long bytes(ThreadScope thread) {
    return thread.storedBytes() + BYTES_OF_ROW * thread.messageCount();
  }

  /**
   * Takes messages that were added to a thread; of one that was not searched they are of no use.
   */
  void add(long thread, List<MessageRow> messages) {
    if (cache.getIfPresent(thread) != null) {
      appended.add(thread, messages);
    }
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
      Index index = known(thread, together);
      while (index == null) {
        together.putAll(refresh(project, threads.subList(i, threads.size())));
        index = known(thread, together);
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

  private @Nullable Index known(ThreadScope thread, Map<Long, Index> together) {
    Index index = together.remove(thread.id());
    if (index == null) {
      index = cache.getIfPresent(thread.id());
    }
    return index == null || !index.isOf(thread) ? null : index;
  }

  /**
   * Indexes what is missing of the first of some threads, and of later ones with it as far as one
   * statement reads it; a thread that was rewritten is only forgotten, to be read as a whole in its
   * turn. Searches that need the same wait for it.
   */
  private Map<Long, Index> refresh(long project, List<ThreadScope> threads) {
    long common = least(batch(threads));
    Lock lock = locks.computeIfAbsent(common, id -> new ReentrantLock());
    try {
      lock.lockInterruptibly();
    } catch (InterruptedException e) {
      throw new CancellationException();
    }
    try {
      Map<Long, Index> indexes = new HashMap<>();
      List<Missing> batch = batch(threads);
      if (least(batch) != common) {
        return indexes; // others have read the first of them meanwhile
      }
      Map<Long, IndexBuilder> read = readAll(project, batch);
      for (Missing each : batch) {
        long id = each.thread.id();
        Index index = index(project, each, Objects.requireNonNull(read.get(id)));
        if (index == null) {
          cache.invalidate(id);
        } else {
          cache.put(id, index);
          indexes.put(id, index);
        }
      }
      return indexes;
    } finally {
      lock.unlock();
      locks.remove(common, lock);
    }
  }

  private static long least(List<Missing> batch) {
    return batch.stream().mapToLong(each -> each.thread.id()).min().orElse(0);
  }

  /**
   * The first thread of which something is missing, and small ones as far as one statement goes.
   */
  private List<Missing> batch(List<ThreadScope> threads) {
    List<Missing> batch = new ArrayList<>();
    long bytes = 0;
    long rows = 0;
    long weight = 0;
    for (ThreadScope thread : threads) {
      Missing missing = missing(thread);
      if (missing == null || (!missing.isSmall() && !batch.isEmpty())) {
        continue;
      }
      bytes += missing.bytes();
      rows += missing.rows();
      weight += missing.weight();
      boolean full = bytes > BYTES_AT_ONCE || rows > RowPages.ROWS || weight > maxSearchBytes;
      if (batch.size() == THREADS_AT_ONCE || (!batch.isEmpty() && full)) {
        break;
      }
      batch.add(missing);
      if (!missing.isSmall()) {
        break;
      }
    }
    return batch;
  }

  /** Reads the messages that are missing of threads, of several small ones in one statement. */
  private Map<Long, IndexBuilder> readAll(long project, List<Missing> batch) {
    Map<Long, IndexBuilder> builders = new HashMap<>();
    TermReader reader = new TermReader();
    List<Missing> unknown = new ArrayList<>();
    for (Missing each : batch) {
      IndexBuilder builder = new IndexBuilder(reader, maxSearchBytes);
      builders.put(each.thread.id(), builder);
      List<IndexStatements.Message> known = each.index == null ? null : appended.take(each.range());
      if (known == null) {
        unknown.add(each);
      } else {
        known.forEach(message -> add(message, builder));
      }
    }
    if (unknown.size() == 1) {
      Missing only = unknown.get(0);
      builders.put(only.thread.id(), read(project, only.range(), only.bytes()));
      return builders;
    }
    List<IndexStatements.Range> ranges = unknown.stream().map(Missing::range).toList();
    for (IndexStatements.Message message : read(project, ranges)) {
      add(message, Objects.requireNonNull(builders.get(message.thread())));
    }
    return builders;
  }

  /** The index of a thread with what was read of it; null if it was rewritten. */
  private @Nullable Index index(long project, Missing missing, IndexBuilder more) {
    ThreadScope thread = missing.thread;
    Index index = missing.index;
    if (index == null) {
      return new Index(thread, more.messages(), more.terms());
    }
    if (index.thread.storedBytes() + more.bytes() == thread.storedBytes()) {
      ThreadTerms terms = index.terms.plus(more.terms());
      if (index.read + more.messages() > thread.messageCount()) {
        terms = withoutDeleted(project, thread, terms);
      }
      if (!terms.isComplete() || terms.messages() == thread.messageCount()) {
        return new Index(thread, thread.messageCount(), terms.newest(maxSearchBytes));
      }
    }
    return null;
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
   * Reads messages.
   *
   * @param bytes about those of their contents
   */
  private IndexBuilder read(long project, IndexStatements.Range range, long bytes) {
    IndexBuilder builder = new IndexBuilder(new TermReader(), maxSearchBytes);
    long next = range.from();
    if (range.to() - next <= RowPages.ROWS && bytes <= BYTES_AT_ONCE) {
      read(project, List.of(range)).forEach(message -> add(message, builder));
      return builder;
    }
    while (next < range.to()) {
      IndexStatements.Range rest = new IndexStatements.Range(range.thread(), next, range.to());
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
      next = sizes.size() < SIZES_AT_ONCE ? range.to() : sizes.get(sizes.size() - 1).seq() + 1;
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
    List<IndexStatements.Range> some =
        ranges.stream().filter(range -> range.from() < range.to()).toList();
    return some.isEmpty()
        ? List.of()
        : transactions.readInOwnAccount(project, handle -> IndexStatements.messages(handle, some));
  }
}
