package io.memorygateway.memory.rows;

import org.jdbi.v3.core.Handle;

/** Maintains the counts of threads. */
public final class ThreadCounts {
  private ThreadCounts() {}

  /** Changes the counts: by 1 for a new thread, by -1 for a deleted one. */
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
