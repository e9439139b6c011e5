package io.memorygateway.console;

import com.codahale.metrics.health.HealthCheck;
import io.memorygateway.json.Timestamps;
import io.memorygateway.operator.Role;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /admin/api/overview}: health, use, and errors of the gateway. */
@Path("/overview")
@Produces(MediaType.APPLICATION_JSON)
public final class OverviewResource {
  private final LimitedReads reads;
  private final RecentHealth health;
  private final InstantSource clock;

  OverviewResource(LimitedReads reads, RecentHealth health, InstantSource clock) {
    this.reads = reads;
    this.health = health;
    this.clock = clock;
  }

  /**
   * The health of this node, a few seconds old at most.
   *
   * @param healthy whether every check is, as in {@code /healthcheck}
   */
  public record Health(boolean healthy, List<Check> checks) {}

  public record Check(
      String name,
      boolean healthy,
      @Nullable String message,
      @Nullable Map<String, Object> details) {}

  /**
   * The overview.
   *
   * @param from start of the first bucket
   */
  public record Overview(
      String from,
      String to,
      long bucketSeconds,
      Health health,
      OverviewReads.Totals totals,
      List<OverviewReads.Bucket> buckets,
      List<OverviewReads.TopKey> topKeys,
      List<OverviewReads.TopModel> topModels,
      List<OverviewReads.Errors> errors,
      List<OverviewReads.Refusals> refusals) {}

  @GET
  @RequiredRole(Role.VIEWER)
  public Overview get(
      @QueryParam("from") @Nullable String from, @QueryParam("to") @Nullable String to) {
    Instant now = clock.instant();
    TimeRange range = TimeRange.of(from, to, now);
    OverviewReads totals = OverviewReads.of(range, now);
    Health found = health();
    return reads.read(
        handle -> {
          OverviewReads.Traffic traffic = totals.traffic(handle);
          return new Overview(
              Timestamps.format(totals.from()),
              Timestamps.format(totals.to()),
              totals.bucket().toSeconds(),
              found,
              traffic.totals(),
              traffic.buckets(),
              totals.keys(handle),
              totals.models(handle),
              totals.errors(handle),
              totals.refusals(handle));
        });
  }

  /** The health of this node alone, which is known while the database is away. */
  @GET
  @Path("/health")
  @RequiredRole(Role.VIEWER)
  public Health health() {
    List<Check> checks =
        health.results().entrySet().stream()
            .map(check -> check(check.getKey(), check.getValue()))
            .toList();
    return new Health(checks.stream().allMatch(Check::healthy), checks);
  }

  private static Check check(String name, HealthCheck.Result result) {
    return new Check(name, result.isHealthy(), result.getMessage(), result.getDetails());
  }
}
