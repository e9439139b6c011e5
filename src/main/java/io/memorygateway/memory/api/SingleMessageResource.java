package io.memorygateway.memory.api;

import static io.memorygateway.http.errors.JsonResponse.ok;

import io.dropwizard.auth.Auth;
import io.memorygateway.auth.Caller;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.read.MessagePages;
import io.memorygateway.memory.replay.IdempotencyClaim;
import io.memorygateway.memory.replay.IdempotentWrites;
import io.memorygateway.memory.rows.Identifier;
import io.memorygateway.memory.rows.MessagePatch;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.NotFound;
import io.memorygateway.memory.write.Messages;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Resource of one message of a thread (contract §5). */
@Path("/v1/memory/threads/{thread}/messages/{message}")
@Produces(MediaType.APPLICATION_JSON)
@Consumes(MediaType.WILDCARD)
public record SingleMessageResource(
    Messages messages, MessagePages pages, IdempotentWrites writes, StorageLimit limit) {
  @GET
  public Response get(
      @Auth Caller caller,
      @PathParam("thread") String thread,
      @PathParam("message") String message,
      @Context HttpServletRequest request) {
    String threadId = Identifier.check("thread", thread);
    MessageRow found =
        pages.get(
            caller,
            threadId,
            Identifier.check("message", message),
            RequestReservation.of(request)::coverAnswer);
    return ok(MessageJson.one(threadId, found).toBytes());
  }

  @PATCH
  public Response patch(
      @Auth Caller caller,
      @PathParam("thread") String thread,
      @PathParam("message") String message,
      @HeaderParam(IdempotencyClaim.HEADER) @Nullable String key,
      @Context UriInfo uri,
      @Context HttpServletRequest request,
      byte[] body) {
    RequestReservation reservation = RequestReservation.of(request);
    String threadId = Identifier.check("thread", thread);
    String messageId = Identifier.check("message", message);
    MessagePatch patch = MessageBodies.parsePatch(body);
    try (StorageLimit.Hold storage =
        limit.open(caller.projectId(), patch.content() == null ? 0 : patch.content().length())) {
      MessageRow patched =
          writes.perform(
              IdempotencyClaim.of(caller, key, "PATCH", uri.getRequestUri(), body),
              handle ->
                  messages.patch(
                      handle,
                      caller,
                      threadId,
                      messageId,
                      patch,
                      reservation::coverAnswer,
                      storage),
              (handle, stored) -> messages.replay(handle, stored, reservation::coverAnswer));
      storage.stored();
      return ok(MessageJson.one(threadId, patched).toBytes());
    }
  }

  @DELETE
  public Response delete(
      @Auth Caller caller,
      @PathParam("thread") String thread,
      @PathParam("message") String message,
      @HeaderParam(IdempotencyClaim.HEADER) @Nullable String key,
      @Context UriInfo uri,
      byte[] body) {
    String threadId = Identifier.check("thread", thread);
    String messageId = Identifier.check("message", message);
    Answer answer =
        writes.perform(
            IdempotencyClaim.of(caller, key, "DELETE", uri.getRequestUri(), body),
            handle -> {
              if (messages.delete(handle, caller, threadId, List.of(messageId)) == 0) {
                throw NotFound.message();
              }
              return Answer.ok(new JsonWriter(16).ascii("{\"ok\":true}"));
            },
            Answer::replay);
    limit.freed(caller.projectId());
    return answer.toResponse();
  }
}
