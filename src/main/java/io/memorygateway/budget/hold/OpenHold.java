package io.memorygateway.budget.hold;

import io.memorygateway.budget.Ahead;
import io.memorygateway.budget.BudgetUnit;
import io.memorygateway.budget.Charge;
import io.memorygateway.budget.Covered;
import io.memorygateway.budget.Hold;
import io.memorygateway.http.errors.ApiException;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The hold of one call, as the thread that serves the call uses it. */
public final class OpenHold {
  /**
   * What an attempt did use.
   *
   * @param target as {@code provider/model}
   * @param tokens with those of passes, as is the cost
   * @param cost in pico-dollars; 0 if it is not known
   */
  public record Used(String target, long tokens, long cost, List<Charge.Pass> passes) {
    Charge charge(Hold hold) {
      return new Charge(new Covered(hold, target, false), tokens, cost, passes);
    }
  }

  private final Budgets budgets;
  private final Hold hold;
  private final Demand demand;
  private final List<HoldItem.Standing> standings;
  private final long limit;
  private long output;
  private boolean charged;

  /** What the database decided. */
  OpenHold(Budgets budgets, HoldItem item, Hold hold) {
    this(budgets, item.demand, hold, item.standings, item.output, item.heldOutput);
  }

  /** What was taken from an amount held ahead. */
  OpenHold(Budgets budgets, Demand demand, Aheads.Taken taken) {
    this(budgets, demand, taken.hold(), taken.standings(), -1, demand.output());
  }

  private OpenHold(
      Budgets budgets,
      Demand demand,
      Hold hold,
      List<HoldItem.Standing> standings,
      long limit,
      long output) {
    this.budgets = budgets;
    this.hold = hold;
    this.demand = demand;
    this.standings = standings;
    this.limit = limit;
    this.output = output;
  }

  Hold hold() {
    return hold;
  }

  Demand demand() {
    return demand;
  }

  List<HoldItem.Standing> standings() {
    return standings;
  }

  /** The output, of one choice, that the call is to be limited to; -1: it goes up as it is. */
  public long limit() {
    return limit < 0 ? limit : limit / demand.choices();
  }

  /** The output of all choices that is held. */
  public long output() {
    return output;
  }

  /** The tokens of the input, as they were counted or are likely by its bytes. */
  public long input() {
    return demand.likely();
  }

  /** How much more output is asked for at a time. */
  public long step() {
    return budgets.configuration().assumedOutput();
  }

  /**
   * Holds more output.
   *
   * @return false if a budget leaves too little
   */
  public boolean more(long tokens) {
    boolean given = takesMore(tokens) || budgets.more(this, tokens);
    if (given) {
      output += tokens;
    }
    return given;
  }

  /**
   * Holds once more what an attempt did use before another one follows.
   *
   * @return false if a budget leaves too little
   */
  public boolean again(Used used) {
    try {
      return budgets.again(used.charge(hold), demand);
    } catch (ApiException e) {
      return false; // the database cannot be asked, and the call ends as it has failed
    }
  }

  private boolean takesMore(long tokens) {
    Ahead ahead = hold.ahead();
    Ahead.Amount had = demand.most(output);
    Ahead.Amount all = demand.most(output + tokens);
    return ahead != null && had != null && all != null && ahead.more(hold, all.minus(had));
  }

  /** Records what a stream has given so far. */
  public void saw(long outputTokens) {
    hold.saw(demand.seen(outputTokens));
  }

  /**
   * The hold of an attempt that has ended and is about to be charged.
   *
   * @param target as {@code provider/model}
   * @param last whether the call ends with it
   */
  public Covered ended(String target, boolean last) {
    if (last) {
      charged = true;
      hold.end();
    }
    return new Covered(hold, target, last);
  }

  /**
   * Takes how many tokens a target did count of the input.
   *
   * @param target as {@code provider/model}
   */
  public void told(String target, long input) {
    budgets.told(target, demand.caller(), demand.counted(), input);
  }

  /** Gives all back, unless the call was or will be charged. */
  public void close() {
    if (!charged) {
      charged = true;
      budgets.release(this);
    }
  }

  /**
   * Shows the tightest budget.
   *
   * @param used by each of its attempts; null: as much as is held
   * @param header gets the name and value of each header
   */
  public void show(@Nullable List<Used> used, BiConsumer<String, String> header) {
    BudgetHeaders.show(standings, standing -> own(standing, used), header);
  }

  private long own(HoldItem.Standing standing, @Nullable List<Used> used) {
    HoldItem.Need need = standing.need();
    BudgetUnit unit = need.budget().unit();
    if (used == null) {
      return demand.most(unit, need.offers(), output);
    }
    Hold.Part part = new Hold.Part(0, unit, demand.names(need.offers()), true);
    return used.stream().mapToLong(each -> each.charge(hold).in(part)).sum();
  }
}
