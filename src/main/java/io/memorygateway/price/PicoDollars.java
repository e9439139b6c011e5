package io.memorygateway.price;

import java.math.BigDecimal;
import java.util.Optional;

/**
 * Money as integers of a trillionth of a dollar: a dollar for a million tokens is a million each.
 */
public final class PicoDollars {
  /** How many a dollar has, for readers that take no exact ones. */
  public static final double PER_DOLLAR = 1e12;

  /** What calls cost in a region that costs more, in percent. */
  private static final long REGIONAL = 110;

  private static final int DECIMALS = 12;
  private static final int DECIMALS_OF_PRICE = 6;
  private static final BigDecimal HIGHEST_PRICE = BigDecimal.valueOf(1_000_000);

  private PicoDollars() {}

  /** Dollars in decimals, without exponent and without zeros at the end. */
  public static String dollars(long picoDollars) {
    return dollars(BigDecimal.valueOf(picoDollars));
  }

  /** The same for sums of any size. */
  public static String dollars(BigDecimal picoDollars) {
    return text(picoDollars.movePointLeft(DECIMALS));
  }

  /**
   * What a call costs in a region that costs more, rounded up; {@link Long#MAX_VALUE} if that is
   * beyond it.
   */
  public static long regional(long picoDollars) {
    long whole = picoDollars / 100 * REGIONAL + (picoDollars % 100 * REGIONAL + 99) / 100;
    return picoDollars > Long.MAX_VALUE / REGIONAL * 100 ? Long.MAX_VALUE : whole;
  }

  /** Dollars for a million of what costs so many each. */
  static String dollarsPerMillion(long each) {
    return text(BigDecimal.valueOf(each, DECIMALS_OF_PRICE));
  }

  /**
   * What one costs of which a million costs so many dollars; empty if it is no price, or is none
   * that an integer can tell.
   */
  static Optional<Long> each(BigDecimal dollarsPerMillion) {
    return dollarsPerMillion.signum() < 0
            || dollarsPerMillion.compareTo(HIGHEST_PRICE) > 0
            || dollarsPerMillion.stripTrailingZeros().scale() > DECIMALS_OF_PRICE
        ? Optional.empty()
        : Optional.of(dollarsPerMillion.movePointRight(DECIMALS_OF_PRICE).longValueExact());
  }

  private static String text(BigDecimal dollars) {
    return dollars.signum() == 0 ? "0" : dollars.stripTrailingZeros().toPlainString();
  }
}
