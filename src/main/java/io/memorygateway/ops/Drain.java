package io.memorygateway.ops;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Whether this node is on its way out: load balancers are told that it is not ready, everybody else
 * is served as always.
 */
public final class Drain {
  private final AtomicReference<@Nullable Instant> since = new AtomicReference<>();
  private final InstantSource clock;

  public Drain(InstantSource clock) {
    this.clock = clock;
  }

  /** Begins; returns since when, which may be before now. */
  public Instant begin() {
    since.compareAndSet(null, clock.instant());
    Instant begun = since.get();
    return begun == null ? clock.instant() : begun;
  }

  /** The node stays after all. */
  public void end() {
    since.set(null);
  }

  public boolean isOn() {
    return since.get() != null;
  }

  /** Null while it is not draining. */
  public @Nullable Instant since() {
    return since.get();
  }
}
