package io.memorygateway.memory.api;

import io.dropwizard.auth.Auth;
import io.memorygateway.auth.Caller;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.http.errors.JsonResponse;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.json.ParseOptions;
import io.memorygateway.memory.replay.IdempotencyClaim;
import io.memorygateway.memory.replay.IdempotentWrites;
import io.memorygateway.memory.rows.Identifier;
import io.memorygateway.memory.rows.NotFound;
import io.memorygateway.memory.rows.Page;
import io.memorygateway.memory.rows.ThreadDao;
import io.memorygateway.memory.rows.ThreadHead;
import io.memorygateway.observation.Observations;
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
import java.time.Instant;
import java.time.ZoneId;
import java.util.function.BiFunction;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Resource of the observations of a thread (contract §5). */
@Path("/v1/memory/threads/{thread}/observations")
@Produces(MediaType.APPLICATION_JSON)
@Consumes(MediaType.WILDCARD)
public final class ObservationResource {
  private static final int DEFAULT_LIMIT = 10;
  private static final int MIN_TOKENS = 1;
  private static final int MAX_TOKENS = 100_000_000;
  private static final int MAX_RECALL_TOKENS = 1_000_000;
  private static final int MAX_ZONE_LENGTH = 64;

  private final Observations observations;
  private final Transactions transactions;
  private final IdempotentWrites writes;

  ObservationResource(
      Observations observations, Transactions transactions, IdempotentWrites writes) {
    this.observations = observations;
    this.transactions = transactions;
    this.writes = writes;
  }

  @GET
  public Response text(
      @Auth Caller caller,
      @PathParam("thread") String thread,
      @QueryParam("resourceId") @Nullable String resourceId,
      @Context HttpServletRequest request) {
    LongConsumer heap = RequestReservation.of(request)::coverAnswer;
    return show(
        caller, thread, resourceId, (handle, subject) -> observations.text(handle, subject, heap));
  }

  @GET
  @Path("record")
  public Response current(
      @Auth Caller caller,
      @PathParam("thread") String thread,
      @QueryParam("resourceId") @Nullable String resourceId,
      @Context HttpServletRequest request) {
    LongConsumer heap = RequestReservation.of(request)::coverAnswer;
    return show(
        caller,
        thread,
        resourceId,
        (handle, subject) -> observations.current(handle, subject, heap));
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
    LongConsumer heap = RequestReservation.of(request)::coverAnswer;
    Page page = PageParameters.of(limit, offset, DEFAULT_LIMIT).page();
    Instant earliest = from == null ? null : Iso8601.parse("from", from);
    Instant latest = to == null ? null : Iso8601.parse("to", to);
    return show(
        caller,
        thread,
        resourceId,
        (handle, subject) ->
            observations.history(
                handle,
                subject,
                earliest,
                latest,
                new Observations.Page(page.limit(), page.offset()),
                Page.MAX_BYTES,
                heap));
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
                  observations.configure(handle, subject(head), caller.projectName(), change);
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
    Boolean marks = body.truth("timeMarks");
    String zone = zone(body);
    return own ->
        new ThreadConfig(
            body.has("messageTokens") ? messages : own.messageTokens(),
            body.has("observationTokens") ? observations : own.observationTokens(),
            body.has("recallTokens") ? recall : own.recallTokens(),
            body.has("timeMarks") ? marks : own.timeMarks(),
            body.has("timeZone") ? zone : own.timeZone());
  }

  private static @Nullable String zone(Body body) {
    String zone = body.text("timeZone", MAX_ZONE_LENGTH);
    try {
      return zone == null ? null : ZoneId.of(zone).getId();
    } catch (DateTimeException e) {
      throw Body.invalid("timeZone must be a time zone such as UTC or Europe/Berlin.");
    }
  }

  private Response show(
      Caller caller,
      String thread,
      @Nullable String resourceId,
      BiFunction<Handle, Observations.Subject, byte[]> view) {
    String id = Identifier.check("thread", thread);
    String resource = Identifier.checkIfGiven(resourceId);
    byte[] json =
        transactions.snapshot(
            handle -> {
              ThreadHead head =
                  handle
                      .attach(ThreadDao.class)
                      .findHead(caller.projectId(), id)
                      .filter(found -> resource == null || found.resourceId().equals(resource))
                      .orElseThrow(NotFound::thread);
              return view.apply(handle, subject(head));
            });
    return JsonResponse.of(200, json).build();
  }

  private static Observations.Subject subject(ThreadHead head) {
    return new Observations.Subject(head.id(), head.publicId(), head.resourceId());
  }
}
