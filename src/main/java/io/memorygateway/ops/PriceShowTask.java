package io.memorygateway.ops;

import com.google.common.collect.ImmutableMap;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.operator.AdminTask;
import io.memorygateway.operator.Parameter;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.operator.Role;
import io.memorygateway.operator.TaskUsage;
import io.memorygateway.price.Prices;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/** {@code price-show}: what a model costs now, in dollars for a million tokens, and who says so. */
public record PriceShowTask(Prices prices, InstantSource clock) implements AdminTask {
  public static final TaskUsage USAGE =
      TaskUsage.of(
          "price-show",
          "Show what a model costs, in dollars for a million tokens",
          List.of(
              Parameter.positional(
                  "model", "provider/model, or the name that several providers have it by")),
          Role.VIEWER);

  @Override
  public TaskUsage usage() {
    return USAGE;
  }

  @Override
  public Object run(ParameterValues values) {
    String model = values.required("model");
    List<Prices.Price> known = prices.named(model, clock.instant());
    if (known.isEmpty()) {
      throw ApiException.notFound(
          "No price is known of %s, neither in prices of the configuration nor in %s."
              .formatted(model, prices.table().title()));
    }
    return Map.of("prices", known.stream().map(this::shown).toList());
  }

  private Map<String, Object> shown(Prices.Price price) {
    return ImmutableMap.of(
        "model", price.model().canonical(),
        "source", prices.source(price),
        "dollars", price.price());
  }
}
