package io.memorygateway.memory;

import io.memorygateway.auth.Caller;

/** A thread as its project calls it. */
public record ThreadName(long projectId, String threadId) {
  public static ThreadName of(Caller caller, String threadId) {
    return new ThreadName(caller.projectId(), threadId);
  }
}
