package io.memorygateway.price;

import static com.google.common.base.Preconditions.checkArgument;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a model costs: an entry of {@code prices:} in config.yml, where the keys are explained, or
 * of the table of the jar, which is written alike.
 *
 * @param rates of calls whose input is in no tier
 * @param tiers by the number of tokens that all input of a call is more than; for the whole call
 * @param serviceTiers by the name that answers tell; where the answer's has no price, these do
 */
public record ModelPrice(
    Rates rates, NavigableMap<Long, Rates> tiers, Map<String, ModelPrice> serviceTiers) {
  private static final String ABOVE = "above";
  private static final String TIERS = "tiers";
  private static final String SERVICE_TIERS = "serviceTiers";

  /** The one that always costs more than the usual price. */
  private static final String FAST = "fast";

  private static final Set<String> KNOWN_SERVICE_TIERS = Set.of("flex", "priority", FAST);

  public ModelPrice {
    serviceTiers = Map.copyOf(serviceTiers);
  }

  /**
   * Reads dollars for a million tokens.
   *
   * @throws IllegalArgumentException that names the key, if there is a mistake
   */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  static ModelPrice read(JsonNode given) {
    checkKeys(given, Set.of(TIERS, SERVICE_TIERS));
    Rates rates = Rates.read(given, null);
    Map<String, ModelPrice> services = new LinkedHashMap<>();
    JsonNode written = given.path(SERVICE_TIERS);
    checkArgument(
        written.isMissingNode() || written.isObject(),
        "serviceTiers must be a map such as {flex: {input: 1}}");
    written
        .properties()
        .forEach(
            service -> {
              if (!KNOWN_SERVICE_TIERS.contains(service.getKey())) {
                throw new IllegalArgumentException(
                    "serviceTiers: there is no "
                        + service.getKey()
                        + "; there are fast, flex, priority");
              }
              checkKeys(service.getValue(), Set.of(TIERS));
              Rates its = Rates.read(service.getValue(), rates);
              services.put(
                  service.getKey(), new ModelPrice(its, tiers(service.getValue(), its), Map.of()));
            });
    return new ModelPrice(rates, tiers(given, rates), services);
  }

  private static NavigableMap<Long, Rates> tiers(JsonNode given, Rates base) {
    NavigableMap<Long, Rates> tiers = new TreeMap<>();
    JsonNode written = given.path(TIERS);
    checkArgument(
        written.isMissingNode() || written.isArray(),
        "tiers must be a list such as [{above: 200000, input: 6}]");
    for (JsonNode tier : written) {
      checkKeys(tier, Set.of(ABOVE));
      JsonNode above = tier.path(ABOVE);
      checkArgument(
          above.canConvertToExactIntegral() && above.longValue() >= 1,
          "tiers: above must be a positive number of tokens");
      if (tiers.put(above.longValue(), Rates.read(tier, base)) != null) {
        throw new IllegalArgumentException("tiers: above is the same in two of them");
      }
    }
    return tiers;
  }

  private static void checkKeys(JsonNode given, Set<String> more) {
    checkArgument(given.isObject(), "a price must be a map such as {input: 3, output: 15}");
    given
        .fieldNames()
        .forEachRemaining(
            name -> {
              if (!more.contains(name) && !Rate.WIRE_NAMES.contains(name)) {
                throw new IllegalArgumentException(
                    "a price has no key %s; there are %s, %s"
                        .formatted(
                            name,
                            String.join(", ", Rate.WIRE_NAMES),
                            String.join(", ", more.stream().sorted().toList())));
              }
            });
  }

  /** Whether calls of a service tier have a price here, if only the usual; null: no tier. */
  public boolean has(@Nullable String serviceTier) {
    return !FAST.equals(serviceTier) || serviceTiers.containsKey(FAST);
  }

  /**
   * What a call costs, in pico-dollars.
   *
   * @param serviceTier of the answer; null if it tells none
   * @return null if it is more than nine million dollars: no answer tells so many tokens in earnest
   */
  public @Nullable Long cost(Tokens tokens, @Nullable String serviceTier) {
    ModelPrice price = serviceTier == null ? this : serviceTiers.getOrDefault(serviceTier, this);
    Map.Entry<Long, Rates> tier = price.tiers.lowerEntry(tokens.input());
    return exact(tier == null ? price.rates : tier.getValue(), tokens, false);
  }

  /**
   * The most that a call can cost, in pico-dollars, in any tier that so many tokens can reach.
   *
   * @param most tokens at most, in all and of each kind
   * @param serviceTier that is asked for, which the answer may grant or not; null if none is
   * @return null if it is more than nine million dollars
   */
  public @Nullable Long dearest(Tokens most, @Nullable String serviceTier) {
    List<Rates> possible = new ArrayList<>(reached(most));
    ModelPrice granted = serviceTier == null ? null : serviceTiers.get(serviceTier);
    if (granted != null) {
      possible.addAll(granted.reached(most));
    }
    long dearest = 0;
    for (Rates each : possible) {
      Long cost = exact(each, most, true);
      if (cost == null) {
        return null;
      }
      dearest = Math.max(dearest, cost);
    }
    return dearest;
  }

  private List<Rates> reached(Tokens most) {
    List<Rates> reached = new ArrayList<>(tiers.headMap(most.input()).values());
    reached.add(rates);
    return reached;
  }

  private static @Nullable Long exact(Rates rates, Tokens tokens, boolean most) {
    try {
      return rates.cost(tokens, most);
    } catch (ArithmeticException e) {
      return null;
    }
  }

  /** For calls whose service tiers have no prices of their own. */
  ModelPrice withoutServiceTiers() {
    return new ModelPrice(rates, tiers, Map.of());
  }

  /** Every price as it is in force, in dollars for a million tokens. */
  @JsonValue
  public Map<String, Object> shown() {
    Map<String, Object> shown = new LinkedHashMap<>(rates.shown());
    List<Map<String, Object>> shownTiers = new ArrayList<>();
    tiers.forEach(
        (above, each) -> {
          Map<String, Object> tier = new LinkedHashMap<>(Map.of(ABOVE, above));
          tier.putAll(each.shown());
          shownTiers.add(tier);
        });
    if (!shownTiers.isEmpty()) {
      shown.put(TIERS, shownTiers);
    }
    if (!serviceTiers.isEmpty()) {
      shown.put(SERVICE_TIERS, new TreeMap<>(serviceTiers));
    }
    return shown;
  }
}
