package io.memorygateway.concurrent;

import java.util.concurrent.ThreadFactory;

/** Factory of threads that do not keep the process alive. */
public final class DaemonThreads {
  private DaemonThreads() {}

  public static ThreadFactory named(String name) {
    return work -> {
      Thread thread = new Thread(work, name);
      thread.setDaemon(true);
      return thread;
    };
  }
}
