package io.memorygateway.concurrent;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Register of work in progress, all of which can be interrupted from outside. */
public final class LiveWork {
  private final Set<Runnable> live = ConcurrentHashMap.newKeySet();
  private volatile boolean stopped;

  /**
   * Registers work that begins; interrupts it immediately if {@link #interruptAll} was called
   * before.
   *
   * @param interrupt ends it soon; may be run by any thread, more than once and after its end
   */
  public void begin(Runnable interrupt) {
    live.add(interrupt);
    if (stopped) {
      interrupt.run();
    }
  }

  public void end(Runnable interrupt) {
    live.remove(interrupt);
  }

  /** Interrupts all work, including work that begins later. */
  public void interruptAll() {
    stopped = true;
    live.forEach(Runnable::run);
  }
}
