package io.memorygateway.ratelimit.window;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Rule sets that nobody has thought of, the same for the same seed. */
final class RandomRules {
  private static final List<Integer> SECONDS = List.of(1, 2, 7, 10, 60, 3_600, 86_400);

  private static final List<AppliesTo> APPLIES_TO = List.of(AppliesTo.values());

  private RandomRules() {}

  static RuleSet from(Random random) {
    int size = 1 + random.nextInt(7);
    return new RuleSet(
        IntStream.range(0, size)
            .mapToObj(
                i ->
                    new RateLimitRule(
                        "rule_" + i,
                        APPLIES_TO.get(random.nextInt(APPLIES_TO.size())),
                        random.nextInt(30),
                        Duration.ofSeconds(SECONDS.get(random.nextInt(SECONDS.size())))))
            .toList());
  }

  /** Limits around those of the rules, as overrides and changes at run time make them. */
  static long[] limits(Random random, RuleSet rules) {
    return random.nextInt(3) > 0 ? rules.limits() : random.longs(rules.size(), 0, 40).toArray();
  }

  /** A kind of request that at least one rule applies to; null if there is none. */
  static RequestKind kind(Random random, RuleSet rules) {
    List<RequestKind> counted =
        List.of(RequestKind.values()).stream().filter(k -> rules.applicable(k).length > 0).toList();
    return counted.get(random.nextInt(counted.size()));
  }
}
