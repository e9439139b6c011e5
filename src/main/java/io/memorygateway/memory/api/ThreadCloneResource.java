package io.memorygateway.memory.api;

import static java.util.Objects.requireNonNull;

import io.dropwizard.auth.Auth;
import io.memorygateway.auth.Caller;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.memory.replay.IdempotencyClaim;
import io.memorygateway.memory.replay.MessageBatches;
import io.memorygateway.memory.rows.CloneOptions;
import io.memorygateway.memory.rows.Identifier;
import io.memorygateway.memory.write.ThreadCloner;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import jakarta.ws.rs.core.UriInfo;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** Resource of copies of threads (contract §5). */
@Path("/v1/memory/threads/{thread}/clone")
@Produces(MediaType.APPLICATION_JSON)
@Consumes(MediaType.WILDCARD)
public record ThreadCloneResource(ThreadCloner cloner, MessageBatches messages) {
  @POST
  public Response clone(
      @Auth Caller caller,
      @PathParam("thread") String thread,
      @HeaderParam(IdempotencyClaim.HEADER) @Nullable String key,
      @Context UriInfo uri,
      @Context HttpServletRequest request,
      byte[] body) {
    String id = Identifier.check("thread", thread);
    CloneOptions options = ThreadBodies.parseClone(body);
    IdempotencyClaim claim = IdempotencyClaim.of(caller, key, "POST", uri.getRequestUri(), body);
    ThreadCloner.Clone clone =
        cloner.clone(
            caller, id, options, claim, created -> ThreadJson.one(caller, created).toString());
    RequestReservation reservation = RequestReservation.of(request);
    return Response.status(Response.Status.CREATED)
        .type(MediaType.APPLICATION_JSON_TYPE)
        .entity((StreamingOutput) out -> write(out, clone, reservation))
        .build();
  }

  /** Writes {@code {"thread":…,"clonedMessages":[…]}}, reading the messages at the same time. */
  private void write(OutputStream out, ThreadCloner.Clone clone, RequestReservation reservation)
      throws IOException {
    JsonValue thread = requireNonNull(JsonValue.ofStored(clone.body()).get("thread"));
    String publicId = thread.text("id");
    out.write(
        new JsonWriter(thread.length() + 64)
            .ascii("{\"thread\":")
            .raw(thread.rawBytes())
            .ascii(",\"clonedMessages\":[")
            .toBytes());
    String[] separator = {""};
    messages.read(
        clone.threadId(),
        clone.messages(),
        reservation,
        message -> {
          JsonWriter json = new JsonWriter(message.content().length() + 256).ascii(separator[0]);
          out.write(MessageJson.write(json, publicId, message).toBytes());
          separator[0] = ",";
        });
    out.write(new JsonWriter(2).ascii("]}").toBytes());
  }
}
