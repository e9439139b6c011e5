package io.memorygateway.console;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.audit.AuditHead;
import io.memorygateway.audit.AuditPages;
import io.memorygateway.audit.AuditPages.Filter;
import io.memorygateway.audit.AuditReader;
import io.memorygateway.audit.AuditRowView;
import io.memorygateway.audit.AuditVerification;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.Characters;
import io.memorygateway.operator.Role;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** {@code /admin/api/audit}: the audit log in pages and as a whole, and its verification. */
@Path("/audit")
@Produces(MediaType.APPLICATION_JSON)
public final class AuditResource {
  /** Longest verification in one request; the next request continues. */
  private static final long VERIFIED_FOR_NANOS = Duration.ofMillis(1500).toNanos();

  private final LimitedReads reads;
  private final AuditReader reader;
  private final ObjectMapper json;
  private final LongSupplier nanoTime;
  private final RunningExports exports = new RunningExports("audit.ndjson");

  AuditResource(LimitedReads reads, AuditReader reader, ObjectMapper json, LongSupplier nanoTime) {
    this.reads = reads;
    this.reader = reader;
    this.json = json;
    this.nanoTime = nanoTime;
  }

  /**
   * Page of the audit log.
   *
   * @param before number of the row before which the next page begins; null on the last page
   */
  public record AuditPage(List<AuditRowView> rows, @Nullable Long before) {}

  /**
   * Result of verifying a part of the log.
   *
   * @param ok whether there are no faults in this part
   * @param complete whether this part reached the end of the log
   * @param rows number of rows in this part
   * @param lastSeq number of the last row
   * @param lastHash hash of the last row, to be recorded outside of the database
   * @param next value of {@code after}, with the hash, for the next part; null at the end
   */
  public record Verified(
      boolean ok,
      boolean complete,
      long rows,
      long lastSeq,
      String lastHash,
      List<String> faults,
      @Nullable Long next) {}

  @GET
  @Produces({MediaType.APPLICATION_JSON, Csv.TYPE})
  @RequiredRole(Role.VIEWER)
  public Response list(
      @QueryParam("before") @Nullable Long before,
      @QueryParam("limit") @Nullable Integer limit,
      @QueryParam("action") @Nullable String action,
      @QueryParam("actor") @Nullable String actor,
      @QueryParam("subject") @Nullable String subject,
      @QueryParam("outcome") @Nullable String outcome,
      @QueryParam("from") @Nullable String from,
      @QueryParam("to") @Nullable String to,
      @QueryParam("format") @Nullable String format,
      @HeaderParam(HttpHeaders.ACCEPT) @Nullable String accept) {
    boolean csv = Csv.isRequested(format, accept);
    int max = Csv.maxRows(csv, limit);
    Map<Filter, String> filters = new EnumMap<>(Filter.class);
    filters.put(Filter.ACTION, action);
    filters.put(Filter.ACTOR, actor);
    filters.put(Filter.SUBJECT, subject);
    filters.put(Filter.OUTCOME, outcome);
    filters.values().removeIf(Objects::isNull);
    Instant begin = time("from", from);
    Instant end = time("to", to);
    if (begin != null && end != null && !begin.isBefore(end)) {
      throw ApiException.invalidRequest("from must be before to.");
    }
    AuditPages.Criteria wanted =
        new AuditPages.Criteria(
            before == null ? Long.MAX_VALUE : Math.max(before, Long.MIN_VALUE + 1) - 1,
            begin,
            end,
            filters,
            max);
    AuditPages.Found found = reads.read(handle -> AuditPages.read(handle, wanted));
    List<AuditRowView> rows = found.rows().stream().map(AuditRowView::of).toList();
    if (csv) {
      return Csv.of("audit", AuditRowView.class, rows, found.more());
    }
    AuditPage page = new AuditPage(rows, found.more() ? rows.get(rows.size() - 1).seq() : null);
    return Response.ok(page, MediaType.APPLICATION_JSON_TYPE).build();
  }

  /** The rows in the format of the command {@code audit export}, oldest first. */
  @GET
  @Path("/export")
  @Produces({RunningExports.TYPE, MediaType.APPLICATION_JSON})
  @RequiredRole(Role.VIEWER)
  public Response export(
      @QueryParam("after") @Nullable Long after, @Context HttpServletRequest request) {
    if (after != null && after < 0) {
      throw ApiException.invalidRequest("after must be the number of a row.");
    }
    ApiCaller caller = ApiCaller.of(request);
    exports.check(caller);
    return exports.response(caller, out -> reader.export(after, json, out));
  }

  @GET
  @Path("/verify")
  @RequiredRole(Role.VIEWER)
  public Verified verify(
      @QueryParam("after") @Nullable Long after, @QueryParam("hash") @Nullable String hash) {
    long end = nanoTime.getAsLong() + VERIFIED_FOR_NANOS;
    AuditReader.Step step =
        reader.verify(start(after, hash), null, () -> nanoTime.getAsLong() - end < 0);
    AuditVerification.Report report = step.report();
    return new Verified(
        report.faults().isEmpty(),
        step.complete(),
        report.rows(),
        report.lastSeq(),
        report.lastHash(),
        report.faults(),
        step.complete() ? null : report.lastSeq());
  }

  private static AuditHead start(@Nullable Long after, @Nullable String hash) {
    if (hash == null && (after == null || after == 0)) {
      return AuditHead.EMPTY;
    }
    if (after == null
        || after < 0
        || hash == null
        || hash.length() != 64
        || Characters.hexDigits(hash, 0) != 64
        || hash.chars().anyMatch(Character::isUpperCase)) {
      throw ApiException.invalidRequest("after and hash go together, as the last answer had them.");
    }
    return new AuditHead(after, hash);
  }

  private static @Nullable Instant time(String name, @Nullable String text) {
    return text == null ? null : TimeRange.time(name, text);
  }
}
