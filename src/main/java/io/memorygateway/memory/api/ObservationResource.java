package io.memorygateway.memory.api;

import static io.memorygateway.http.errors.JsonResponse.ok;

import io.dropwizard.auth.Auth;
import io.memorygateway.auth.Caller;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.json.ParseOptions;
import io.memorygateway.memory.replay.IdempotencyClaim;
import io.memorygateway.memory.replay.IdempotentWrites;
import io.memorygateway.memory.rows.Identifier;
import io.memorygateway.memory.rows.NotFound;
import io.memorygateway.memory.rows.ThreadDao;
import io.memorygateway.memory.rows.ThreadHead;
import io.memorygateway.observation.Observations;
import io.memorygateway.observation.RecallScope;
import io.memorygateway.observation.ThreadConfig;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Resource of the observations of a thread (contract §5). */
@Path("/v1/memory/threads/{thread}/observations")
@Produces(MediaType.APPLICATION_JSON)
@Consumes(MediaType.WILDCARD)
public record ObservationResource(
    ThreadViews views, Observations observations, IdempotentWrites writes) {
  private static final int MIN_TOKENS = 1;
  private static final int MAX_TOKENS = 100_000_000;
  private static final int MAX_RECALL_TOKENS = 1_000_000;
  private static final int MAX_ZONE_LENGTH = 64;

  @GET
  public Response text(
      @Auth Caller caller,
      @PathParam("thread") String thread,
      @QueryParam("resourceId") @Nullable String resourceId,
      @Context HttpServletRequest request) {
    ThreadViews.Subject subject = new ThreadViews.Subject(caller, thread, resourceId);
    return ok(views.observations(subject, RequestReservation.of(request)));
  }

  @GET
  @Path("record")
  public Response current(
      @Auth Caller caller,
      @PathParam("thread") String thread,
      @QueryParam("resourceId") @Nullable String resourceId,
      @Context HttpServletRequest request) {
    ThreadViews.Subject subject = new ThreadViews.Subject(caller, thread, resourceId);
    return ok(views.record(subject, RequestReservation.of(request)));
  }

  @GET
  @Path("history")
  public Response history(
      @Auth Caller caller,
      @PathParam("thread") String thread,
      @QueryParam("resourceId") @Nullable String resourceId,
      @QueryParam("limit") @Nullable String limit,
      @QueryParam("offset") @Nullable String offset,
      @QueryParam("from") @Nullable String from,
      @QueryParam("to") @Nullable String to,
      @Context HttpServletRequest request) {
    ThreadViews.Subject subject = new ThreadViews.Subject(caller, thread, resourceId);
    return ok(views.history(subject, limit, offset, from, to, RequestReservation.of(request)));
  }

  @PATCH
  @Path("config")
  public Response configure(
      @Auth Caller caller,
      @PathParam("thread") String thread,
      @HeaderParam(IdempotencyClaim.HEADER) @Nullable String key,
      @Context UriInfo uri,
      byte[] text) {
    String id = Identifier.check("thread", thread);
    UnaryOperator<ThreadConfig> change = change(Body.parse(text, ParseOptions.SHALLOW));
    Answer answer =
        writes.perform(
            IdempotencyClaim.of(caller, key, "PATCH", uri.getRequestUri(), text),
            handle -> {
              ThreadHead head =
                  handle
                      .attach(ThreadDao.class)
                      .lockHead(caller.projectId(), id)
                      .orElseThrow(NotFound::thread);
              byte[] config =
                  observations.configure(
                      handle, ThreadViews.shown(head), caller.projectName(), change);
              return Answer.aboutThread(
                  200, head.id(), new JsonWriter(160).ascii("{\"config\":").raw(config).ascii("}"));
            },
            Answer::replay);
    return answer.toResponse();
  }

  /** The change that a body requests; settings that it does not contain stay. */
  private static UnaryOperator<ThreadConfig> change(Body body) {
    Integer messages = body.integer("messageTokens", MIN_TOKENS, MAX_TOKENS);
    Integer observations = body.integer("observationTokens", MIN_TOKENS, MAX_TOKENS);
    Integer recall = body.integer("recallTokens", 0, MAX_RECALL_TOKENS);
    String scope = body.word("recallScope", RecallScope.NAMES);
    Boolean marks = body.truth("timeMarks");
    String zone = zone(body);
    return own ->
        new ThreadConfig(
            body.has("messageTokens") ? messages : own.messageTokens(),
            body.has("observationTokens") ? observations : own.observationTokens(),
            body.has("recallTokens") ? recall : own.recallTokens(),
            body.has("recallScope") ? scope : own.recallScope(),
            body.has("timeMarks") ? marks : own.timeMarks(),
            body.has("timeZone") ? zone : own.timeZone());
  }

  private static @Nullable String zone(Body body) {
    String zone = body.text("timeZone", MAX_ZONE_LENGTH);
    try {
      return zone == null ? null : ZoneId.of(zone).getId();
    } catch (DateTimeException e) {
      throw ApiException.invalidRequest(
          "timeZone must be a time zone such as UTC or Europe/Berlin.");
    }
  }
}
