package io.memorygateway.memory.limit;

import static java.util.Objects.requireNonNullElse;

import io.memorygateway.database.Transactions;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ErrorType;
import io.memorygateway.json.Characters;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.ThreadDao;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Collection;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds how many bytes the threads of one project hold: contents of messages, titles and metadata,
 * a flat part for each message and thread, and what is stored for replays of its Idempotency-Keys.
 *
 * <p>A counter of each project in the database would be a lock that all its writes share. So the
 * sum over its threads is read every two seconds, and what this node has admitted since is added.
 * Writes in progress count too, because the last sum may not include them. One node therefore never
 * exceeds the limit; several exceed it by no more than what the others admit between two reads, and
 * by the answers of turns that were under way.
 */
public final class StorageLimit {
  /** Bytes that a message counts beside its content: about what its row and its id take. */
  public static final int MESSAGE_BYTES = 128;

  /** Bytes that a thread counts beside its title, metadata and messages. */
  public static final int THREAD_BYTES = 1024;

  private static final Logger LOGGER = LoggerFactory.getLogger(StorageLimit.class);
  private static final long READ_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Before a write is refused the sum is read again, unless it is as new as this. */
  private static final long MIN_READ_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Divisor: reading the sum takes at most 1/20 of the time, however many threads there are. */
  private static final int PART_OF_TIME = 20;

  private static final long LOG_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final long limit;
  private final LongUnaryOperator heldBytes;
  private final LongSupplier nanoTime;
  private final Counter refusals;
  private final ConcurrentMap<Long, Usage> usages = new ConcurrentHashMap<>();

  /**
   * @param configuration of which {@code storage} is the limit; without it nothing is ever read
   * @param heldBytes reads what the threads of a project hold, by {@code projects.id}
   */
  StorageLimit(
      LimitsConfiguration configuration,
      LongUnaryOperator heldBytes,
      LongSupplier nanoTime,
      PrometheusRegistry registry) {
    this.limit = requireNonNullElse(configuration.storageBytes(), Long.MAX_VALUE);
    this.heldBytes = heldBytes;
    this.nanoTime = nanoTime;
    this.refusals =
        Counter.builder()
            .name("memory_gateway_storage_refusals_total")
            .help("Requests refused with 413 because their project holds limits.storage bytes.")
            .register(registry);
  }

  /** Creates a limit whose sums are read from the database. */
  public static StorageLimit of(
      LimitsConfiguration configuration, Transactions transactions, PrometheusRegistry registry) {
    return new StorageLimit(
        configuration,
        project ->
            transactions.read(
                handle ->
                    handle.attach(ThreadDao.class).heldBytes(project, THREAD_BYTES, MESSAGE_BYTES)),
        System::nanoTime,
        registry);
  }

  /** Bytes that messages with these contents count towards the limit. */
  public static long bytesOf(Stream<String> contents) {
    return contents.mapToLong(content -> MESSAGE_BYTES + Characters.utf8Length(content)).sum();
  }

  /**
   * Begins a write. Must be called outside of transactions: it may read the sum.
   *
   * @param expected bytes that the write may add, if they are known before
   * @return to be closed when the write has ended
   */
  public Hold open(long project, long expected) {
    if (limit == Long.MAX_VALUE) {
      return Hold.unlimited();
    }
    Usage usage = usages.computeIfAbsent(project, id -> new Usage());
    usage.refresh(project, expected);
    return new Hold(usage);
  }

  /**
   * Checks whether bytes would exceed the limit, without counting them.
   *
   * @throws ApiException 413 if they would
   */
  public void check(long project, long bytes) {
    try (Hold hold = open(project, bytes)) {
      hold.require(bytes);
    }
  }

  /** Counts messages that are stored regardless of the limit. */
  public void count(long project, Collection<MessageRow> stored) {
    Usage usage = limit == Long.MAX_VALUE ? null : usages.get(project);
    if (usage != null) {
      usage.count(bytesOf(stored.stream().map(MessageRow::content)));
    }
  }

  /** Has the next write read the sum again, because something of the project was deleted. */
  public void freed(long project) {
    Usage usage = usages.get(project);
    if (usage != null) {
      usage.invalidate();
    }
  }

  /** What one write may come to; closing it releases what was not stored. */
  public static final class Hold implements AutoCloseable {
    private final @Nullable Usage usage;
    private long bytes;
    private boolean stored;

