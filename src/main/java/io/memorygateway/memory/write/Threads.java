package io.memorygateway.memory.write;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.database.Home;
import io.memorygateway.database.Ids;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.api.Uuids;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.MergePatch;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.rows.NotFound;
import io.memorygateway.memory.rows.RemovedThreadDao;
import io.memorygateway.memory.rows.ThreadCountDao;
import io.memorygateway.memory.rows.ThreadDao;
import io.memorygateway.memory.rows.ThreadHead;
import io.memorygateway.memory.rows.ThreadPatch;
import io.memorygateway.memory.rows.ThreadRow;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * Threads of a project. Methods that take a handle work inside the caller's transaction.
 *
 * <p>A thread that the caller cannot see is a 404, whatever the reason.
 */
public final class Threads {
  private static final int MAX_METADATA_BYTES = 256 * 1024;

  private final Transactions transactions;
  private final Ids ids;
  private final Clock clock;
  private final RandomGenerator random;
  private final Filling empty;

  /**
   * Creates the access to the threads of all projects.
   *
   * @param firstLook bytes of content after which the observer looks at a new thread
   */
  public Threads(Transactions transactions, Clock clock, RandomGenerator random, long firstLook) {
    this.transactions = transactions;
    this.ids = new Ids(transactions);
    this.clock = clock;
    this.random = random;
    this.empty = new Filling(0, 0, 0, 0, 0, firstLook);
  }

  /** A thread, and whether it has just been created. */
  public record Created(ThreadRow thread, boolean isNew) {}

  /**
   * Returns a thread by its id.
   *
   * @param resourceId the resource that it must belong to, or null for any
   */
  public ThreadRow get(Caller caller, String id, @Nullable String resourceId) {
    Optional<ThreadRow> found =
        transactions.read(handle -> handle.attach(ThreadDao.class).find(caller.projectId(), id));
    return found
        .filter(thread -> resourceId == null || thread.resourceId().equals(resourceId))
        .orElseThrow(NotFound::thread);
  }

  /**
   * Ids for the row of a new thread, another one for each attempt of its transaction, since one may
   * be counted where a transaction that hangs holds the lock; not to be called within one.
   */
  public LongSupplier newRow(Caller caller) {
    int slots = ThreadCountDao.SLOTS;
    long first = ids.next(Home.of(caller.projectId()), slots);
    AtomicLong next = new AtomicLong(first / slots);
    return () -> first + next.getAndIncrement() % slots;
  }

  /** Creates or finds a thread without checking the storage limit, which the caller has done. */
  public Created create(
      Handle handle,
      Caller caller,
      LongSupplier rows,
      @Nullable String id,
      String resourceId,
      @Nullable String title,
      @Nullable String metadata) {
    return create(
        handle, caller, rows, id, resourceId, title, metadata, StorageLimit.Hold.unlimited());
  }

  /**
   * Creates a thread, or finds the one with this id and resource, unchanged.
   *
   * @param rows of {@link #newRow}, called before the transaction
   * @param id null to generate one
   * @param storage hold that has to cover a new thread
   * @throws ApiException 409 if the id belongs to another resource's thread; 413 if the storage
   *     limit would be exceeded
   */
  public Created create(
      Handle handle,
      Caller caller,
      LongSupplier rows,
      @Nullable String id,
      String resourceId,
      @Nullable String title,
      @Nullable String metadata,
      StorageLimit.Hold storage) {
    String publicId = id == null ? newId() : id;
    ThreadDao dao = handle.attach(ThreadDao.class);
    Optional<ThreadRow> existing =
        id == null ? Optional.empty() : dao.find(caller.projectId(), publicId);
    if (existing.isEmpty()) {
      storage.require(newBytes(title, metadata));
      Optional<ThreadRow> inserted =
          insert(handle, caller, rows, publicId, resourceId, title, metadata, empty);
      if (inserted.isPresent()) {
        return new Created(inserted.get(), true);
      }
      existing = dao.lock(caller.projectId(), publicId);
    }
    return existing
        .filter(thread -> thread.resourceId().equals(resourceId))
        .map(thread -> new Created(thread, false))
        .orElseThrow(() -> ApiException.conflict("The thread id belongs to another resource."));
  }

  /** Bytes that a new thread counts towards the storage limit. */
  public static long newBytes(@Nullable String title, @Nullable String metadata) {
    return StorageLimit.THREAD_BYTES + ThreadRow.describedBytes(title, metadata);
  }

  /** Initial values of a new thread's head that describe its messages; see {@link ThreadHead}. */
  record Filling(
      long baseSeq,
      long nextSeq,
      long messageCount,
      long storedBytes,
      long removedBytes,
      long observeAt) {}

