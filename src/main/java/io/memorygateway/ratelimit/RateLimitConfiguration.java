package io.memorygateway.ratelimit;

import static java.util.Map.entry;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.dropwizard.util.Duration;
import io.dropwizard.validation.MaxDuration;
import io.dropwizard.validation.MinDuration;
import io.dropwizard.validation.ValidationMethod;
import io.memorygateway.ratelimit.window.AppliesTo;
import io.memorygateway.ratelimit.window.RateLimitRule;
import io.memorygateway.ratelimit.window.StorageFailurePolicy;
import io.memorygateway.ratelimit.window.WindowLimiter;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * {@code rateLimits:} in config.yml (contract §4). Whatever is left out has its default.
 *
 * @param rules by name; given, they replace the five of the specification. A rule with the name of
 *     one of those five takes from it what it leaves out.
 * @param onStorageFailure what happens while the database cannot be reached
 * @param timeout after which a database that says nothing counts as one that cannot be reached; a
 *     request waits for one and a half times as long at most, and is refused with 503 then
 * @param connectTimeout for each attempt to reach the database
 * @param probeInterval between attempts to reach it again
 * @param connections to the database; each decides for its share of the keys
 * @param countAhead whether permits are reserved for keys of which many requests arrive
 */
public record RateLimitConfiguration(
    @Size(max = 16) Map<@NotEmpty @Size(max = 64) String, @NotNull @Valid Rule> rules,
    StorageFailurePolicy onStorageFailure,
    @MinDuration(value = 50, unit = TimeUnit.MILLISECONDS) @MaxDuration(30) Duration timeout,
    @MinDuration(value = 50, unit = TimeUnit.MILLISECONDS) @MaxDuration(30) Duration connectTimeout,
    @MinDuration(value = 50, unit = TimeUnit.MILLISECONDS) @MaxDuration(30) Duration probeInterval,
    @Min(1) @Max(2) Integer connections,
    Boolean countAhead) {

  private static final Map<String, Rule> SPECIFIED = specified();

  public RateLimitConfiguration {
    rules = rules == null ? SPECIFIED : completed(rules);
    onStorageFailure = onStorageFailure == null ? StorageFailurePolicy.LOCAL : onStorageFailure;
    timeout = timeout == null ? Duration.seconds(4) : timeout;
    connectTimeout = connectTimeout == null ? Duration.seconds(2) : connectTimeout;
    probeInterval = probeInterval == null ? Duration.milliseconds(500) : probeInterval;
    connections = connections == null ? Integer.valueOf(1) : connections;
    countAhead = countAhead == null ? Boolean.TRUE : countAhead;
  }

  /** The rules of the specification, and the default of everything else. */
  public static RateLimitConfiguration specifiedDefaults() {
    return new RateLimitConfiguration(
        SPECIFIED,
        StorageFailurePolicy.LOCAL,
        Duration.seconds(4),
        Duration.seconds(2),
        Duration.milliseconds(500),
        1,
        true);
  }

  /** Settings of the shared windows. */
  WindowLimiter.Settings windowSettings() {
    return new WindowLimiter.Settings(
        onStorageFailure,
        timeout.toJavaDuration(),
        connectTimeout.toJavaDuration(),
        probeInterval.toJavaDuration(),
        connections,
        countAhead);
  }

  /** Rules in their configured order; only after validation. */
  public List<RateLimitRule> validRules() {
    return rules.entrySet().stream().map(rule -> rule.getValue().named(rule.getKey())).toList();
  }

  /**
   * A rule as it is written: {@code {appliesTo: llm, limit: 400, window: 10s}}.
   *
   * @param limit requests in a window, at most 10<sup>12</sup>
   * @param window whole seconds, up to a day
   */
  public record Rule(
      @Nullable AppliesTo appliesTo,
      @Min(0) @Max(1_000_000_000_000L) @Nullable Long limit,
      @MinDuration(1) @MaxDuration(value = 1, unit = TimeUnit.DAYS) @Nullable Duration window) {

    @JsonIgnore
    @ValidationMethod(message = "needs appliesTo, limit and window")
    public boolean isComplete() {
      return appliesTo != null && limit != null && window != null;
    }

    @JsonIgnore
    @ValidationMethod(message = "window must be whole seconds")
    public boolean isWindowOfWholeSeconds() {
      return window == null || window.toMilliseconds() % 1000 == 0;
    }

    Rule orElse(Rule other) {
      return new Rule(
          appliesTo == null ? other.appliesTo : appliesTo,
          limit == null ? other.limit : limit,
          window == null ? other.window : window);
    }

    RateLimitRule named(String name) {
      if (appliesTo == null || limit == null || window == null) {
        throw new IllegalStateException("rate limit rule " + name + " is incomplete");
      }
      return new RateLimitRule(name, appliesTo, limit, window.toJavaDuration());
    }
  }

  private static Map<String, Rule> completed(Map<String, Rule> rules) {
    Map<String, Rule> all = new LinkedHashMap<>(rules);
    all.replaceAll(
        (name, rule) -> {
          Rule specified = SPECIFIED.get(name);
          return rule == null || specified == null ? rule : rule.orElse(specified);
        });
    return all;
  }

  private static Map<String, Rule> specified() {
    Map<String, Rule> rules = new LinkedHashMap<>();
    for (Map.Entry<String, Rule> rule :
        List.of(
            entry("global", new Rule(AppliesTo.ALL, 5_000L, Duration.seconds(60))),
            entry("llm_proxy", new Rule(AppliesTo.LLM, 2_000L, Duration.seconds(60))),
            entry("llm_burst", new Rule(AppliesTo.LLM, 400L, Duration.seconds(10))),
            entry("memory_read", new Rule(AppliesTo.MEMORY_READ, 1_200L, Duration.seconds(60))),
            entry("memory_write", new Rule(AppliesTo.MEMORY_WRITE, 600L, Duration.seconds(60))))) {
      rules.put(rule.getKey(), rule.getValue());
    }
    return rules;
  }
}
