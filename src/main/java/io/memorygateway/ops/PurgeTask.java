package io.memorygateway.ops;

import static java.util.Objects.requireNonNullElse;

import io.memorygateway.memory.replay.ExpiredIdempotencyKeys;
import io.memorygateway.memory.replay.ExpiredMessageRevisions;
import io.memorygateway.memory.write.OrphanedRows;
import io.memorygateway.memory.write.RemovedThreads;
import io.memorygateway.operator.AdminTask;
import io.memorygateway.operator.Parameter;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.operator.Role;
import io.memorygateway.operator.TaskUsage;
import io.memorygateway.ratelimit.RateLimitModule;
import io.memorygateway.usage.OldUsage;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;

/**
 * {@code purge}: removes immediately what the background would remove in time, and more of the
 * request log than that if asked to. Skips what another node is removing.
 *
 * @param retention how long the request log is kept
 */
public record PurgeTask(Jdbi jdbi, InstantSource clock, Duration retention) implements AdminTask {
  public static final TaskUsage USAGE =
      TaskUsage.of(
          "purge",
          "Remove old rows: request log, answers for Idempotency-Keys and what is kept for them,"
              + " deleted threads, rate-limit windows of idle keys",
          List.of(
              Parameter.optional(
                  "requestLog",
                  "age from which rows of the request log go; usage.retention if left out")),
          Role.OWNER);

  @Override
  public TaskUsage usage() {
    return USAGE;
  }

  @Override
  public Object run(ParameterValues values) {
    Duration age = requireNonNullElse(values.duration("requestLog"), retention);
    Instant now = clock.instant();
    Map<String, Long> removed = new LinkedHashMap<>();
    removed.put("requestLog", OldUsage.removeCalls(jdbi, now.minus(age)));
    removed.put("idempotencyKeys", ExpiredIdempotencyKeys.remove(jdbi, now));
    removed.put("formerMessages", ExpiredMessageRevisions.remove(jdbi, now));
    removed.put("orphanedThreads", OrphanedRows.handOver(jdbi, false));
    removed.put("deletedThreads", RemovedThreads.remove(jdbi));
    removed.put("rateLimitWindows", RateLimitModule.removeIdle(jdbi));
    return removed;
  }
}
