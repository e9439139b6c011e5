package io.memorygateway.console;

import io.memorygateway.auth.ApiKey;
import io.memorygateway.auth.ApiKeyDao;
import io.memorygateway.auth.KeyView;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.Timestamps;
import io.memorygateway.operator.Role;
import io.memorygateway.ratelimit.window.RateLimitRule;
import io.memorygateway.ratelimit.window.StoredCounters;
import io.memorygateway.ratelimit.window.WindowLimiter;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** {@code /admin/api/limits}: the rate-limit rules, a key's counters, and its refusals. */
@Path("/limits")
@Produces(MediaType.APPLICATION_JSON)
public record LimitsResource(
    List<RateLimitRule> rules, WindowLimiter limiter, LimitedReads reads, InstantSource clock) {
  private static final Duration DEFAULT_PERIOD = Duration.ofHours(24);
  private static final int MAX_REFUSALS = 500;

  public LimitsResource {
    rules = List.copyOf(rules);
  }

  /**
   * The rules of the configuration.
   *
   * @param shared whether all nodes count together at present
   * @param onStorageFailure policy of this node while they cannot
   */
  public record Rules(List<Rule> rules, boolean shared, String onStorageFailure) {}

  public record Rule(String rule, String appliesTo, long limit, long windowSeconds) {}

  /**
   * The limits of a key.
   *
   * @param refusals newest first
   * @param refusalsTruncated whether there are more than a response holds
   */
  public record LimitsOfKey(
      KeyView key, List<HeldRule> rules, List<Refusal> refusals, boolean refusalsTruncated) {}

  /**
   * Rule with its counter for a key.
   *
   * @param limit the key's own limit, or the configured one
   * @param used requests in the running window
   */
  public record HeldRule(
      String rule,
      String appliesTo,
      long windowSeconds,
      long limit,
      long configured,
      boolean own,
      long used,
      long remaining,
      String resetsAt) {}

  /**
   * Requests that a rule refused in a minute.
   *
   * @param limit at that time
   */
  public record Refusal(
      String minute,
      String rule,
      String scope,
      long limit,
      long windowSeconds,
      long refused,
      String lastAt,
      String lastRequestId) {}

  @GET
  @RequiredRole(Role.VIEWER)
  public Rules list() {
    return new Rules(
        rules.stream()
            .map(
                rule ->
                    new Rule(rule.name(), appliesTo(rule), rule.limit(), rule.window().toSeconds()))
            .toList(),
        limiter.isShared(),
        limiter.onStorageFailure().name().toLowerCase(Locale.ROOT));
  }

  @GET
  @Path("/{keyId}")
  @RequiredRole(Role.VIEWER)
  public LimitsOfKey ofKey(
      @PathParam("keyId") String keyId,
      @QueryParam("from") @Nullable String from,
      @QueryParam("to") @Nullable String to) {
    Instant now = clock.instant();
    TimeRange range =
        from == null && to == null
            ? new TimeRange(now.minus(DEFAULT_PERIOD), now.plus(Duration.ofMinutes(1)))
            : TimeRange.of(from, to, now);
    return reads.read(
        handle -> {
          ApiKey key =
              handle
                  .attach(ApiKeyDao.class)
                  .findByPublicId(keyId)
                  .orElseThrow(() -> ApiException.notFound("There is no key with this id."));
          KeyView view = KeyView.of(key);
          List<HeldRule> held =
              StoredCounters.read(handle, key.id(), rules).stream()
                  .map(rule -> held(rule, view))
                  .toList();
          List<Refusal> refusals = refusals(handle, key.id(), range);
          boolean truncated = refusals.size() > MAX_REFUSALS;
          return new LimitsOfKey(
              view, held, truncated ? refusals.subList(0, MAX_REFUSALS) : refusals, truncated);
        });
  }

  private static HeldRule held(StoredCounters.Counter held, KeyView key) {
    RateLimitRule rule = held.rule();
    Long own = key.limits().get(rule.name());
    long limit = own == null ? rule.limit() : own;
    return new HeldRule(
        rule.name(),
        appliesTo(rule),
        rule.window().toSeconds(),
        limit,
        rule.limit(),
        own != null,
        held.used(),
        Math.max(0, limit - held.used()),
        Timestamps.format(held.resetsAt()));
  }

  private static List<Refusal> refusals(Handle handle, long keyId, TimeRange range) {
    return handle
        .createQuery(
            """
            SELECT minute, rule, scope, MAX(limited_to) AS limited_to, window_seconds, SUM(refused) AS refused,
                   MAX(last_at) AS last_at, MAX(CONCAT(last_at, ' ', last_request_id)) AS last_request
            FROM rate_limit_refusals
            WHERE key_id = :keyId AND minute >= :from AND minute < :to
            GROUP BY minute, rule, scope, window_seconds ORDER BY minute DESC, rule, scope LIMIT :limit
            """)
        .bind("keyId", keyId)
        .bind("from", range.from())
        .bind("to", range.to())
        .bind("limit", MAX_REFUSALS + 1)
        .map(
            (row, context) -> {
              String last = row.getString("last_request");
              return new Refusal(
                  Timestamps.format(row.getTimestamp("minute").toInstant()),
                  row.getString("rule"),
                  row.getString("scope"),
                  row.getLong("limited_to"),
                  row.getLong("window_seconds"),
                  row.getLong("refused"),
                  Timestamps.format(row.getTimestamp("last_at").toInstant()),
                  // After a date and a time.
                  last.substring(last.indexOf(' ', last.indexOf(' ') + 1) + 1));
            })
        .list();
  }

  private static String appliesTo(RateLimitRule rule) {
    return rule.appliesTo().name().toLowerCase(Locale.ROOT);
  }
}
