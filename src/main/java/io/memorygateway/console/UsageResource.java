package io.memorygateway.console;

import static java.util.Objects.requireNonNullElse;

import io.memorygateway.http.errors.ApiException;
import io.memorygateway.operator.Role;
import io.memorygateway.usage.Dimension;
import io.memorygateway.usage.UsageTotals;
import io.memorygateway.usage.UsageTotals.Filter;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.time.DateTimeException;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** {@code /admin/api/usage}: totals by day, and by key, project, model and others. */
@Path("/usage")
@Produces(MediaType.APPLICATION_JSON)
public record UsageResource(LimitedReads reads, InstantSource clock) {
  private static final int DEFAULT_DAYS = 30;
  private static final int MAX_DAYS = 800;

  /**
   * Totals of a range of days.
   *
   * @param from the first day, UTC
   * @param to the last day
   * @param truncated whether there are more rows than a response holds; the total is of those shown
   */
  public record UsageReport(
      String from,
      String to,
      List<String> by,
      List<Map<String, @Nullable Object>> rows,
      Map<String, @Nullable Object> total,
      boolean truncated) {}

  @GET
  @Produces({MediaType.APPLICATION_JSON, Csv.TYPE})
  @RequiredRole(Role.VIEWER)
  public Response report(
      @QueryParam("from") @Nullable String from,
      @QueryParam("to") @Nullable String to,
      @QueryParam("by") @Nullable String by,
      @QueryParam("project") @Nullable String project,
      @QueryParam("key") @Nullable String key,
      @QueryParam("provider") @Nullable String provider,
      @QueryParam("model") @Nullable String model,
      @QueryParam("format") @Nullable String format,
      @HeaderParam(HttpHeaders.ACCEPT) @Nullable String accept) {
    boolean csv = Csv.isRequested(format, accept);
    LocalDate last =
        to == null ? LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC) : day("to", to);
    LocalDate first = from == null ? last.minusDays(DEFAULT_DAYS - 1) : day("from", from);
    if (first.isAfter(last) || ChronoUnit.DAYS.between(first, last) >= MAX_DAYS) {
      throw ApiException.invalidRequest(
          "from must not be after to, and they span " + MAX_DAYS + " days at most.");
    }
    Map<Filter, String> filters = new EnumMap<>(Filter.class);
    filters.put(Filter.PROJECT, project);
    filters.put(Filter.KEY, key);
    filters.put(Filter.PROVIDER, provider);
    filters.put(Filter.MODEL, model);
    filters.values().removeIf(Objects::isNull);
    UsageTotals totals =
        new UsageTotals(
            UsageTotals.Source.USAGE_DAYS,
            first.atStartOfDay(ZoneOffset.UTC).toInstant(),
            last.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant(),
            Dimension.list(
                requireNonNullElse(by, Dimension.DAY.wireName()), UsageTotals.Source.USAGE_DAYS),
            filters);
    List<Map<String, @Nullable Object>> found =
        reads.read(handle -> totals.rows(handle, Csv.MAX_ROWS + 1));
    boolean truncated = found.size() > Csv.MAX_ROWS;
    List<Map<String, @Nullable Object>> rows = truncated ? found.subList(0, Csv.MAX_ROWS) : found;
    if (csv) {
      return Csv.of(
          "usage",
          totals.columns(),
          rows.stream().map(row -> new ArrayList<>(row.values())).toList(),
          truncated);
    }
    UsageReport report =
        new UsageReport(
            first.toString(),
            last.toString(),
            totals.by().stream().map(Dimension::wireName).toList(),
            rows,
            totals.total(rows),
            truncated);
    return Response.ok(report, MediaType.APPLICATION_JSON_TYPE).build();
  }

  private static LocalDate day(String name, String text) {
    try {
      LocalDate day = LocalDate.parse(text);
      if (day.getYear() >= 1970 && day.getYear() <= 9998) {
        return day;
      }
    } catch (DateTimeException e) {
      // handled below
    }
    throw ApiException.invalidRequest(name + " must be a day such as 2026-01-31.");
  }
}
