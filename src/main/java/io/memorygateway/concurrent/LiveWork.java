package io.memorygateway.concurrent;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Work in progress that can be broken off from outside: all of it, and what is begun later. */
public final class LiveWork {
  private final Set<Runnable> live = ConcurrentHashMap.newKeySet();
  private volatile boolean stopped;

  /**
   * Work begins.
   *
   * @param breakOff ends it soon; may be run by any thread, more than once and after its end
   */
  public void begin(Runnable breakOff) {
    live.add(breakOff);
    if (stopped) {
      breakOff.run();
    }
  }

  /** The work that was begun with this has ended. */
  public void end(Runnable breakOff) {
    live.remove(breakOff);
  }

  /** From now on nothing goes on. */
  public void breakOff() {
    stopped = true;
    live.forEach(Runnable::run);
  }
}
