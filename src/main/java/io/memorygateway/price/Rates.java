package io.memorygateway.price;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.Maps;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What calls of one size and service tier cost.
 *
 * @param each pico-dollars for each of a kind, of every kind
 * @param read the kinds of input that may have prices of their own, the dearest first
 * @param written those of output
 */
record Rates(Map<Rate, Long> each, List<Rate> read, List<Rate> written) {
  private static Rates of(Map<Rate, Long> each) {
    return new Rates(
        Maps.immutableEnumMap(each),
        dearestFirst(
            each, Rate.CACHE_READ, Rate.CACHE_WRITE5M, Rate.CACHE_WRITE1H, Rate.AUDIO_INPUT),
        dearestFirst(each, Rate.REASONING, Rate.AUDIO_OUTPUT));
  }

  private static List<Rate> dearestFirst(Map<Rate, Long> each, Rate... rates) {
    return Arrays.stream(rates).sorted(Comparator.comparing(each::get).reversed()).toList();
  }

  /**
   * Reads dollars for a million.
   *
   * @param base of the same model, in force where these say nothing and no kind of these stands in
   * @throws IllegalArgumentException that names the key
   */
  static Rates read(JsonNode given, @Nullable Rates base) {
    Map<Rate, Long> each = new EnumMap<>(Rate.class);
    for (Rate rate : Rate.values()) {
      JsonNode written = given.path(rate.wireName());
      Rate standIn = rate.standIn();
      if (!written.isMissingNode()) {
        each.put(rate, read(rate, written));
      } else if (standIn != null) {
        each.put(rate, requireNonNullElse(each.get(standIn), 0L));
      } else if (base != null) {
        each.put(rate, base.of(rate));
      } else if (rate == Rate.REQUEST) {
        each.put(rate, 0L);
      } else {
        throw new IllegalArgumentException(rate.wireName() + " is missing");
      }
    }
    return of(each);
  }

  private static long read(Rate rate, JsonNode written) {
    Optional<Long> each = Optional.empty();
    try {
      if (written.isNumber() || written.isTextual()) {
        each = PicoDollars.each(new BigDecimal(written.asText()));
      }
    } catch (NumberFormatException e) {
      // handled below
    }
    return each.orElseThrow(
        () ->
            new IllegalArgumentException(
                rate.wireName()
                    + " must be dollars for a million tokens, from 0 to 1000000 with at most 6 decimals"));
  }

  long of(Rate rate) {
    return requireNonNullElse(each.get(rate), 0L);
  }

  /**
   * What a call costs, or the most that it can cost. Parts that are more than their whole, which no
   * honest answer has, are counted up to it, the dearest first.
   *
   * @param most whether the tokens are the most that there can be of each kind
   * @throws ArithmeticException if it is more than a long can tell
   */
  long cost(Tokens tokens, boolean most) {
    return Math.addExact(
        of(Rate.REQUEST),
        Math.addExact(
            cost(Rate.INPUT, read, tokens, most), cost(Rate.OUTPUT, written, tokens, most)));
  }

  private long cost(Rate plain, List<Rate> parts, Tokens tokens, boolean most) {
    long left = tokens.of(plain);
    long cost = 0;
    for (Rate part : parts) {
      // At most none of a kind that is cheaper.
      if (!most || of(part) > of(plain)) {
        long count = Math.min(left, tokens.of(part));
        cost = Math.addExact(cost, Math.multiplyExact(count, of(part)));
        left -= count;
      }
    }
    return Math.addExact(cost, Math.multiplyExact(left, of(plain)));
  }

  /** Dollars for a million of each kind; of calls only if they cost something. */
  Map<String, String> shown() {
    Map<String, String> shown = new LinkedHashMap<>();
    for (Rate rate : Rate.values()) {
      if (rate != Rate.REQUEST || of(rate) > 0) {
        shown.put(rate.wireName(), PicoDollars.dollarsPerMillion(of(rate)));
      }
    }
    return shown;
  }
}
