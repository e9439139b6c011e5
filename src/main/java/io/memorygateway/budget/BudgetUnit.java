package io.memorygateway.budget;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.memorygateway.price.PicoDollars;
import java.math.BigDecimal;
import java.util.Locale;

/** What a budget counts. Amounts are integers: of tokens, or of pico-dollars. */
public enum BudgetUnit {
  TOKENS(0, BigDecimal.valueOf(1_000_000_000_000_000L)),
  USD(12, BigDecimal.valueOf(9_000_000));

  private final int decimals;
  private final BigDecimal most;

  BudgetUnit(int decimals, BigDecimal most) {
    this.decimals = decimals;
    this.most = most;
  }

  /**
   * Reads a name.
   *
   * @throws IllegalArgumentException with a message for the operator
   */
  @JsonCreator
  public static BudgetUnit of(String name) {
    for (BudgetUnit unit : values()) {
      if (unit.wireName().equals(name)) {
        return unit;
      }
    }
    throw new IllegalArgumentException("unit must be tokens or usd");
  }

  @JsonValue
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The amount of a limit.
   *
   * @param limit in tokens, or in dollars
   * @throws IllegalArgumentException with a message for the operator
   */
  long amount(BigDecimal limit) {
    boolean whole = limit.stripTrailingZeros().scale() <= decimals;
    if (limit.signum() < 0 || limit.compareTo(most) > 0 || !whole) {
      throw new IllegalArgumentException(
          "limit must be %s from 0 to %s"
              .formatted(
                  this == TOKENS ? "a whole number" : "dollars with at most 12 decimals,",
                  most.toPlainString()));
    }
    return limit.movePointRight(decimals).longValueExact();
  }

  /** A limit and what is added to it, as far as a limit may go. */
  long most(long limit, long more) {
    long greatest = amount(most);
    return limit > greatest - more ? greatest : limit + more;
  }

  /** An amount in JSON: a number of tokens, or a text of decimal dollars. */
  public Object shown(long amount) {
    return this == TOKENS ? (Object) amount : PicoDollars.dollars(amount);
  }

  /** An amount in a sentence or a header: without its unit. */
  public String text(long amount) {
    return shown(amount).toString();
  }
}
