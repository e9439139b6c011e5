package io.memorygateway.proxy.route;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.stream.Collectors.joining;

import io.memorygateway.format.translation.Terms;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a provider's entry says of calls in other formats (contract §14).
 *
 * @param translate endpoints that it answers by translation
 * @param maker whose reasoning its models take back; null: the entry's name or, of a provider whose
 *     models have the names of their vendors, that vendor
 * @param maxOutput by a pattern of a model's name, the most tokens of an answer, by the longest
 *     one, of several the first
 * @param maxTokensMember Chat's member of that limit
 * @param reasoning how a target is told how much to reason
 * @param promptCacheKey whether it takes {@code prompt_cache_key}
 */
record TranslationSettings(
    Set<Endpoint> translate,
    @Nullable String maker,
    Map<String, Long> maxOutput,
    String maxTokensMember,
    Terms.Reasoning reasoning,
    boolean promptCacheKey) {

  private static final Set<String> MAX_TOKENS_MEMBERS =
      Set.of("max_tokens", "max_completion_tokens");

  public TranslationSettings {
    for (Endpoint endpoint : translate) {
      checkArgument(
          endpoint.hasMemory(),
          "translate takes %s, not %s",
          Endpoint.CONVERSATIONS.stream().map(Endpoint::configName).collect(joining(", ")),
          endpoint.configName());
    }
    checkArgument(
        MAX_TOKENS_MEMBERS.contains(maxTokensMember),
        "maxTokensMember must be max_tokens or max_completion_tokens");
    if (maxOutput.values().stream().anyMatch(tokens -> tokens < 1)) {
      throw new IllegalArgumentException("maxOutput must be at least 1");
    }
  }

  /** The endpoint that a call of another one is translated for; null if it is not translated. */
  @Nullable Endpoint endpointFor(Endpoint called, Set<Endpoint> served) {
    return !translate.contains(called)
        ? null
        : Endpoint.CONVERSATIONS.stream()
            .filter(other -> other != called && served.contains(other))
            .findFirst()
            .orElse(null);
  }

  /** The most tokens of a model's answer; null if its provider's entry does not say. */
  @Nullable Long maxOutput(String model) {
    Long exact = maxOutput.get(model);
    if (exact != null) {
      return exact;
    }
    return maxOutput.entrySet().stream()
        .filter(entry -> Globs.matches(entry.getKey(), model))
        .max((one, two) -> Integer.compare(one.getKey().length(), two.getKey().length()))
        .map(Map.Entry::getValue)
        .orElse(null);
  }
}
