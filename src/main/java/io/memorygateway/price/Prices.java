package io.memorygateway.price;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Prices of the models of all providers: those of the configuration, else those of the table. */
public final class Prices {
  /** Longest name that is looked for in the table; callers choose the names. */
  private static final int MAX_NAME = 256;

  private static final int MAX_CACHED = 4096;

  private final PriceTable table;
  private final Map<String, ModelPrice> configured;
  private final Map<String, String> addresses;
  private final Cache<Model, Optional<TableModel>> found =
      Caffeine.newBuilder().maximumSize(MAX_CACHED).build();

  /**
   * Prices for a configuration.
   *
   * @param configured by {@code provider/model}
   * @param addresses base URLs of the providers by their names
   * @throws IllegalArgumentException with a line for the operator, if a price is of no provider
   */
  public Prices(
      PriceTable table, Map<String, ModelPrice> configured, Map<String, String> addresses) {
    check(configured, addresses);
    this.table = table;
    this.configured = Map.copyOf(configured);
    this.addresses = Map.copyOf(addresses);
  }

  private static void check(Map<String, ModelPrice> configured, Map<String, String> addresses) {
    for (String name : configured.keySet()) {
      int slash = name.indexOf('/');
      if (slash < 0 || !addresses.containsKey(name.substring(0, slash))) {
        throw new IllegalArgumentException(
            "prices.%s: the name of a provider and a slash must stand before that of the model; there are %s"
                .formatted(name, String.join(", ", addresses.keySet())));
      }
    }
  }

  /**
   * A model of a provider.
   *
   * @param name as it is sent upstream
   */
  public record Model(String provider, String name) {
    /** As the configuration writes it; some providers get the name whole. */
    public String canonical() {
      return name.startsWith(provider + "/") ? name : provider + "/" + name;
    }
  }

  /**
   * A known price.
   *
   * @param entry of the table; null if the configuration says it
   */
  public record Price(Model model, ModelPrice price, @Nullable TableModel entry) {}

  /** Where a price comes from, for operators. */
  public String source(Price price) {
    TableModel entry = price.entry;
    return entry == null
        ? "config"
        : "%s: %s/%s".formatted(table.title(), entry.seller(), entry.id());
  }

  /** The price of a model for calls that begin at a time; null if it is not known. */
  public @Nullable Price find(Model model, Instant time) {
    ModelPrice own = configured(model);
    if (own != null) {
      return new Price(model, own, null);
    }
    TableModel known = inTable(model);
    ModelPrice price = known == null ? null : known.at(time);
    return price == null ? null : new Price(model, price, known);
  }

  /** The price that the configuration says, by the name that goes up or by the one it is called. */
  private @Nullable ModelPrice configured(Model model) {
    ModelPrice whole = configured.get(model.provider + "/" + model.name);
    return whole != null ? whole : configured.get(model.canonical());
  }

  private @Nullable TableModel inTable(Model model) {
    return model.name.length() > MAX_NAME
        ? null
        : found.get(model, asked -> Optional.ofNullable(lookUp(asked))).orElse(null);
  }

  private @Nullable TableModel lookUp(Model asked) {
    String address = addresses.get(asked.provider);
    TableModel whole = table.find(asked.provider, address, asked.name);
    String prefix = asked.provider + "/";
    return whole == null && asked.name.startsWith(prefix)
        ? table.find(asked.provider, address, asked.name.substring(prefix.length()))
        : whole;
  }

  /**
   * The model whose price an answer has: the one that it names, if that has a price and is not what
   * was asked for by another name, such as one with a date. What the configuration says of a model
   * counts for all that answers in its place.
   *
   * @param asked the model that was asked for, and those that the provider may take for it
   * @param answered name in the answer; null if there is none
   * @return null if it may be any of several
   */
  public @Nullable Model answering(List<Model> asked, @Nullable String answered, Instant time) {
    Model first = asked.get(0);
    Model unknown = asked.size() == 1 ? first : null;
    if (answered == null) {
      return unknown;
    }
    if (answered.equals(first.name)) {
      return first;
    }
    Model named = new Model(first.provider, answered);
    for (Model each : asked) {
      if (each.canonical().equals(named.canonical())) {
        return each;
      }
    }
    if (configured(named) != null) {
      return named;
    }
    TableModel known = inTable(named);
    if (known == null || known.at(time) == null) {
      return unknown;
    }
    for (Model each : asked) {
      TableModel same = inTable(each);
      if (same != null && same.isSame(known)) {
        return each;
      }
    }
    return configured(first) != null ? first : named;
  }

  /**
   * The prices that a name can mean that an operator gives: of the provider that it begins with,
   * else of all providers that have a model of this name.
   */
  public List<Price> named(String name, Instant time) {
    int slash = name.indexOf('/');
    String provider = slash < 0 ? "" : name.substring(0, slash);
    boolean named = addresses.containsKey(provider);
    Stream<Model> meant =
        named
            ? Stream.of(new Model(provider, name.substring(slash + 1)), new Model(provider, name))
            : addresses.keySet().stream().sorted().map(each -> new Model(each, name));
    return meant
        .map(model -> find(model, time))
        .filter(Objects::nonNull)
        .limit(named ? 1 : Long.MAX_VALUE)
        .toList();
  }

  public PriceTable table() {
    return table;
  }
}
