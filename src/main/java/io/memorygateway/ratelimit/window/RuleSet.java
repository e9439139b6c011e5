package io.memorygateway.ratelimit.window;

import io.memorygateway.http.api.RequestKind;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The configured rules, each identified by its index here: counters, limits and window starts are
 * arrays in this order throughout the package.
 */
final class RuleSet {
  private final List<RateLimitRule> rules;
  private final long[] limits;
  private final long[] windowMillis;
  private final int[][] applicable;

  RuleSet(List<RateLimitRule> rules) {
    this.rules = List.copyOf(rules);
    this.limits = rules.stream().mapToLong(RateLimitRule::limit).toArray();
    this.windowMillis = rules.stream().mapToLong(rule -> rule.window().toMillis()).toArray();
    this.applicable =
        Arrays.stream(RequestKind.values())
            .map(
                kind ->
                    IntStream.range(0, rules.size())
                        .filter(i -> rules.get(i).appliesTo().covers(kind))
                        .toArray())
            .toArray(int[][]::new);
  }

  int size() {
    return rules.size();
  }

  RateLimitRule rule(int index) {
    return rules.get(index);
  }

  /** Indexes of the rules that a request of this kind must pass; not to be changed. */
  int[] applicable(RequestKind kind) {
    return applicable[kind.index()];
  }

  /** How many of so many requests each rule counts; {@code requests} by kind. */
  long[] counted(int[] requests) {
    long[] counted = new long[size()];
    for (RequestKind kind : RequestKind.values()) {
      for (int i : applicable(kind)) {
        counted[i] += requests[kind.index()];
      }
    }
    return counted;
  }

  /** The rules that a request of this kind must pass, a bit each. */
  int bits(RequestKind kind) {
    return Arrays.stream(applicable(kind)).map(i -> 1 << i).sum();
  }

  long windowMillis(int index) {
    return windowMillis[index];
  }

  /** Start of this rule's window that contains {@code now}, milliseconds since the epoch. */
  long windowStart(int index, long now) {
    return now - Math.floorMod(now, windowMillis[index]);
  }

  /** The configured limits by rule, without overrides; not to be changed. */
  long[] limits() {
    return limits;
  }

  /** The limits of a key by rule; not to be changed. */
  long[] limits(Map<String, Long> overrides) {
    if (overrides.isEmpty()) {
      return limits;
    }
    long[] own = Arrays.copyOf(limits, limits.length);
    for (int i = 0; i < own.length; i++) {
      Long override = overrides.get(rules.get(i).name());
      if (override != null) {
        own[i] = Math.max(0, override);
      }
    }
    return own;
  }
}
