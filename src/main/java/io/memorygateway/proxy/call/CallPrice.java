package io.memorygateway.proxy.call;

import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.price.Prices;
import io.memorygateway.proxy.route.Endpoint;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;

/**
 * By what an attempt's tokens are paid.
 *
 * @param model that it is sent to
 * @param time at which it began
 */
record CallPrice(Prices prices, Endpoint endpoint, Prices.Model model, Instant time) {
  private static final Set<Endpoint> FREE =
      EnumSet.of(Endpoint.COUNT_TOKENS, Endpoint.INPUT_TOKENS);

  /** Whether any tokens are known. */
  static boolean isUsed(Figures figures) {
    return Figure.TOKENS.stream().anyMatch(token -> figures.get(token) >= 0);
  }

  /** Whether calls of the endpoint are paid by their tokens. */
  boolean isOfTokens() {
    return endpoint.usesTokens();
  }

  /** Whether the output of calls of the endpoint has tokens. */
  boolean hasOutput() {
    return endpoint != Endpoint.EMBEDDINGS;
  }

  /**
   * The figures with what they cost; unchanged if that is not known.
   *
   * @param complete whether they are those of an answer
   */
  Figures priced(Figures figures, boolean complete) {
    if (complete && FREE.contains(endpoint)) {
      return figures.with(Figure.COST, 0);
    }
    Prices.Price price = isOfTokens() && isUsed(figures) ? prices.find(model, time) : null;
    Long cost = price == null ? null : price.price().cost(figures.tokens(), figures.serviceTier());
    return cost == null ? figures : figures.with(Figure.COST, cost);
  }
}