    private Hold(@Nullable Usage usage) {
      this.usage = usage;
    }

    /** Creates a hold that is never refused. */
    public static Hold unlimited() {
      return new Hold(null);
    }

    /** Changes the hold to {@code all} bytes; false if they exceed the limit. */
    public boolean fits(long all) {
      if (usage != null && !usage.take(bytes, all)) {
        return false;
      }
      bytes = all;
      return true;
    }

    /**
     * Changes the hold to {@code all} bytes. A write that adds nothing is never refused.
     *
     * @throws ApiException 413 if they exceed the limit
     */
    public void require(long all) {
      if (all > 0 && !fits(all)) {
        throw usage == null ? new IllegalStateException() : usage.refused();
      }
    }

    /**
     * Adds bytes to the reservation.
     *
     * @throws ApiException 413 if they exceed the limit
     */
    public void requireMore(long more) {
      require(bytes + more);
    }

    /** Marks the reserved bytes as stored. */
    public void stored() {
      stored = true;
    }

    @Override
    public void close() {
      if (usage != null) {
        usage.end(bytes, stored);
        bytes = 0;
      }
    }
  }

  /** Bytes of one project: the last sum, and what was admitted since. */
  private final class Usage {
    private final ReentrantLock reading = new ReentrantLock();
    private long held;
    private long since;
    private long open;
    private boolean known;
    private long readAt;
    private long readFor;
    private long invalidations;
    private long loggedAt = nanoTime.getAsLong() - LOG_INTERVAL_NANOS;

    /** Reads the sum if it is too old; meanwhile other callers use the old one. */
    void refresh(long project, long expected) {
      if (!isDue(expected)) {
        return;
      }
      if (isKnown()) {
        if (!reading.tryLock()) {
          return;
        }
      } else {
        reading.lock();
      }
      try {
        if (isDue(expected)) {
          read(project);
        }
      } finally {
        reading.unlock();
      }
    }

    private synchronized boolean isKnown() {
      return known;
    }

    private synchronized boolean isDue(long expected) {
      long age = nanoTime.getAsLong() - readAt;
      boolean full = held + since + open + expected > limit;
      long max = full ? MIN_READ_INTERVAL_NANOS : READ_INTERVAL_NANOS;
      return !known || age >= Math.max(max, PART_OF_TIME * readFor);
    }

    private void read(long project) {
      long start = nanoTime.getAsLong();
      long before;
      long asked;
      synchronized (this) {
        before = since;
        asked = invalidations;
      }
      long sum = heldBytes.applyAsLong(project);
      synchronized (this) {
        held = sum;
        since -= before;
        readAt = start;
        readFor = nanoTime.getAsLong() - start;
        known = asked == invalidations;
      }
    }

    synchronized void invalidate() {
      invalidations++;
      known = false;
    }

    synchronized boolean take(long before, long all) {
      if (all > before && held + since + open - before + all > limit) {
        return false;
      }
      open += all - before;
      return true;
    }

    synchronized void end(long bytes, boolean stored) {
      open -= bytes;
      since += stored ? bytes : 0;
    }

    synchronized void count(long bytes) {
      since += bytes;
    }

    ApiException refused() {
      refusals.inc();
      long stored;
      boolean logged;
      synchronized (this) {
        stored = held + since;
        long now = nanoTime.getAsLong();
        logged = now - loggedAt >= LOG_INTERVAL_NANOS;
        loggedAt = logged ? now : loggedAt;
      }
      if (logged) {
        LOGGER.warn("A project holds {} bytes; limits.storage is {}", stored, limit);
      }
      return ApiException.of(
          413,
          ErrorType.INVALID_REQUEST,
          "The project stores "
              + size(stored)
              + " and may store "
              + size(limit)
              + ", so this cannot be added. Delete threads or messages that are no longer"
              + " needed, and try again.");
    }
  }

  /**
   * Formats a size with a decimal point: clients take the digits 404 in a message for a status. The
   * unit is chosen so that the number is below 100.
   */
  static String size(long bytes) {
    String[] units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = bytes / 1024.0;
    int unit = 0;
    while (value >= 99.995 && unit < units.length - 1) {
      value /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, "%.2f %s", value, units[unit]);
  }
}
