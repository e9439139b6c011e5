package io.memorygateway.ops;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * State of draining this node: while it drains, load balancers are told that it is not ready, and
 * all other clients are served as always.
 */
public final class Drain {
  private final AtomicReference<@Nullable Instant> since = new AtomicReference<>();
  private final InstantSource clock;

  public Drain(InstantSource clock) {
    this.clock = clock;
  }

  /** Begins to drain; returns since when, which may be before now. */
  public Instant begin() {
    since.compareAndSet(null, clock.instant());
    Instant begun = since.get();
    return begun == null ? clock.instant() : begun;
  }

  /** Ends draining; the node stays. */
  public void end() {
    since.set(null);
  }

  public boolean isOn() {
    return since.get() != null;
  }

  /** Time at which draining began; null while the node is not draining. */
  public @Nullable Instant since() {
    return since.get();
  }
}
