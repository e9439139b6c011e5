package io.memorygateway.proxy.call;

import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.price.PicoDollars;
import io.memorygateway.price.Prices;
import io.memorygateway.proxy.route.Endpoint;
import io.memorygateway.proxy.route.Target;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * By what an attempt's tokens are paid.
 *
 * @param asked the model that it is sent to, and those that the provider may take for it
 * @param time at which it began
 */
record CallPrice(Prices prices, Endpoint endpoint, List<Prices.Model> asked, Instant time) {
  private static final Set<Endpoint> FREE =
      EnumSet.of(Endpoint.COUNT_TOKENS, Endpoint.INPUT_TOKENS);

  static CallPrice of(Prices prices, ProxyCall call, Target target, Instant time) {
    return new CallPrice(
        prices, call.endpoint(), asked(target, call.endpoint(), call.body()), time);
  }

  /** The models that a target may answer a call with. */
  static List<Prices.Model> asked(Target target, Endpoint endpoint, RequestBody body) {
    // Of a translated call the model alone is sent.
    List<String> more = target.provider().serves(endpoint) ? body.sentModels() : List.of();
    if (more.isEmpty()) {
      return List.of(new Prices.Model(target.provider().name(), target.model()));
    }
    return Stream.concat(Stream.of(target.model()), more.stream())
        .distinct()
        .map(name -> new Prices.Model(target.provider().name(), name))
        .toList();
  }

  /**
   * The one of the models asked for that answered, by what the answer tells, as {@code
   * provider/model}; the first if it was none of them.
   */
  String target(Figures told) {
    Prices.Model answering = prices.answering(asked, told.model(), time);
    return (answering != null && asked.contains(answering) ? answering : asked.get(0)).canonical();
  }

  static boolean isUsed(Figures figures) {
    return Figure.TOKENS.stream().anyMatch(token -> figures.get(token) >= 0);
  }

  /** Whether calls of the endpoint are paid by their tokens. */
  boolean isOfTokens() {
    return endpoint.usesTokens();
  }

  boolean hasOutput() {
    return endpoint != Endpoint.EMBEDDINGS;
  }

  /**
   * The figures with what they cost, unless that is not known, and passes by the names of their
   * targets.
   *
   * @param complete whether they are those of an answer
   */
  Figures priced(Figures figures, boolean complete) {
    if (complete && FREE.contains(endpoint)) {
      return figures.with(Figure.COST, 0);
    }
    if (!isOfTokens() || !isUsed(figures)) {
      return figures;
    }
    List<Figures> passes =
        figures.passes().stream()
            .map(figures::ofPass)
            .map(pass -> withCost(pass).withModel(target(pass)))
            .toList();
    Figures priced = withCost(figures.withPasses(passes));
    long cost =
        priced.eachPass().mapToLong(each -> each.get(Figure.COST)).reduce(0, CallPrice::sum);
    return cost < 0 ? figures.withPasses(passes) : priced.with(Figure.COST, cost);
  }

  private static long sum(long some, long more) {
    return some < 0 || more < 0 ? Figures.UNKNOWN : some + more;
  }

  private Figures withCost(Figures figures) {
    Prices.Model answering = prices.answering(asked, figures.model(), time);
    // Whichever of several it was, it cost no more than the dearest.
    return (answering == null ? asked : List.of(answering))
        .stream()
            .map(model -> cost(model, figures))
            .filter(Objects::nonNull)
            .max(Comparator.naturalOrder())
            .map(cost -> figures.with(Figure.COST, cost))
            .orElse(figures);
  }

  private @Nullable Long cost(Prices.Model model, Figures figures) {
    Prices.Price price = prices.find(model, time);
    if (price == null || !price.price().has(figures.serviceTier())) {
      return null;
    }
    Long cost = price.price().cost(figures.tokens(), figures.serviceTier());
    return cost != null && figures.isRegional() ? (Long) PicoDollars.regional(cost) : cost;
  }
}
