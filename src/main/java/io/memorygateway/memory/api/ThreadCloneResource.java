package io.memorygateway.memory.api;

import io.dropwizard.auth.Auth;
import io.memorygateway.auth.Caller;
import io.memorygateway.http.BodyReservation;
import io.memorygateway.memory.CloneOptions;
import io.memorygateway.memory.IdempotencyClaim;
import io.memorygateway.memory.IdempotentWrites;
import io.memorygateway.memory.Identifier;
import io.memorygateway.memory.Outcome;
import io.memorygateway.memory.StorageLimit;
import io.memorygateway.memory.ThreadClones;
import io.memorygateway.memory.ThreadCopies;
import io.memorygateway.memory.ThreadCopy;
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
import jakarta.ws.rs.core.UriInfo;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Copies of threads (contract §5). */
@Path("/v1/memory/threads/{thread}/clone")
@Produces(MediaType.APPLICATION_JSON)
@Consumes(MediaType.WILDCARD)
public final class ThreadCloneResource {
  private final ThreadClones clones;
  private final ThreadCopies copies;
  private final ClonedMessages messages;
  private final IdempotentWrites writes;
  private final StorageLimit limit;

  ThreadCloneResource(
      ThreadClones clones,
      ThreadCopies copies,
      ClonedMessages messages,
      IdempotentWrites writes,
      StorageLimit limit) {
    this.clones = clones;
    this.copies = copies;
    this.messages = messages;
    this.writes = writes;
    this.limit = limit;
  }

  @POST
  public Response clone(
      @Auth Caller caller,
      @PathParam("thread") String thread,
      @HeaderParam(IdempotencyClaim.HEADER) @Nullable String key,
      @Context UriInfo uri,
      @Context HttpServletRequest request,
      byte[] body) {
    String id = Identifier.check("thread", thread);
    CloneOptions wish = ThreadBodies.parseClone(body);
    IdempotencyClaim claim = IdempotencyClaim.of(caller, key, "POST", uri.getRequestUri(), body);
    Outcome outcome;
    // How much it is turns out when the source is read.
    try (StorageLimit.Admission storage = limit.open(caller.projectId(), Integer.MAX_VALUE)) {
      outcome = clone(caller, id, wish, claim, storage);
      storage.stored();
    }
    return Response.status(outcome.status())
        .type(MediaType.APPLICATION_JSON_TYPE)
        .entity(messages.beside(outcome, BodyReservation.of(request)))
        .build();
  }

  private Outcome clone(
      Caller caller,
      String id,
      CloneOptions wish,
      @Nullable IdempotencyClaim claim,
      StorageLimit.Admission storage) {
    Function<@Nullable ThreadCopy, Outcome> last =
        copy ->
            writes.perform(
                claim,
                handle -> {
                  ThreadClones.Cloned cloned =
                      clones.clone(handle, caller, id, wish, copy, storage);
                  return Outcome.besideMessages(
                      201,
                      cloned.thread().id(),
                      ThreadJson.one(caller, cloned.thread()),
                      cloned.messages());
                });
    try {
      return last.apply(null);
    } catch (ThreadClones.TooLongException e) {
      return copies.copy(caller, id, wish, storage, last);
    }
  }
}
