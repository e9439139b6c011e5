package io.memorygateway.budget.hold;

import io.memorygateway.auth.Caller;
import io.memorygateway.budget.BudgetOwner;
import io.memorygateway.budget.Hold;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLongArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The calls of this node that hold budgets and are not settled yet. Thread-safe. */
final class OpenCalls {
  private static final Logger LOGGER = LoggerFactory.getLogger(OpenCalls.class);

  /** Longest wait of a call, before it is refused, for calls that have ended to be settled. */
  private static final long SETTLED_WITHIN_MILLIS = 2000;

  private static final int COUNTERS = 1024;

  private final Map<Long, OpenHold> calls = new ConcurrentHashMap<>();

  /**
   * How many calls were settled of keys and of projects, some of which share a counter; counted
   * before they are taken out of those in flight.
   */
  private final AtomicLongArray settled = new AtomicLongArray(COUNTERS);

  Collection<OpenHold> all() {
    return calls.values();
  }

  int size() {
    return calls.size();
  }

  void add(OpenHold call) {
    Hold hold = call.hold();
    Caller caller = call.demand().caller();
    calls.put(hold.callId(), call);
    var unused =
        hold.settled()
            .whenComplete(
                (done, failure) -> {
                  settled.incrementAndGet(counter(BudgetOwner.KEY, caller.keyId()));
                  settled.incrementAndGet(counter(BudgetOwner.PROJECT, caller.projectId()));
                  calls.remove(hold.callId());
                });
  }

  private static int counter(BudgetOwner owner, long id) {
    return Math.floorMod(Objects.hash(owner.wireName(), id), COUNTERS);
  }

  /** Notes how many were settled when the windows of a call were locked, to be decided on. */
  void mark(HoldItem item) {
    item.settledBefore = settledFor(item);
  }

  private long settledFor(HoldItem item) {
    return item.needs.stream()
        .mapToLong(need -> settled.get(counter(need.budget().owner(), need.ownerId())))
        .sum();
  }

  /**
   * Waits for calls of this node that have ended and hold what a call was refused for; returns
   * whether there were any, or some were settled since that was decided.
   */
  boolean awaitSettlements(HoldItem refused) {
    List<Long> windows =
        refused.standings.stream().map(each -> each.need().id(each.window())).toList();
    CompletableFuture<?>[] ended =
        calls.values().stream()
            .map(OpenHold::hold)
            .filter(Hold::isEnded)
            .filter(hold -> hold.parts().stream().anyMatch(p -> windows.contains(p.windowId())))
            .map(Hold::settled)
            .toArray(CompletableFuture<?>[]::new);
    if (ended.length == 0) {
      return settledFor(refused) != refused.settledBefore;
    }
    try {
      Object unused =
          CompletableFuture.allOf(ended).get(SETTLED_WITHIN_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOGGER.debug("Calls that have ended are not settled yet", e);
    }
    return true;
  }
}
