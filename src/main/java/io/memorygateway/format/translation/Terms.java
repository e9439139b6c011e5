package io.memorygateway.format.translation;

import io.memorygateway.format.call.UpstreamModel;
import org.jspecify.annotations.Nullable;

/**
 * What a target takes, by its provider's settings.
 *
 * @param model with the name that goes upstream
 * @param maker whose reasoning the target takes back
 * @param maxOutput tokens that are asked for where the format demands a limit and the caller gives
 *     none
 * @param maxTokensMember Chat's member of that limit: {@code max_tokens} or {@code
 *     max_completion_tokens}
 * @param budgets whether a Messages target is told a budget of reasoning and not an effort
 * @param cacheKey sent as {@code prompt_cache_key} where the caller gives none: its thread's id;
 *     null to send none, empty before a key is made of what the prompt begins with
 */
public record Terms(
    UpstreamModel model,
    String maker,
    long maxOutput,
    String maxTokensMember,
    boolean budgets,
    @Nullable String cacheKey) {

  /** The same terms with this key. */
  Terms withCacheKey(String key) {
    return new Terms(model, maker, maxOutput, maxTokensMember, budgets, key);
  }
}
