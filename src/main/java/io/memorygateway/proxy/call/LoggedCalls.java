package io.memorygateway.proxy.call;

import io.memorygateway.auth.Caller;
import io.memorygateway.figures.CallFigures;
import io.memorygateway.http.api.RequestId;
import io.memorygateway.turn.MemoryRequest;
import io.memorygateway.usage.LoggedCall;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Creates the rows of the request log from attempts that have ended. */
final class LoggedCalls {
  /** Error type of a call whose upstream answered with an error; its status is the call's. */
  static final String UPSTREAM_ANSWER = "upstream_answer";

  private LoggedCalls() {}

  /** Type of the gateway's own error with this status, for the log; null below 400. */
  static @Nullable String errorType(int status) {
    return switch (status) {
      case 499 -> "client_left";
      case 502 -> "upstream_error";
      case 503 -> "service_unavailable";
      case 504 -> "upstream_timeout";
      default -> status < 400 ? null : "error";
    };
  }

  static LoggedCall of(ProxyCall call, Instant startedAt, CallFigures figures) {
    Caller caller = call.caller();
    MemoryRequest memory = call.memory();
    String threadId = memory.resourceId() == null ? null : memory.threadId();
    return new LoggedCall(
        startedAt,
        ThreadLocalRandom.current().nextLong(),
        caller.projectId(),
        caller.keyId(),
        String.valueOf(call.request().getAttribute(RequestId.ATTRIBUTE)),
        threadId == null ? null : LoggedCall.hash(caller.projectId(), threadId),
        call.endpoint().configName(),
        figures);
  }
}
