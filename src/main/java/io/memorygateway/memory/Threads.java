package io.memorygateway.memory;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.http.Uuids;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.MergePatch;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * Threads of a project. What takes a handle works inside the caller's transaction.
 *
 * <p>What the caller cannot see is a 404, whatever the reason.
 */
public final class Threads {
  private static final int MAX_METADATA_BYTES = 256 * 1024;

  private final Transactions transactions;
  private final Clock clock;
  private final RandomGenerator random;
  private final Filling empty;

  /**
   * The threads of all projects.
   *
   * @param firstLook bytes of content after which the observer looks at a new thread
   */
  public Threads(Transactions transactions, Clock clock, RandomGenerator random, long firstLook) {
    this.transactions = transactions;
    this.clock = clock;
    this.random = random;
    this.empty = new Filling(0, 0, 0, 0, 0, firstLook);
  }

  /** A thread, and whether it was made just now. */
  public record Created(ThreadRow thread, boolean isNew) {}

  /**
   * A thread by its id.
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

  /** The same without a limit: somebody else has asked for room. */
  public Created create(
      Handle handle,
      Caller caller,
      @Nullable String id,
      String resourceId,
      @Nullable String title,
      @Nullable String metadata) {
    return create(
        handle, caller, id, resourceId, title, metadata, StorageLimit.Admission.unlimited());
  }

  /**
   * Makes a thread, or finds the one with this id and resource as it is.
   *
   * @param id null for one of ours
   * @param storage asked for room if the thread is new
   * @throws ApiException 409 if the id belongs to another resource's thread, 413
   */
  public Created create(
      Handle handle,
      Caller caller,
      @Nullable String id,
      String resourceId,
      @Nullable String title,
      @Nullable String metadata,
      StorageLimit.Admission storage) {
    String publicId = id == null ? newId() : id;
    ThreadDao dao = handle.attach(ThreadDao.class);
    Optional<ThreadRow> existing =
        id == null ? Optional.empty() : dao.find(caller.projectId(), publicId);
    if (existing.isEmpty()) {
      storage.require(newBytes(title, metadata));
      Optional<ThreadRow> inserted =
          insert(handle, caller, publicId, resourceId, title, metadata, empty);
      if (inserted.isPresent()) {
        return new Created(inserted.get(), true);
      }
      existing = dao.lock(caller.projectId(), publicId);
    }
    return existing
        .filter(thread -> thread.resourceId().equals(resourceId))
        .map(thread -> new Created(thread, false))
        .orElseThrow(
            () ->
                new ApiException(ApiError.conflict("The thread id belongs to another resource.")));
  }

  /** What a new thread counts. */
  public static long newBytes(@Nullable String title, @Nullable String metadata) {
    return StorageLimit.THREAD_BYTES + ThreadRow.describedBytes(title, metadata);
  }

  /** What the head of a new thread says of its messages; see {@link ThreadHead}. */
  record Filling(
      long baseSeq,
      long nextSeq,
      long messageCount,
      long storedBytes,
      long removedBytes,
      long observeAt) {}

  /** A new row, or nothing if there is one with this id. */
  Optional<ThreadRow> insert(
      Handle handle,
      Caller caller,
      String publicId,
      String resourceId,
      @Nullable String title,
      @Nullable String metadata,
      Filling filling) {
    Instant now = now();
    long id;
    try {
      id =
          handle
              .attach(ThreadDao.class)
              .insert(
                  new ThreadDao.Insert(
                      caller.projectId(), publicId, resourceId, title, metadata, now));
    } catch (JdbiException e) {
      if (DatabaseFailure.of(e) == DatabaseFailure.DUPLICATE_KEY) {
        return Optional.empty();
      }
      throw e;
    }
    ThreadRow thread = new ThreadRow(id, publicId, resourceId, title, metadata, now, now);
    show(handle, caller, thread, filling);
    return Optional.of(thread);
  }

  /** Gives a thread's row its head: from now on it is seen, and counted. */
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
                thread.updatedAt()),
            thread.describedBytes());
    ThreadCounts.add(handle, caller.projectId(), thread.resourceId(), thread.id(), 1);
  }

  /**
   * Changes a thread's title and metadata.
   *
   * @param storage asked for room if they grow
   */
  public ThreadRow patch(
      Handle handle, Caller caller, String id, ThreadPatch patch, StorageLimit.Admission storage) {
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
      throw new ApiException(
          ApiError.invalidRequest("metadata must have at most " + MAX_METADATA_BYTES + " bytes."));
    }
  }

  /**
   * Deletes a thread: nobody sees it or anything of it any more, and its id is free. Its rows are
   * removed in the background, see {@link RemovedThreads}; without a head they are out of reach.
   */
  public void delete(Handle handle, Caller caller, String id) {
    ThreadDao dao = handle.attach(ThreadDao.class);
    ThreadHead thread = dao.lockHead(caller.projectId(), id).orElseThrow(NotFound::thread);
    RemovedThreadDao removed = handle.attach(RemovedThreadDao.class);
    removed.enter(thread.id(), caller.projectId(), 0);
    removed.deleteJob(thread.id());
    removed.deleteHead(thread.id());
    removed.hide(thread.id());
    ThreadCounts.add(handle, caller.projectId(), thread.resourceId(), thread.id(), -1);
  }

  /** An id of ours for a thread or a message. */
  public String newId() {
    return Uuids.version7(clock, random).toString();
  }

  /** Now, but never before what was noted last: a node's clock may be behind. */
  Instant later(Instant noted) {
    Instant now = now();
    return now.isBefore(noted) ? noted : now;
  }

  /** As precise as the database keeps it. */
  public Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MILLIS);
  }
}
