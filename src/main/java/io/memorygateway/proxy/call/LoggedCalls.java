package io.memorygateway.proxy.call;

import io.memorygateway.auth.Caller;
import io.memorygateway.budget.Covered;
import io.memorygateway.budget.Hold;
import io.memorygateway.figures.CallFigures;
import io.memorygateway.http.api.RequestId;
import io.memorygateway.http.errors.PrintableText;
import io.memorygateway.proxy.route.Endpoint;
import io.memorygateway.turn.MemoryRequest;
import io.memorygateway.usage.LoggedCall;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Creates the rows of the request log from attempts that have ended. */
final class LoggedCalls {
  /** Error type of a call whose upstream answered with an error; its status is the call's. */
  static final String UPSTREAM_ANSWER = "upstream_answer";

  private static final int MAX_ALIAS_LENGTH = 255;

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

  /**
   * The row of an attempt.
   *
   * @param target endpoint that the call was sent to
   * @param covered by budgets; null if it is not
   */
  static LoggedCall of(
      ProxyCall call,
      @Nullable Endpoint target,
      Instant startedAt,
      CallFigures figures,
      @Nullable Covered covered) {
    Caller caller = call.caller();
    MemoryRequest memory = call.memory();
    String threadId = memory.resourceId() == null ? null : memory.threadId();
    Hold settled = covered != null && covered.last() ? covered.hold() : null;
    return new LoggedCall(
        settled == null ? startedAt : settled.startedAt(),
        settled == null ? ThreadLocalRandom.current().nextLong() : settled.callId(),
        caller.projectId(),
        caller.keyId(),
        String.valueOf(call.request().getAttribute(RequestId.ATTRIBUTE)),
        threadId == null ? null : LoggedCall.hash(caller.projectId(), threadId),
        call.endpoint().configName(),
        target == null || target == call.endpoint() ? null : target.configName(),
        alias(call),
        figures,
        covered);
  }

  private static @Nullable String alias(ProxyCall call) {
    return call.alias() == null ? null : PrintableText.of(call.alias(), MAX_ALIAS_LENGTH);
  }
}
