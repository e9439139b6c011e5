package io.memorygateway.console;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.operator.Role;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** {@code /admin/api/requests}: proxied calls, newest first. */
@Path("/requests")
@Produces(MediaType.APPLICATION_JSON)
public record RequestsResource(LimitedReads reads, InstantSource clock) {
  /**
   * Page of calls.
   *
   * @param after id of the last row, from which the next page continues; null on the last page
   */
  public record RequestPage(List<LoggedRequest> requests, @Nullable String after) {}

  /**
   * Call with all of its attempts.
   *
   * @param hasThread whether it belongs to a thread, of whose id the log has only a hash
   */
  public record RequestDetail(
      @JsonUnwrapped LoggedRequest request, boolean hasThread, List<LoggedAttempt> attemptList) {}

  @GET
  @Produces({MediaType.APPLICATION_JSON, Csv.TYPE})
  @RequiredRole(Role.VIEWER)
  public Response list(
      @QueryParam("from") @Nullable String from,
      @QueryParam("to") @Nullable String to,
      @QueryParam("after") @Nullable String after,
      @QueryParam("limit") @Nullable Integer limit,
      @QueryParam("format") @Nullable String format,
      @HeaderParam(HttpHeaders.ACCEPT) @Nullable String accept,
      @BeanParam RequestFilters filters) {
    TimeRange range = TimeRange.of(from, to, clock.instant());
    boolean csv = Csv.isRequested(format, accept);
    int max = Csv.maxRows(csv, limit);
    LoggedRequest.@Nullable Position position = after == null ? null : position(after);
    List<LoggedRequest> found =
        reads.read(
            handle ->
                RequestLogReads.list(handle, range, position, filters.conditions(handle), max + 1));
    boolean more = found.size() > max;
    List<LoggedRequest> shown = more ? found.subList(0, max) : found;
    if (csv) {
      return Csv.of("requests", LoggedRequest.class, shown, more);
    }
    RequestPage page = new RequestPage(shown, more ? shown.get(max - 1).id() : null);
    return Response.ok(page, MediaType.APPLICATION_JSON_TYPE).build();
  }

  @GET
  @Path("/{id}")
  @RequiredRole(Role.VIEWER)
  public RequestDetail get(@PathParam("id") String id) {
    LoggedRequest.Position position = position(id);
    return reads.read(handle -> detail(handle, position));
  }

  private static RequestDetail detail(Handle handle, LoggedRequest.Position position) {
    RequestLogReads.Found found =
        RequestLogReads.find(handle, position)
            .orElseThrow(() -> ApiException.notFound("There is no such request."));
    List<LoggedAttempt> attempts = new ArrayList<>();
    if (found.attempt().attempt() > 1) {
      attempts.addAll(RequestLogReads.earlierAttempts(handle, found));
    }
    attempts.add(found.attempt());
    return new RequestDetail(found.request(), found.hasThread(), attempts);
  }

  private static LoggedRequest.Position position(String text) {
    LoggedRequest.Position position = LoggedRequest.Position.parse(text);
    if (position == null) {
      throw ApiException.invalidRequest("That is not the id of a request.");
    }
    return position;
  }
}
