package io.memorygateway.figures;

import io.memorygateway.price.Tokens;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The known figures of a call. Times are in nanoseconds. Tokens are as the upstream counted them
 * or, where it did not, as the gateway did ({@link Counted}), with the same meaning in all formats,
 * though these differ: OpenAI's input includes the cached tokens, Anthropic's excludes both those
 * read from the cache and those written to it. Here they are always included.
 *
 * @param known without those of passes
 * @param serviceTier that the answer tells; null for the ordinary one
 * @param model that the answer names; null if it names none
 * @param isRegional whether the answer tells that it was made in a region that costs more
 * @param passes that the provider made beside the answer, such as a question to another model, each
 *     with what it costs by itself; its model is null if it is that of the answer
 */
public record Figures(
    Map<Figure, Long> known,
    @Nullable String serviceTier,
    @Nullable String model,
    boolean isRegional,
    List<Figures> passes) {
  public static final long UNKNOWN = -1;

  public static final Figures NONE = new Figures(Map.of(), null, null, false, List.of());

  private static final Set<String> ORDINARY_TIERS = Set.of("default", "standard", "auto");
  private static final int MAX_TIER_LENGTH = 32;
  private static final int MAX_MODEL_LENGTH = 255;

  /** These figures with another one; a negative value is an unknown one, which changes nothing. */
  public Figures with(Figure figure, long value) {
    if (value < 0) {
      return this;
    }
    Map<Figure, Long> all = new EnumMap<>(Figure.class);
    all.putAll(known);
    all.put(figure, value);
    return withKnown(all);
  }

  /** These figures with those of a later report where it says more. */
  public Figures with(Figures later) {
    Map<Figure, Long> all = new EnumMap<>(Figure.class);
    all.putAll(known);
    all.putAll(later.known);
    return withKnown(all)
        .withServiceTier(later.serviceTier)
        .withModel(later.model)
        .withRegion(isRegional || later.isRegional)
        .withPasses(later.passes.isEmpty() ? passes : later.passes);
  }

  private Figures withKnown(Map<Figure, Long> all) {
    return new Figures(all, serviceTier, model, isRegional, passes);
  }

  /** These figures of an answer that tells this service tier; null: it tells none. */
  public Figures withServiceTier(@Nullable String tier) {
    return tier == null || tier.length() > MAX_TIER_LENGTH || ORDINARY_TIERS.contains(tier)
        ? this
        : new Figures(known, tier, model, isRegional, passes);
  }

  /** These figures of an answer that names this model; null or empty: it names none. */
  public Figures withModel(@Nullable String name) {
    return name == null || name.isEmpty() || name.length() > MAX_MODEL_LENGTH
        ? this
        : new Figures(known, serviceTier, name, isRegional, passes);
  }

  /** These figures of an answer that was made in such a region, or was not. */
  public Figures withRegion(boolean regional) {
    return new Figures(known, serviceTier, model, regional, passes);
  }

  /** These figures with such passes instead of those that it has. */
  public Figures withPasses(List<Figures> others) {
    return new Figures(known, serviceTier, model, isRegional, List.copyOf(others));
  }

  /** The figures of a pass, which is paid as these are where it says nothing else. */
  public Figures ofPass(Figures pass) {
    return pass.withModel(pass.model == null ? model : pass.model)
        .withServiceTier(pass.serviceTier == null ? serviceTier : pass.serviceTier)
        .withRegion(isRegional);
  }

  /** What was used for the answer itself, and for each pass. */
  public Stream<Figures> eachPass() {
    return Stream.concat(Stream.of(withPasses(List.of())), passes.stream());
  }

  /**
   * These figures of a report; none of them if it has no tokens, neither of the input nor of the
   * output: no answer costs that, and servers that do not count say so.
   */
  public Figures counted() {
    long input = get(Figure.INPUT_TOKENS);
    long output = get(Figure.OUTPUT_TOKENS);
    if (input > 0 || output > 0 || (input < 0 && output < 0)) {
      return this;
    }
    return withKnown(Map.of()).withPasses(List.of());
  }

  /** The tokens by what they cost, without those of passes; those that are not known are none. */
  public Tokens tokens() {
    long hour = count(Figure.CACHE_WRITE_1H);
    return new Tokens(
        count(Figure.INPUT_TOKENS),
        count(Figure.CACHED_INPUT_TOKENS),
        Math.max(count(Figure.CACHE_WRITE) - hour, 0),
        hour,
        count(Figure.AUDIO_INPUT),
        count(Figure.OUTPUT_TOKENS),
        count(Figure.REASONING),
        count(Figure.AUDIO_OUTPUT));
  }

  private long count(Figure figure) {
    return Math.max(own(figure), 0);
  }

  /** The value without those of passes; {@link #UNKNOWN} if it is not known. */
  public long own(Figure figure) {
    return known.getOrDefault(figure, UNKNOWN);
  }

  /** The value with those of passes; {@link #UNKNOWN} if it is not known. */
  public long get(Figure figure) {
    long own = own(figure);
    return own < 0 || figure == Figure.COST
        ? own
        : own + passes.stream().mapToLong(pass -> pass.count(figure)).sum();
  }

  /** The value as it is stored, times in milliseconds; null if it is not known. */
  public @Nullable Long stored(Figure figure) {
    long value = get(figure);
    return value < 0 ? null : figure.isTime() ? TimeUnit.NANOSECONDS.toMillis(value) : value;
  }
}
