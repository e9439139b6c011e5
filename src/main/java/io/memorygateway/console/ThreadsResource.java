package io.memorygateway.console;

import static io.memorygateway.http.errors.JsonResponse.ok;

import io.memorygateway.audit.AuditEntry;
import io.memorygateway.audit.AuditEntry.Outcome;
import io.memorygateway.audit.AuditOutbox;
import io.memorygateway.auth.Caller;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.http.arrival.ClientWatch;
import io.memorygateway.memory.MemoryModule;
import io.memorygateway.memory.api.SearchView;
import io.memorygateway.memory.api.ThreadViews;
import io.memorygateway.memory.rows.Identifier;
import io.memorygateway.memory.rows.ThreadRow;
import io.memorygateway.operator.Role;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code /admin/api/projects/{project}/threads}: the threads of a project as its keys see them,
 * with the same limits (contract §5, §11). Contents require more than the role viewer, which
 * dashboards and scrapers of metrics have.
 */
@Path("/projects/{project}")
@Produces(MediaType.APPLICATION_JSON)
public record ThreadsResource(
    Projects projects,
    MemoryModule memory,
    ThreadViews views,
    SearchView search,
    AuditOutbox audit) {
  public record Deleted(boolean ok) {}

  @GET
  @Path("/threads")
  @RequiredRole(value = Role.OPERATOR, act = "thread-read")
  public Response list(
      @PathParam("project") String project,
      @QueryParam("resourceId") @Nullable String resourceId,
      @QueryParam("limit") @Nullable String limit,
      @QueryParam("offset") @Nullable String offset,
      @Context HttpServletRequest request) {
    RequestReservation heap = RequestReservation.of(request);
    return ok(views.threads(projects.caller(project), resourceId, limit, offset, heap));
  }

  @GET
  @Path("/threads/{thread}")
  @RequiredRole(value = Role.OPERATOR, act = "thread-read")
  public Response get(@PathParam("project") String project, @PathParam("thread") String thread) {
    return ok(views.thread(subject(project, thread)));
  }

  @GET
  @Path("/threads/{thread}/messages")
  @RequiredRole(value = Role.OPERATOR, act = "thread-read")
  public Response messages(
      @PathParam("project") String project,
      @PathParam("thread") String thread,
      @QueryParam("limit") @Nullable String limit,
      @QueryParam("offset") @Nullable String offset,
      @QueryParam("order") @Nullable String order,
      @QueryParam("around") @Nullable String around,
      @Context HttpServletRequest request) {
    RequestReservation heap = RequestReservation.of(request);
    return ok(views.messages(subject(project, thread), limit, offset, order, around, heap));
  }

  @GET
  @Path("/threads/{thread}/observations")
  @RequiredRole(value = Role.OPERATOR, act = "thread-read")
  public Response observations(
      @PathParam("project") String project,
      @PathParam("thread") String thread,
      @Context HttpServletRequest request) {
    return ok(views.observations(subject(project, thread), RequestReservation.of(request)));
  }

  @GET
  @Path("/threads/{thread}/observations/record")
  @RequiredRole(value = Role.OPERATOR, act = "thread-read")
  public Response record(
      @PathParam("project") String project,
      @PathParam("thread") String thread,
      @Context HttpServletRequest request) {
    return ok(views.record(subject(project, thread), RequestReservation.of(request)));
  }

  @GET
  @Path("/threads/{thread}/observations/history")
  @RequiredRole(value = Role.OPERATOR, act = "thread-read")
  public Response history(
      @PathParam("project") String project,
      @PathParam("thread") String thread,
      @QueryParam("limit") @Nullable String limit,
      @QueryParam("offset") @Nullable String offset,
      @QueryParam("from") @Nullable String from,
      @QueryParam("to") @Nullable String to,
      @Context HttpServletRequest request) {
    RequestReservation heap = RequestReservation.of(request);
    return ok(views.history(subject(project, thread), limit, offset, from, to, heap));
  }

  @POST
  @Path("/search")
  @Consumes(MediaType.APPLICATION_JSON)
  @RequiredRole(value = Role.OPERATOR, act = "thread-search")
  public Response search(
      @PathParam("project") String project, @Context HttpServletRequest request, byte[] body) {
    return ok(
        search.search(
            projects.caller(project),
            body,
            true,
            ClientWatch.of(request),
            RequestReservation.of(request)));
  }

  @DELETE
  @Path("/threads/{thread}")
  @RequiredRole(value = Role.OWNER, act = "thread-delete")
  public Deleted delete(
      @PathParam("project") String project,
      @PathParam("thread") String thread,
      @Context HttpServletRequest request) {
    Caller caller = projects.caller(project);
    ThreadRow before = memory.threads().get(caller, Identifier.check("thread", thread), null);
    AuditEntry entry =
        new AuditEntry(
            ApiCaller.of(request).actor(),
            "thread-delete",
            before.publicId(),
            Outcome.DONE,
            shown(caller, before),
            null);
    long deleted =
        memory
            .transactions()
            .write(
                handle -> {
                  long id = memory.threads().delete(handle, caller, before.publicId());
                  audit.put(handle, id, entry);
                  return id;
                });
    audit.move(deleted);
    memory.storageLimit().freed(caller.projectId());
    return new Deleted(true);
  }

  private ThreadViews.Subject subject(String project, String thread) {
    return new ThreadViews.Subject(projects.caller(project), thread, null);
  }

  /** The thread without its metadata, which is content. */
  private static Map<String, Object> shown(Caller caller, ThreadRow thread) {
    return Map.of(
        "project", caller.projectName(),
        "id", thread.publicId(),
        "resourceId", thread.resourceId(),
        "createdAt", thread.createdAt());
  }
}
