package io.memorygateway.ratelimit.window;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import io.memorygateway.http.api.RequestKind;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rate-limit rule: at most {@code limit} requests of a key in each window. Windows are aligned to
 * the Unix epoch.
 *
 * @param name the rule's name, also in per-key overrides
 * @param limit 0 or more
 * @param window whole seconds, 1 s to 1 day
 */
public record RateLimitRule(String name, AppliesTo appliesTo, long limit, Duration window) {
  static final Duration MAX_WINDOW = Duration.ofDays(1);

  public RateLimitRule {
    requireNonNull(name, "name");
    requireNonNull(appliesTo, "appliesTo");
    checkArgument(limit >= 0, "a limit is 0 or more, not " + limit);
    checkArgument(
        window.compareTo(Duration.ofSeconds(1)) >= 0
            && window.compareTo(MAX_WINDOW) <= 0
            && window.toMillis() % 1000 == 0,
        "a window is of 1 s to 1 day, in whole seconds: " + window);
  }

  /** The default rules (contract §4). */
  public static List<RateLimitRule> defaults() {
    Duration minute = Duration.ofMinutes(1);
    return List.of(
        new RateLimitRule("global", AppliesTo.ALL, 5_000, minute),
        new RateLimitRule("llm_proxy", AppliesTo.LLM, 2_000, minute),
        new RateLimitRule("llm_burst", AppliesTo.LLM, 400, Duration.ofSeconds(10)),
        new RateLimitRule("memory_read", AppliesTo.MEMORY_READ, 1_200, minute),
        new RateLimitRule("memory_write", AppliesTo.MEMORY_WRITE, 600, minute));
  }

  /**
   * Class of requests that a rule counts: {@code appliesTo} in the configuration. A class may be
   * part of another, whose rules count its requests too.
   */
  public enum AppliesTo {
    ALL(null),
    LLM(ALL),
    MEMORY(ALL),
    MEMORY_READ(MEMORY),
    MEMORY_WRITE(MEMORY);

    private final @Nullable AppliesTo whole;

    AppliesTo(@Nullable AppliesTo whole) {
      this.whole = whole;
    }

    /** Whether rules for this class count requests of a kind. */
    boolean covers(RequestKind kind) {
      AppliesTo narrowest =
          switch (kind) {
            case LLM -> LLM;
            case MEMORY_READ -> MEMORY_READ;
            case MEMORY_WRITE -> MEMORY_WRITE;
            case OTHER -> ALL;
          };
      return isAtOrAbove(narrowest);
    }

    private boolean isAtOrAbove(@Nullable AppliesTo part) {
      return part != null && (part == this || isAtOrAbove(part.whole));
    }
  }
}