  /** Inserts a new row; empty if there is one with this id. */
  Optional<ThreadRow> insert(
      Handle handle,
      Caller caller,
      LongSupplier rows,
      String publicId,
      String resourceId,
      @Nullable String title,
      @Nullable String metadata,
      Filling filling) {
    Instant now = now();
    long row = rows.getAsLong();
    try {
      insert(
          handle,
          new ThreadDao.Insert(
              row, caller.projectId(), publicId, resourceId, title, metadata, now));
    } catch (JdbiException e) {
      if (DatabaseFailure.of(e) != DatabaseFailure.DUPLICATE_KEY) {
        throw e;
      }
      return Optional.empty();
    }
    ThreadRow thread = new ThreadRow(row, publicId, resourceId, title, metadata, now, now);
    show(handle, caller, thread, filling);
    return Optional.of(thread);
  }

  void insert(Handle handle, ThreadDao.Insert row) {
    ids.insert(handle, "threads", row.id(), () -> handle.attach(ThreadDao.class).insert(row));
  }

  /** Gives a thread's row its head, which makes it visible, and counts it. */
  static void show(Handle handle, Caller caller, ThreadRow thread, Filling filling) {
    handle
        .attach(ThreadDao.class)
        .insertHead(
            caller.projectId(),
            new ThreadHead(
                thread.id(),
                thread.publicId(),
                thread.resourceId(),
                filling.baseSeq(),
                filling.nextSeq(),
                filling.messageCount(),
                filling.storedBytes(),
                filling.removedBytes(),
                filling.observeAt(),
                ThreadHead.FIRST_VERSION,
                thread.updatedAt(),
                null),
            thread.describedBytes());
    handle
        .attach(ThreadCountDao.class)
        .count(caller.projectId(), thread.resourceId(), thread.id(), 1);
  }

  /**
   * Changes a thread's title and metadata.
   *
   * @param storage hold that has to cover their growth
   */
  public ThreadRow patch(
      Handle handle, Caller caller, String id, ThreadPatch patch, StorageLimit.Hold storage) {
    ThreadDao dao = handle.attach(ThreadDao.class);
    ThreadRow old = dao.lock(caller.projectId(), id).orElseThrow(NotFound::thread);
    ThreadRow patched =
        new ThreadRow(
            old.id(),
            old.publicId(),
            old.resourceId(),
            patch.hasTitle() ? patch.title() : old.title(),
            patch.hasMetadata() ? merge(old.metadata(), patch.metadata()) : old.metadata(),
            old.createdAt(),
            later(old.updatedAt()));
    dao.describe(patched.id(), patched.title(), patched.metadata());
    storage.require(patched.describedBytes() - old.describedBytes());
    dao.touch(patched.id(), patched.describedBytes(), patched.updatedAt());
    return patched;
  }

  private static @Nullable String merge(@Nullable String old, @Nullable JsonValue patch) {
    if (patch == null) {
      return null;
    }
    byte[] merged = MergePatch.apply(old == null ? null : JsonValue.ofStored(old), patch);
    checkMetadataSize(merged.length);
    return new String(merged, StandardCharsets.UTF_8);
  }

  /**
   * Refuses metadata that is too large.
   *
   * @throws ApiException 400
   */
  public static void checkMetadataSize(int bytes) {
    if (bytes > MAX_METADATA_BYTES) {
      throw ApiException.invalidRequest(
          "metadata must have at most " + MAX_METADATA_BYTES + " bytes.");
    }
  }

  /**
   * Deletes a thread: it becomes invisible with everything below it, and its id is free. Its rows
   * are removed in the background, see {@link RemovedThreads}; without a head they are out of
   * reach.
   *
   * @return {@code threads.id}
   */
  public long delete(Handle handle, Caller caller, String id) {
    ThreadDao dao = handle.attach(ThreadDao.class);
    ThreadHead thread = dao.lockHead(caller.projectId(), id).orElseThrow(NotFound::thread);
    RemovedThreadDao removed = handle.attach(RemovedThreadDao.class);
    removed.enter(thread.id(), caller.projectId(), 0);
    removed.deleteJob(thread.id());
    removed.deleteHead(thread.id());
    removed.hide(thread.id());
    handle
        .attach(ThreadCountDao.class)
        .count(caller.projectId(), thread.resourceId(), thread.id(), -1);
    return thread.id();
  }

  /** Generates an id for a thread or a message: a UUID of version 7. */
  public String newId() {
    return Uuids.version7(clock, random).toString();
  }

  /** Returns the time, but never less than {@code noted}: a node's clock may be behind. */
  Instant later(Instant noted) {
    Instant now = now();
    return now.isBefore(noted) ? noted : now;
  }

  /** Returns the time in milliseconds, as precise as the database stores it. */
  public Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MILLIS);
  }
}
