package io.memorygateway.budget.hold;

import io.memorygateway.budget.Ahead;
import io.memorygateway.budget.Budget;
import io.memorygateway.budget.BudgetOwner;
import io.memorygateway.budget.BudgetSpan.Window;
import io.memorygateway.budget.BudgetUnit;
import io.memorygateway.budget.Charge;
import io.memorygateway.budget.Hold;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a call asks of its budgets in one transaction, and what became of it. */
final class HoldItem {
  /**
   * A budget that covers the call.
   *
   * @param offers of its models
   */
  record Need(Budget budget, long ownerId, List<Demand.Offer> offers) {
    Window window(long millis, ZoneId zone) {
      return budget.span().at(millis, zone);
    }

    /** An offer whose price the budget does not know and has to; null if there is none. */
    Demand.@Nullable Offer unpriced() {
      return budget.unit() != BudgetUnit.USD || budget.allowsUnpriced()
          ? null
          : offers.stream().filter(offer -> offer.price() == null).findFirst().orElse(null);
    }

    boolean refusesUnpriced() {
      return !budget.shadow() && unpriced() != null;
    }

    /** The id of a window's row. */
    long id(Window window) {
      return budget.windowId(ownerId, window);
    }
  }

  /**
   * A budget after the decision.
   *
   * @param others what other calls hold
   * @param reserved for whole answers without a limit, beside that
   */
  record Standing(Need need, Window window, long settled, long others, long reserved) {
    /** What a further call may hold. */
    long left() {
      return need.budget().limit() - settled - others - reserved;
    }

    /** Whether a call with this may come to more than the limit, or to nobody knows what. */
    boolean isOver(Demand demand, long output) {
      BudgetUnit unit = need.budget().unit();
      long most = demand.most(unit, need.offers(), output);
      return most > left() || need.unpriced() != null;
    }
  }

  record Call(Demand demand, Hold hold) {}

  final long callId;
  final Demand demand;
  final List<Need> needs;

  /** How many times as much is to be held, for calls to come; 0: for the call alone. */
  final long copies;

  /** Of a call that is in flight and needs more, or has nothing to settle; null for a new one. */
  final @Nullable Hold before;

  /** Further tokens of output; negative: all is given back. */
  final long more;

  /** What an attempt did use, which is to be held once more for the next one; null for none. */
  final @Nullable Charge again;

  /** A budget of dollars that refuses a new call whose price is not known; null if none does. */
  @Nullable Need unpriced;

  /** What is held; null until it is decided, and if it was refused. */
  @Nullable Hold held;

  /** The output that the call is to be limited to; -1: it goes up as it is. */
  long output = -1;

  long heldOutput;

  /**
   * What the call then holds, by the ids of windows; those that need more, only where it is more.
   */
  final Map<Long, Share> shares = new TreeMap<>();

  /** What is held ahead. */
  Ahead.Amount amount = new Ahead.Amount(0, 0);

  /** Calls that are to have holds of their own. */
  List<Call> movable = List.of();

  /** Those of them that then have nothing any more of what they took from. */
  final List<Hold> own = new ArrayList<>();

  /** Those of them that get one now, and what they take with them. */
  final Map<Call, Ahead.Amount> moved = new HashMap<>();

  /** The budget that refused it; null if none did. */
  @Nullable Standing refusedBy;

  List<Standing> standings = List.of();

  /** How many calls of its keys and projects this node had settled when that was read. */
  long settledBefore;

  /** Whether it was decided by a transaction that is committed. */
  boolean done;

  private HoldItem(
      long callId,
      Demand demand,
      List<Need> needs,
      long copies,
      @Nullable Hold before,
      long more,
      @Nullable Charge again) {
    this.callId = callId;
    this.copies = copies;
    this.demand = demand;
    this.needs = List.copyOf(needs);
    this.before = before;
    this.more = more;
    this.again = again;
  }

  static HoldItem first(long callId, Demand demand, List<Need> needs) {
    return new HoldItem(callId, demand, needs, 0, null, 0, null);
  }

  /** An amount for calls to come that are like one. */
  static HoldItem ahead(long id, Demand call, List<Need> needs, long copies) {
    return new HoldItem(id, call.ofFurther(), needs, copies, null, 0, null);
  }

  /**
   * More for a call in flight.
   *
   * @param held output that is held already
   */
  static HoldItem more(Hold hold, Demand demand, long held, long more) {
    HoldItem item = new HoldItem(hold.callId(), demand, List.of(), 0, hold, more, null);
    item.heldOutput = held;
    return item;
  }

  /** As much as an attempt of a call in flight did use. */
  static HoldItem again(Charge used, Demand demand) {
    Hold hold = used.hold();
    return new HoldItem(hold.callId(), demand, List.of(), 0, hold, 0, used);
  }

  /**
   * A hold of their own for calls that took from an amount held ahead.
   *
   * @param ahead that they took from
   */
  static HoldItem move(Hold ahead, List<Call> calls) {
    HoldItem item = new HoldItem(ahead.callId(), calls.get(0).demand, List.of(), 0, ahead, 0, null);
    item.movable = List.copyOf(calls);
    return item;
  }

  static HoldItem release(Hold hold, Demand demand) {
    return new HoldItem(hold.callId(), demand, List.of(), 0, hold, -1, null);
  }

  /** Forgets a decision that was not committed. */
  void reset() {
    held = null;
    refusedBy = null;
    output = -1;
    shares.clear();
    own.clear();
    moved.clear();
  }

  static long ownerId(Demand demand, Budget budget) {
    return budget.owner() == BudgetOwner.KEY
        ? demand.caller().keyId()
        : demand.caller().projectId();
  }
}
