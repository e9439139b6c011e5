package io.memorygateway.budget;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What a call in flight holds of the budgets that cover it. One thread serves the call; what was
 * seen of it, and its end, are read by others.
 */
public final class Hold {
  /**
   * Tokens, and what they cost.
   *
   * @param cost pico-dollars; 0 where it is not known
   */
  public record Seen(long input, long output, long cost) {}

  /**
   * Its part in one window of a budget.
   *
   * @param targets that the budget is of; empty: all
   * @param isEnforced whether it is given no more than the limit leaves
   */
  public record Part(long windowId, BudgetUnit unit, Set<String> targets, boolean isEnforced) {
    public Part {
      targets = Set.copyOf(targets);
    }
  }

  private final long callId;
  private final Instant startedAt;
  private final List<Part> parts;
  private final CompletableFuture<Void> settled = new CompletableFuture<>();
  private final @Nullable Ahead ahead;
  private volatile Seen seen;
  private volatile boolean ended;
  private volatile boolean moving;

  /**
   * A hold that the database has.
   *
   * @param callId random, never used twice
   * @param startedAt the database's time of the hold
   */
  public Hold(long callId, Instant startedAt, List<Part> parts, Seen seen) {
    this(callId, startedAt, parts, seen, null);
  }

  /**
   * A hold.
   *
   * @param ahead what it was taken from; null if the database has it by itself
   */
  Hold(long callId, Instant startedAt, List<Part> parts, Seen seen, @Nullable Ahead ahead) {
    this.callId = callId;
    this.startedAt = startedAt;
    this.parts = List.copyOf(parts);
    this.seen = seen;
    this.ahead = ahead;
  }

  /** The id of its call, which the row of its last attempt has in the request log. */
  public long callId() {
    return callId;
  }

  public Instant startedAt() {
    return startedAt;
  }

  public List<Part> parts() {
    return parts;
  }

  public Seen seen() {
    return seen;
  }

  /** Records what was seen so far: what it is settled at if its node dies. */
  public void saw(Seen more) {
    seen = more;
  }

  /** Records that the call has ended and is about to be settled. */
  public void end() {
    ended = true;
  }

  public boolean isEnded() {
    return ended;
  }

  /** What it was taken from; null if the database has always had it by itself. */
  public @Nullable Ahead ahead() {
    return ahead;
  }

  /** What it has of that; null if it has nothing of it, or the database has it by itself. */
  public Ahead.@Nullable Amount taken() {
    return ahead == null ? null : ahead.of(this);
  }

  /** Records that the database is about to have it by itself: from now on, it may. */
  public void move() {
    moving = true;
  }

  /** Whether the database may have it by itself. */
  public boolean isMoving() {
    return ahead == null || moving;
  }

  /** Records what a call did use that has ended, before that is settled. */
  public void used(long tokens, long cost) {
    if (ahead != null) {
      ahead.ended(this, new Ahead.Amount(tokens, cost));
    }
  }

  public void settle() {
    if (ahead != null) {
      ahead.left(this);
    }
    boolean unused = settled.complete(null);
  }

  /** Completes when the call is settled, or never will be by this node. */
  public CompletableFuture<Void> settled() {
    return settled;
  }

  @Override
  public String toString() {
    return "hold of call " + callId;
  }
}
