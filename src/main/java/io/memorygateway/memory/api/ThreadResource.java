package io.memorygateway.memory.api;

import static io.memorygateway.http.errors.JsonResponse.ok;

import io.dropwizard.auth.Auth;
import io.memorygateway.auth.Caller;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.replay.IdempotencyClaim;
import io.memorygateway.memory.replay.IdempotentWrites;
import io.memorygateway.memory.rows.Identifier;
import io.memorygateway.memory.rows.ThreadPatch;
import io.memorygateway.memory.rows.ThreadRow;
import io.memorygateway.memory.write.Threads;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Resource of the threads of the caller's project (contract §5). */
@Path("/v1/memory/threads")
@Produces(MediaType.APPLICATION_JSON)
@Consumes(MediaType.WILDCARD)
public record ThreadResource(
    ThreadViews views, Threads threads, IdempotentWrites writes, StorageLimit limit) {
  @GET
  public Response list(
      @Auth Caller caller,
      @QueryParam("resourceId") @Nullable String resourceId,
      @QueryParam("limit") @Nullable String limit,
      @QueryParam("offset") @Nullable String offset,
      @Context HttpServletRequest request) {
    return ok(views.threads(caller, resourceId, limit, offset, RequestReservation.of(request)));
  }

  @POST
  public Response create(
      @Auth Caller caller,
      @HeaderParam(IdempotencyClaim.HEADER) @Nullable String key,
      @Context UriInfo uri,
      byte[] body) {
    ThreadBodies.Create create = ThreadBodies.Create.parse(body);
    try (StorageLimit.Hold storage =
        limit.open(caller.projectId(), Threads.newBytes(create.title(), create.metadata()))) {
      IdempotencyClaim claim = IdempotencyClaim.of(caller, key, "POST", uri.getRequestUri(), body);
      LongSupplier rows = threads.newRow(caller);
      Answer answer =
          writes.perform(
              claim,
              handle -> {
                Threads.Created created =
                    threads.create(
                        handle,
                        caller,
                        rows,
                        create.id(),
                        create.resourceId(),
                        create.title(),
                        create.metadata(),
                        storage);
                JsonWriter json = ThreadJson.one(caller, created.thread());
                coverStored(storage, claim, json);
                return Answer.aboutThread(created.isNew() ? 201 : 200, created.thread().id(), json);
              },
              Answer::replay);
      storage.stored();
      return answer.toResponse();
    }
  }

  @GET
  @Path("{thread}")
  public Response get(
      @Auth Caller caller,
      @PathParam("thread") String thread,
      @QueryParam("resourceId") @Nullable String resourceId) {
    return ok(views.thread(new ThreadViews.Subject(caller, thread, resourceId)));
  }

  @PATCH
  @Path("{thread}")
  public Response patch(
      @Auth Caller caller,
      @PathParam("thread") String thread,
      @HeaderParam(IdempotencyClaim.HEADER) @Nullable String key,
      @Context UriInfo uri,
      byte[] body) {
    String id = Identifier.check("thread", thread);
    ThreadPatch patch = ThreadBodies.parsePatch(body);
    try (StorageLimit.Hold storage = limit.open(caller.projectId(), body.length)) {
      IdempotencyClaim claim = IdempotencyClaim.of(caller, key, "PATCH", uri.getRequestUri(), body);
      Answer answer =
          writes.perform(
              claim,
              handle -> {
                ThreadRow patched = threads.patch(handle, caller, id, patch, storage);
                JsonWriter json = ThreadJson.one(caller, patched);
                coverStored(storage, claim, json);
                return Answer.aboutThread(200, patched.id(), json);
              },
              Answer::replay);
      storage.stored();
      return answer.toResponse();
    }
  }

  /** Checks that the storage limit allows the response, which is stored for replays. */
  private static void coverStored(
      StorageLimit.Hold storage, @Nullable IdempotencyClaim claim, JsonWriter response) {
    if (claim != null) {
      storage.requireMore(response.length());
    }
  }

  @DELETE
  @Path("{thread}")
  public Response delete(
      @Auth Caller caller,
      @PathParam("thread") String thread,
      @HeaderParam(IdempotencyClaim.HEADER) @Nullable String key,
      @Context UriInfo uri,
      byte[] body) {
    String id = Identifier.check("thread", thread);
    Answer answer =
        writes.perform(
            IdempotencyClaim.of(caller, key, "DELETE", uri.getRequestUri(), body),
            handle -> {
              threads.delete(handle, caller, id);
              return Answer.ok(new JsonWriter(16).ascii("{\"ok\":true}"));
            },
            Answer::replay);
    limit.freed(caller.projectId());
    return answer.toResponse();
  }
}
