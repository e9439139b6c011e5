package io.memorygateway.ratelimit;

import io.memorygateway.auth.Caller;
import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.Decision;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.memorygateway.ratelimit.window.WindowLimiter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/** Callers that ask for more than there is, until told to stop. */
final class Crowd {
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;

  /**
   * Starts asking.
   *
   * @param admitted gets every decision that let a request in, from any thread
   * @param refused gets every other one
   */
  static Crowd of(
      int callers,
      WindowLimiter limiter,
      Caller caller,
      Consumer<Decision> admitted,
      Consumer<Decision> refused) {
    Crowd crowd = new Crowd();
    for (int i = 0; i < callers; i++) {
      Thread thread =
          new Thread(() -> crowd.ask(limiter, caller, admitted, refused), "caller-" + i);
      thread.setDaemon(true);
      crowd.threads.add(thread);
      thread.start();
    }
    return crowd;
  }

  private void ask(
      WindowLimiter limiter,
      Caller caller,
      Consumer<Decision> admitted,
      Consumer<Decision> refused) {
    while (!stopped) {
      Decision decision = Limits.decide(limiter, caller, RequestKind.LLM);
      if (decision.outcome() == Outcome.ALLOWED || decision.outcome() == Outcome.LOCAL) {
        admitted.accept(decision);
      } else {
        if (decision.outcome() == Outcome.LIMITED) {
          refused.accept(decision);
        }
        // Leaves the processor to whoever has something to do.
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  /** The window of a decision, where only one rule is configured. */
  static ToLongFunction<Decision> window() {
    return decision -> decision.shown().resetEpochSecond();
  }

  /** Stops asking; no decision is under way when it returns. */
  void disperse() throws InterruptedException {
    stopped = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
