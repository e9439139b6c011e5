package io.memorygateway.memory.api;

import static io.memorygateway.http.errors.JsonResponse.ok;

import io.dropwizard.auth.Auth;
import io.memorygateway.auth.Caller;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.http.errors.JsonResponse;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.replay.IdempotencyClaim;
import io.memorygateway.memory.replay.IdempotentWrites;
import io.memorygateway.memory.rows.Identifier;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.NewMessage;
import io.memorygateway.memory.write.Appends;
import io.memorygateway.memory.write.Messages;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Resource of the messages of a thread (contract §5). */
@Path("/v1/memory/threads/{thread}/messages")
@Produces(MediaType.APPLICATION_JSON)
@Consumes(MediaType.WILDCARD)
public record MessageResource(
    ThreadViews views,
    Appends appends,
    Messages messages,
    IdempotentWrites writes,
    StorageLimit limit) {
  @GET
  public Response list(
      @Auth Caller caller,
      @PathParam("thread") String thread,
      @QueryParam("resourceId") @Nullable String resourceId,
      @QueryParam("limit") @Nullable String limit,
      @QueryParam("offset") @Nullable String offset,
      @QueryParam("order") @Nullable String order,
      @QueryParam("around") @Nullable String around,
      @Context HttpServletRequest request) {
    return ok(
        views.messages(
            new ThreadViews.Subject(caller, thread, resourceId),
            limit,
            offset,
            order,
            around,
            RequestReservation.of(request)));
  }

  @POST
  public Response append(
      @Auth Caller caller,
      @PathParam("thread") String thread,
      @HeaderParam(IdempotencyClaim.HEADER) @Nullable String key,
      @Context UriInfo uri,
      @Context HttpServletRequest request,
      byte[] body) {
    String id = Identifier.check("thread", thread);
    List<NewMessage> batch = MessageBodies.parseAppend(body);
    IdempotencyClaim claim = IdempotencyClaim.of(caller, key, "POST", uri.getRequestUri(), body);
    List<MessageRow> stored =
        appends.append(caller, id, batch, claim, RequestReservation.of(request)::coverAnswer);
    return JsonResponse.of(201, MessageJson.list(id, stored).toBytes()).build();
  }

  @DELETE
  public Response delete(
      @Auth Caller caller,
      @PathParam("thread") String thread,
      @HeaderParam(IdempotencyClaim.HEADER) @Nullable String key,
      @Context UriInfo uri,
      byte[] body) {
    String id = Identifier.check("thread", thread);
    List<String> messageIds = MessageBodies.parseDelete(body);
    Answer answer =
        writes.perform(
            IdempotencyClaim.of(caller, key, "DELETE", uri.getRequestUri(), body),
            handle -> {
              int deleted = messages.delete(handle, caller, id, messageIds);
              return Answer.ok(
                  new JsonWriter(40).ascii("{\"ok\":true,\"deleted\":").number(deleted).ascii("}"));
            },
            Answer::replay);
    limit.freed(caller.projectId());
    return answer.toResponse();
  }
}
