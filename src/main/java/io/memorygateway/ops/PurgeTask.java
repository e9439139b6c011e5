package io.memorygateway.ops;

import static java.util.Objects.requireNonNullElse;

import io.memorygateway.memory.ExpiredIdempotencyKeys;
import io.memorygateway.memory.ExpiredMessageRevisions;
import io.memorygateway.memory.RemovedThreads;
import io.memorygateway.operator.AdminTask;
import io.memorygateway.operator.Role;
import io.memorygateway.operator.TaskUsage;
import io.memorygateway.operator.Word;
import io.memorygateway.operator.Words;
import io.memorygateway.ratelimit.RateLimitModule;
import io.memorygateway.usage.OldLoggedCalls;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;

/**
 * {@code purge}: removes at once what the background would remove in its time, and of the request
 * log more than that if asked to. Nothing while another node is at it.
 *
 * @param kept how long the request log is kept
 */
public record PurgeTask(Jdbi jdbi, InstantSource clock, Duration kept) implements AdminTask {
  public static final TaskUsage USAGE =
      TaskUsage.of(
          "purge",
          "Remove old rows: request log, answers for Idempotency-Keys and what is kept for them,"
              + " deleted threads, rate-limit windows of idle keys",
          List.of(
              Word.optional(
                  "requestLog",
                  "age from which rows of the request log go; usage.retention if left out")));

  @Override
  public TaskUsage usage() {
    return USAGE;
  }

  @Override
  public Role role(Words words) {
    return Role.OWNER;
  }

  @Override
  public Object run(Words words) {
    Duration age = requireNonNullElse(words.duration("requestLog"), kept);
    Instant now = clock.instant();
    Map<String, Long> removed = new LinkedHashMap<>();
    removed.put("requestLog", OldLoggedCalls.remove(jdbi, now.minus(age)));
    removed.put("idempotencyKeys", ExpiredIdempotencyKeys.remove(jdbi, now));
    removed.put("formerMessages", ExpiredMessageRevisions.remove(jdbi, now));
    removed.put("deletedThreads", RemovedThreads.remove(jdbi));
    removed.put("rateLimitWindows", RateLimitModule.removeIdle(jdbi));
    return removed;
  }
}
