package io.memorygateway.budget;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An amount that a node holds for calls to come, as if it were one call, and hands out to them, so
 * that they need not wait for the database. What a call does not use is handed out again.
 * Thread-safe.
 */
public final class Ahead {
  /**
   * An amount of both units.
   *
   * @param cost in pico-dollars
   */
  public record Amount(long tokens, long cost) {
    /** So many times as much. */
    public Amount times(long factor) {
      return new Amount(tokens * factor, cost * factor);
    }

    public Amount plus(Amount other) {
      return new Amount(tokens + other.tokens, cost + other.cost);
    }

    public Amount minus(Amount other) {
      return new Amount(tokens - other.tokens, cost - other.cost);
    }

    Amount atMost(Amount other) {
      return new Amount(Math.min(tokens, other.tokens), Math.min(cost, other.cost));
    }

    boolean fits(Amount into) {
      return tokens <= into.tokens && cost <= into.cost;
    }

    public long in(BudgetUnit unit) {
      return unit == BudgetUnit.TOKENS ? tokens : cost;
    }
  }

  private final Hold hold;
  private final Amount total;
  private final Map<Hold, Amount> taken = new HashMap<>();
  private Amount free;
  private boolean closed;

  /**
   * Creates one of which nothing is taken.
   *
   * @param hold that the database has of it
   * @param total amount of each of its windows, by their unit
   */
  public Ahead(Hold hold, Amount total) {
    this.hold = hold;
    this.total = total;
    this.free = total;
  }

  public Hold hold() {
    return hold;
  }

  /** What is taken, or was used. */
  public synchronized Amount gone() {
    return total.minus(free);
  }

  /**
   * Takes what a call may use at most.
   *
   * @param callId random, never used twice
   * @param now the database's time, about
   * @return null if less is left
   */
  public synchronized @Nullable Hold take(long callId, Instant now, Amount amount, Hold.Seen seen) {
    if (closed || !amount.fits(free)) {
      return null;
    }
    Hold call = new Hold(callId, now, hold.parts(), seen, this);
    free = free.minus(amount);
    taken.put(call, amount);
    return call;
  }

  /** Takes more for a call; returns false if less is left. */
  public synchronized boolean more(Hold call, Amount amount) {
    Amount had = taken.get(call);
    if (closed || had == null || call.isMoving() || !amount.fits(free)) {
      return false;
    }
    free = free.minus(amount);
    taken.put(call, had.plus(amount));
    return true;
  }

  /** What a call has taken, or did use of that; null once it has none of this any more. */
  synchronized @Nullable Amount of(Hold call) {
    return taken.get(call);
  }

  /** Takes back what a call has left that has ended. */
  synchronized void ended(Hold call, Amount used) {
    Amount had = taken.get(call);
    if (had != null && !call.isMoving()) {
      Amount kept = had.atMost(used);
      free = free.plus(had.minus(kept));
      taken.put(call, kept);
    }
  }

  /** Forgets a call that is settled, or held by itself. */
  public synchronized void left(Hold call) {
    taken.remove(call);
  }

  /** Hands out no more. */
  public synchronized void close() {
    closed = true;
  }

  /** Whether it hands out no more, and all that it did is settled or held by itself. */
  public synchronized boolean isOver() {
    return closed && taken.isEmpty();
  }

  @Override
  public String toString() {
    return "held ahead by " + hold;
  }
}
