package io.memorygateway.memory.api;

import io.dropwizard.auth.Auth;
import io.memorygateway.auth.Caller;
import io.memorygateway.http.BodyReservation;
import io.memorygateway.http.JsonResponse;
import io.memorygateway.json.JsonOut;
import io.memorygateway.memory.MessageRevisions;
import io.memorygateway.memory.IdempotencyClaim;
import io.memorygateway.memory.IdempotentWrites;
import io.memorygateway.memory.Identifier;
import io.memorygateway.memory.MessageLookup;
import io.memorygateway.memory.MessagePatch;
import io.memorygateway.memory.MessageRow;
import io.memorygateway.memory.Messages;
import io.memorygateway.memory.NotFound;
import io.memorygateway.memory.Outcome;
import io.memorygateway.memory.StorageLimit;
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

/** One message of a thread (contract §5). */
@Path("/v1/memory/threads/{thread}/messages/{message}")
@Produces(MediaType.APPLICATION_JSON)
@Consumes(MediaType.WILDCARD)
public final class SingleMessageResource {
  private final Messages messages;
  private final MessageLookup lookup;
  private final IdempotentWrites writes;
  private final StorageLimit limit;

  SingleMessageResource(
      Messages messages, MessageLookup lookup, IdempotentWrites writes, StorageLimit limit) {
    this.messages = messages;
    this.lookup = lookup;
    this.writes = writes;
    this.limit = limit;
  }

  @GET
  public Response get(
      @Auth Caller caller,
      @PathParam("thread") String thread,
      @PathParam("message") String message,
      @Context HttpServletRequest request) {
    String threadId = Identifier.check("thread", thread);
    MessageRow found =
        lookup.get(
            caller,
            threadId,
            Identifier.check("message", message),
            BodyReservation.of(request)::coverAnswer);
    return JsonResponse.of(200, MessageJson.one(threadId, found).toBytes()).build();
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
    BodyReservation reservation = BodyReservation.of(request);
    String threadId = Identifier.check("thread", thread);
    String messageId = Identifier.check("message", message);
    MessagePatch patch = MessageBodies.parsePatch(body);
    try (StorageLimit.Admission storage =
        limit.open(caller.projectId(), patch.content() == null ? 0 : patch.content().length())) {
      Outcome outcome =
          writes.perform(
              IdempotencyClaim.of(caller, key, "PATCH", uri.getRequestUri(), body),
              handle -> {
                Messages.Appended patched =
                    messages.patch(
                        handle,
                        caller,
                        threadId,
                        messageId,
                        patch,
                        reservation::coverAnswer,
                        storage);
                return Outcome.ofMessages(
                    200, MessageJson.one(threadId, patched.messages().get(0)), patched);
              },
              (handle, first) ->
                  MessageRevisions.of(handle, first, reservation::coverAnswer).stream()
                      .findFirst()
                      .map(row -> MessageJson.one(threadId, row))
                      .orElseThrow(NotFound::message));
      storage.stored();
      return JsonResponse.of(outcome.status(), outcome.body().toBytes()).build();
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
    Outcome outcome =
        writes.perform(
            IdempotencyClaim.of(caller, key, "DELETE", uri.getRequestUri(), body),
            handle -> {
              if (messages.delete(handle, caller, threadId, List.of(messageId)) == 0) {
                throw NotFound.message();
              }
              return Outcome.ok(new JsonOut(16).ascii("{\"ok\":true}"));
            });
    limit.freed(caller.projectId());
    return JsonResponse.of(outcome.status(), outcome.body().toBytes()).build();
  }
}
