package io.memorygateway.proxy.call;

import io.memorygateway.budget.hold.OpenHold;
import io.memorygateway.figures.Figures;
import io.memorygateway.price.PicoDollars;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Progress of a call through its attempts. Used by the thread that serves the call. */
final class CallProgress {
  private final long startNanos;
  private final AttemptTrail trail = new AttemptTrail();
  private long failedNanos;
  private int attempts;
  private long cost;
  private @Nullable OpenHold hold;
  private final List<OpenHold.Used> used = new ArrayList<>();
  private boolean estimated;

  /**
   * @param startNanos when it began, of {@link System#nanoTime}
   */
  CallProgress(long startNanos) {
    this.startNanos = startNanos;
  }

  long startNanos() {
    return startNanos;
  }

  AttemptTrail trail() {
    return trail;
  }

  void holds(OpenHold held) {
    hold = held;
  }

  @Nullable OpenHold hold() {
    return hold;
  }

  /** Gives back what is held, unless an attempt has been charged. */
  void giveBack() {
    if (hold != null) {
      hold.close();
    }
  }

  /**
   * Takes what an attempt did use that has ended.
   *
   * @param whole whether that is all; else the rest is counted later
   */
  void used(OpenHold.Used attempt, boolean whole) {
    used.add(attempt);
    estimated |= !whole;
  }

  /** Shows the tightest budget, once the call has ended or while it is in flight. */
  void showBudget(boolean ended, BiConsumer<String, String> header) {
    if (hold != null) {
      hold.show(ended && !estimated ? used : null, header);
    }
  }

  /** Counts an attempt that begins; returns its number, from 1. */
  int nextAttempt() {
    return ++attempts;
  }

  /** Adds the time of a failed attempt that another one follows. */
  void failedFor(long nanos) {
    failedNanos += nanos;
  }

  /** Adds what an attempt cost, in pico-dollars; {@link Figures#UNKNOWN}: nobody knows. */
  void costs(long more) {
    cost = with(more);
  }

  private long with(long more) {
    return cost < 0 || more < 0 ? Figures.UNKNOWN : cost + more;
  }

  /** What all attempts cost that have ended, and this one; null if it is not known of one. */
  @Nullable String dollars(long more) {
    long all = with(more);
    return all < 0 ? null : PicoDollars.dollars(all);
  }

  /** Nanoseconds that failed attempts took, including waits between them. */
  long failedNanos() {
    return failedNanos;
  }
}
