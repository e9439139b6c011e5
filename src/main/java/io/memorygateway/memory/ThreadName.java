package io.memorygateway.memory;

import io.memorygateway.auth.Caller;

/** Name of a thread: its id as clients know it, within its project. */
public record ThreadName(long projectId, String threadId) {
  public static ThreadName of(Caller caller, String threadId) {
    return new ThreadName(caller.projectId(), threadId);
  }
}
