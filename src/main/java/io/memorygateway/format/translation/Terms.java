package io.memorygateway.format.translation;

import static java.util.Objects.requireNonNullElse;

import io.memorygateway.format.call.UpstreamModel;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a target takes, by its provider's settings.
 *
 * @param model with the name that goes upstream
 * @param maker whose reasoning the target takes back
 * @param maxOutput the most tokens of an answer, which are asked for where the format demands a
 *     limit and the caller gives none; null if that is not known
 * @param maxTokensMember Chat's member of that limit: {@code max_tokens} or {@code
 *     max_completion_tokens}
 * @param refused efforts that the target does not know, with what it is told in the place of each;
 *     empty for nothing
 * @param unsampled what it does not take of how tokens are chosen
 * @param cacheKey sent as {@code prompt_cache_key} where the caller gives none: its thread's id,
 *     shortened; null to send none, empty before a key is made of what the prompt begins with
 * @param remembered whether the call is one of a thread, and what it begins with comes again
 */
public record Terms(
    UpstreamModel model,
    String maker,
    @Nullable Long maxOutput,
    String maxTokensMember,
    Reasoning reasoning,
    Map<Effort, Optional<Effort>> refused,
    Set<Sampling> unsampled,
    @Nullable String cacheKey,
    boolean remembered) {
  /** How a target is told how much to reason. */
  public enum Reasoning {
    EFFORT,
    /** By tokens, where its format is Messages. */
    BUDGET,
    /** Not at all: it would refuse that. */
    NONE
  }

  private static final long DEFAULT_MAX_OUTPUT = 8192;

  /** OpenAI's models, which are named by their version. */
  private static final String OPENAI = "gpt-";

  /** The version from which on they take marks of cached prefixes. */
  private static final long MARKS_SINCE = 5_006;

  /** The terms of a call without memory. */
  public Terms(
      UpstreamModel model,
      String maker,
      long maxOutput,
      String maxTokensMember,
      boolean budgets,
      @Nullable String cacheKey) {
    this(
        model,
        maker,
        maxOutput,
        maxTokensMember,
        budgets ? Reasoning.BUDGET : Reasoning.EFFORT,
        Map.of(),
        Set.of(),
        cacheKey,
        false);
  }

  /** The tokens that are asked for where the format demands a limit. */
  public long output(@Nullable Long asked) {
    return asked == null ? requireNonNullElse(maxOutput, DEFAULT_MAX_OUTPUT) : Math.max(1, asked);
  }

  Terms withCacheKey(String key) {
    return new Terms(
        model, maker, maxOutput, maxTokensMember, reasoning, refused, unsampled, key, remembered);
  }

  public Terms with(UpstreamModel other) {
    return new Terms(
        other,
        maker,
        maxOutput,
        maxTokensMember,
        reasoning,
        refused,
        unsampled,
        cacheKey,
        remembered);
  }

  /**
   * The same terms of a target that takes no more output.
   *
   * @param most null if that is not known
   */
  public Terms withMostOutput(@Nullable Long most) {
    Long least = most == null || (maxOutput != null && maxOutput < most) ? maxOutput : most;
    return new Terms(
        model, maker, least, maxTokensMember, reasoning, refused, unsampled, cacheKey, remembered);
  }

  /** The same terms of a target that does not know these efforts, nor take this sampling. */
  public Terms withRefused(Map<Effort, Optional<Effort>> efforts, Set<Sampling> sampling) {
    return new Terms(
        model,
        maker,
        maxOutput,
        maxTokensMember,
        reasoning,
        efforts,
        sampling,
        cacheKey,
        remembered);
  }

  /** Whether the model takes explicit marks of where a cached prefix ends, in OpenAI's formats. */
  public boolean takesBreakpoints() {
    String name = model.name().substring(model.name().lastIndexOf('/') + 1);
    if (!name.startsWith(OPENAI)) {
      return false;
    }
    int major = digits(name, OPENAI.length());
    boolean more = major < name.length() && name.charAt(major) == '.';
    int minor = more ? digits(name, major + 1) : major;
    return number(name, OPENAI.length(), major) * 1_000 + number(name, major + 1, minor)
        >= MARKS_SINCE;
  }

  /** The end of the digits from an index on, of which three count. */
  private static int digits(String name, int from) {
    int at = from;
    while (at < Math.min(from + 3, name.length())
        && name.charAt(at) >= '0'
        && name.charAt(at) <= '9') {
      at++;
    }
    return at;
  }

  private static long number(String name, int from, int to) {
    return from < to ? Long.parseLong(name.substring(from, to)) : 0;
  }
}
