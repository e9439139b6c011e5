package io.memorygateway.budget;

import java.util.List;

/**
 * What an attempt of a call that budgets cover did use.
 *
 * @param tokens of input and output, those of passes too
 * @param cost in pico-dollars; 0 if it is not known
 * @param passes that may be of other models
 */
public record Charge(Covered of, long tokens, long cost, List<Pass> passes) {
  /**
   * What a pass beside the answer did use.
   *
   * @param target as {@code provider/model}
   */
  public record Pass(String target, long tokens, long cost) {}

  public Charge {
    passes = List.copyOf(passes);
  }

  /** A charge of a call without passes. */
  public Charge(Covered of, long tokens, long cost) {
    this(of, tokens, cost, List.of());
  }

  public Hold hold() {
    return of.hold();
  }

  /** What it counts in a window. */
  public long in(Hold.Part part) {
    boolean inTokens = part.unit() == BudgetUnit.TOKENS;
    long counted = isOf(part, of.target()) ? inTokens ? tokens : cost : 0;
    for (Pass pass : passes) {
      if (isOf(part, pass.target) != isOf(part, of.target())) {
        long amount = inTokens ? pass.tokens : pass.cost;
        counted += isOf(part, pass.target) ? amount : -amount;
      }
    }
    // Of a call whose whole is not known, a pass may be.
    return Math.max(0, counted);
  }

  private static boolean isOf(Hold.Part part, String target) {
    return part.targets().isEmpty() || part.targets().contains(target);
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
