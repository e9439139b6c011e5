package io.memorygateway.budget;

/**
 * What an attempt of a call that budgets cover did use.
 *
 * @param tokens of input and output
 * @param cost in pico-dollars; 0 if it is not known
 */
public record Charge(Covered of, long tokens, long cost) {
  /** What the call holds. */
  public Hold hold() {
    return of.hold();
  }

  /** What it counts in a window. */
  public long in(Hold.Part part) {
    if (!part.targets().isEmpty() && !part.targets().contains(of.target())) {
      return 0;
    }
    return part.unit() == BudgetUnit.TOKENS ? tokens : cost;
  }

  /** Records it with the hold of a call that ends with it, before it is settled. */
  public void counted() {
    if (of.last()) {
      of.hold().used(tokens, cost);
    }
  }

  /** A call that did use nothing. */
  public static Charge none(Hold hold) {
    return new Charge(new Covered(hold, "", true), 0, 0);
  }
}
