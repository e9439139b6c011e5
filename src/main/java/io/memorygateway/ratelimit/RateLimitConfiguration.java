package io.memorygateway.ratelimit;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import io.dropwizard.util.Duration;
import io.dropwizard.validation.MaxDuration;
import io.dropwizard.validation.MinDuration;
import io.dropwizard.validation.ValidationMethod;
import io.memorygateway.ratelimit.window.RateLimitRule;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
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
 * {@code rateLimits:} in config.yml (contract §4). Every key has a default.
 *
 * @param rules by name; they replace the five default rules. A rule with the name of a default rule
 *     inherits the values that it omits.
 * @param onStorageFailure what happens while the database cannot be reached
 * @param timeout of an answer, after which the database counts as unreachable; a request waits for
 *     one and a half times as long at most, and is refused with 503 then
 * @param countAhead whether permits are reserved for keys in use
 */
public record RateLimitConfiguration(
    @Size(max = 16) Map<@NotEmpty @Size(max = 64) String, @NotNull @Valid Rule> rules,
    StorageFailurePolicy onStorageFailure,
    @MinDuration(value = 50, unit = TimeUnit.MILLISECONDS) @MaxDuration(30) Duration timeout,
    boolean countAhead) {

  private static final Map<String, Rule> SPECIFIED = specified();

  public RateLimitConfiguration {
    rules = completed(rules);
  }

  @JsonCreator
  static RateLimitConfiguration read(
      @Nullable Map<String, Rule> rules,
      @Nullable StorageFailurePolicy onStorageFailure,
      @Nullable Duration timeout,
      @Nullable Boolean countAhead) {
    return new RateLimitConfiguration(
        requireNonNullElse(rules, SPECIFIED),
        requireNonNullElse(onStorageFailure, StorageFailurePolicy.LOCAL),
        requireNonNullElse(timeout, Duration.seconds(4)),
        requireNonNullElse(countAhead, true));
  }

  /** The default rules of the contract, and the defaults of all other keys. */
  public static RateLimitConfiguration defaults() {
    return read(null, null, null, null);
  }

  WindowLimiter.Settings windowSettings() {
    return new WindowLimiter.Settings(onStorageFailure, timeout.toJavaDuration(), countAhead);
  }

  /** Rules in their configured order; only after validation. */
  public List<RateLimitRule> validRules() {
    return rules.entrySet().stream().map(rule -> rule.getValue().named(rule.getKey())).toList();
  }

  /**
   * A configured rule: {@code {appliesTo: llm, limit: 400, window: 10s}}.
   *
   * @param limit requests in a window, at most 10<sup>12</sup>
   * @param window whole seconds, up to a day
   */
  public record Rule(
      @Nullable AppliesTo appliesTo,
      @Min(value = 1, message = "must be at least 1: with 0 every request would be refused")
          @Max(1_000_000_000_000L)
          @Nullable Long limit,
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
    for (RateLimitRule rule : RateLimitRule.defaults()) {
      Duration window = Duration.seconds(rule.window().toSeconds());
      rules.put(rule.name(), new Rule(rule.appliesTo(), rule.limit(), window));
    }
    return rules;
  }
}
