package io.memorygateway.memory.api;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.memory.MemoryModule;
import io.memorygateway.memory.read.MessagePages;
import io.memorygateway.memory.read.ThreadList;
import io.memorygateway.memory.rows.Identifier;
import io.memorygateway.memory.rows.NotFound;
import io.memorygateway.memory.rows.Page;
import io.memorygateway.memory.rows.ThreadDao;
import io.memorygateway.memory.rows.ThreadHead;
import io.memorygateway.memory.write.Threads;
import io.memorygateway.observation.Observations;
import io.memorygateway.observation.ResourceObservations;
import java.time.Instant;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Threads, messages and observations as JSON, by the same rules for the memory API and for the
 * console. Parameters are as they were received, and null if they were not given.
 */
public final class ThreadViews {
  private static final int DEFAULT_LIMIT = 50;
  private static final int DEFAULT_RECORDS = 10;

  private final Threads threads;
  private final ThreadList list;
  private final MessagePages pages;
  private final Transactions transactions;
  private final Observations observations;

  public ThreadViews(MemoryModule memory, Observations observations) {
    this.threads = memory.threads();
    this.list = memory.threadList();
    this.pages = memory.messagePages();
    this.transactions = memory.transactions();
    this.observations = observations;
  }

  /** A thread of the caller's project, with the resource that it has to be of. */
  public record Subject(Caller caller, String thread, @Nullable String resourceId) {
    /** Checks both ids. */
    public Subject {
      Identifier.check("thread", thread);
      Identifier.checkIfGiven(resourceId);
    }
  }

  public byte[] threads(
      Caller caller,
      @Nullable String resourceId,
      @Nullable String limit,
      @Nullable String offset,
      RequestReservation heap) {
    PageParameters parameters = PageParameters.of(limit, offset, DEFAULT_LIMIT);
    ThreadList.Listed listed =
        list.list(
            caller, Identifier.checkIfGiven(resourceId), parameters.page(), heap::coverAnswer);
    return covered(ThreadJson.page(caller, listed.threads(), listed.total(), parameters), heap);
  }

  public byte[] thread(Subject subject) {
    return ThreadJson.one(
            subject.caller, threads.get(subject.caller, subject.thread, subject.resourceId))
        .toBytes();
  }

  public byte[] messages(
      Subject subject,
      @Nullable String limit,
      @Nullable String offset,
      @Nullable String order,
      @Nullable String around,
      RequestReservation heap) {
    PageParameters parameters = PageParameters.of(limit, offset, DEFAULT_LIMIT);
    if (around != null) {
      return around(subject, around, offset, parameters, order, heap);
    }
    MessagePages.Listed listed =
        pages.list(
            subject.caller,
            subject.thread,
            subject.resourceId,
            parameters.page(),
            isNewestFirst(order),
            heap::coverAnswer);
    return covered(
        MessageJson.page(subject.thread, listed.messages(), listed.total(), parameters), heap);
  }

  private byte[] around(
      Subject subject,
      String message,
      @Nullable String offset,
      PageParameters parameters,
      @Nullable String order,
      RequestReservation heap) {
    if (offset != null) {
      throw ApiException.invalidRequest("offset and around exclude each other.");
    }
    MessagePages.PageAround found =
        pages.around(
            subject.caller,
            subject.thread,
            subject.resourceId,
            Identifier.check("around", message),
            parameters.page().limit(),
            isNewestFirst(order),
            heap::coverAnswer);
    PageParameters echoed = parameters.withOffset(found.offset());
    return covered(MessageJson.page(subject.thread, found.messages(), found.total(), echoed), heap);
  }

  private static boolean isNewestFirst(@Nullable String order) {
    if (order == null || order.equals("asc")) {
      return false;
    }
    if (order.equals("desc")) {
      return true;
    }
    throw ApiException.invalidRequest("order must be asc or desc.");
  }

  private static byte[] covered(JsonWriter json, RequestReservation heap) {
    heap.coverAnswer(json.length());
    return json.toBytes();
  }

  /** The observations in force. */
  public byte[] observations(Subject subject, RequestReservation heap) {
    return show(subject, (handle, thread) -> observations.text(handle, thread, heap::coverAnswer));
  }

  public byte[] record(Subject subject, RequestReservation heap) {
    return show(
        subject, (handle, thread) -> observations.current(handle, thread, heap::coverAnswer));
  }

  /** The records of observations, newest first. */
  public byte[] history(
      Subject subject,
      @Nullable String limit,
      @Nullable String offset,
      @Nullable String from,
      @Nullable String to,
      RequestReservation heap) {
    Observations.Page page = records(limit, offset);
    Instant earliest = from == null ? null : Iso8601.parse("from", from);
    Instant latest = to == null ? null : Iso8601.parse("to", to);
    return show(
        subject,
        (handle, thread) ->
            observations.history(
                handle, thread, earliest, latest, page, Page.MAX_BYTES, heap::coverAnswer));
  }

  private static Observations.Page records(@Nullable String limit, @Nullable String offset) {
    PageParameters page = PageParameters.of(limit, offset, DEFAULT_RECORDS);
    return new Observations.Page(page.page().limit(), page.page().offset(), page.offset());
  }

  public byte[] known(Caller caller, String resource, RequestReservation heap) {
    return known(caller, resource, heap, ResourceObservations::text);
  }

  public byte[] knownRecord(Caller caller, String resource, RequestReservation heap) {
    return known(caller, resource, heap, ResourceObservations::current);
  }

  /** The records of what is known of a resource, newest first. */
  public byte[] knownHistory(
      Caller caller,
      String resource,
      @Nullable String limit,
      @Nullable String offset,
      @Nullable String from,
      @Nullable String to,
      RequestReservation heap) {
    Observations.Page page = records(limit, offset);
    Instant earliest = from == null ? null : Iso8601.parse("from", from);
    Instant latest = to == null ? null : Iso8601.parse("to", to);
    return known(caller, resource, heap, shown -> shown.history(earliest, latest, page));
  }

  private byte[] known(
      Caller caller,
      String resource,
      RequestReservation heap,
      Function<ResourceObservations, byte[]> view) {
    String id = Identifier.check("resource", resource);
    return transactions.snapshot(
        handle -> {
          ResourceObservations shown =
              ResourceObservations.of(
                  handle, caller.projectId(), caller.projectName(), id, heap::coverAnswer);
          if (!shown.exists()) {
            throw NotFound.resource();
          }
          return view.apply(shown);
        });
  }

  private byte[] show(Subject subject, BiFunction<Handle, Observations.Subject, byte[]> view) {
    return transactions.snapshot(
        handle -> {
          ThreadHead head =
              handle
                  .attach(ThreadDao.class)
                  .findHead(subject.caller.projectId(), subject.thread)
                  .filter(
                      f -> subject.resourceId == null || f.resourceId().equals(subject.resourceId))
                  .orElseThrow(NotFound::thread);
          return view.apply(handle, shown(head));
        });
  }

  static Observations.Subject shown(ThreadHead head) {
    return new Observations.Subject(head.id(), head.publicId(), head.resourceId());
  }
}
