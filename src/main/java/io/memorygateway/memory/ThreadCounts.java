package io.memorygateway.memory;

import org.jdbi.v3.core.Handle;

/** Keeps count of threads as they come and go. */
public final class ThreadCounts {
  private ThreadCounts() {}

  /** Counts a thread, or, with -1, counts it no longer. */
  public static void add(
      Handle handle, long projectId, String resourceId, long threadId, int more) {
    ThreadCountDao dao = handle.attach(ThreadCountDao.class);
    long slot = threadId % ThreadCountDao.SLOTS;
    dao.add(projectId, resourceId, slot, more);
    if (more < 0) {
      dao.forgetZero(projectId, resourceId, slot);
    }
  }
}
