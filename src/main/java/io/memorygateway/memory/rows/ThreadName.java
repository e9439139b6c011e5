package io.memorygateway.memory.rows;

import io.memorygateway.auth.Caller;

/** Name of a thread: its id as clients know it, within its project. */
public record ThreadName(long projectId, String threadId) {
  /** Heap bytes of an entry of a cache, besides the characters of its key and its value. */
  private static final int ENTRY_WEIGHT = 300;

  public static ThreadName of(Caller caller, String threadId) {
    return new ThreadName(caller.projectId(), threadId);
  }

  /** Approximate heap bytes of this key of a cache, and of an entry without its value. */
  public int weight() {
    return ENTRY_WEIGHT + 2 * threadId.length();
  }
}
