package io.memorygateway.ratelimit;

import io.memorygateway.auth.Caller;
import io.memorygateway.http.admission.Admission;
import io.memorygateway.http.admission.RequestPermit;
import io.memorygateway.http.api.RequestId;
import io.memorygateway.http.api.RequestKind;
import io.memorygateway.http.api.RequestNotes;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.ratelimit.window.Decision;
import jakarta.servlet.http.HttpServletRequest;
import java.util.function.BiConsumer;

/**
 * Admission of requests within the rate limits of their key; sets the headers of the remaining
 * requests (contract §4).
 */
public final class RateLimitAdmission implements Admission {
  private static final String DECISION = RateLimitAdmission.class.getName() + ".decision";

  private final RateLimiter limiter;
  private final RefusalLog refusals;
  private final RateLimitHeaders headers;

  RateLimitAdmission(RateLimiter limiter, RefusalLog refusals) {
    this.limiter = limiter;
    this.refusals = refusals;
    this.headers = new RateLimitHeaders(limiter);
  }

  private record Decided(Caller caller, RequestKind kind, Decision decision) {}

  /**
   * Counts a request of an authenticated caller, once the node can work at it; requests without one
   * pass.
   */
  @Override
  public void admit(HttpServletRequest request, String path) {
    if (!(request.getAttribute(Caller.PROPERTY) instanceof Caller caller)) {
      return;
    }
    RequestKind kind = RequestKind.of(request.getMethod(), path);
    long asked = System.nanoTime();
    Decision decision;
    try {
      decision = limiter.knownRefusal(caller, kind);
      if (decision == null) {
        RequestPermit.of(request).acquire(caller.keyId(), caller.projectId());
        decision = limiter.decide(caller, kind);
      }
    } finally {
      RequestNotes.of(request).waitedForAdmission(System.nanoTime() - asked);
    }
    request.setAttribute(DECISION, new Decided(caller, kind, decision));
    switch (decision.outcome()) {
      case LIMITED -> {
        refusals.add(
            caller.keyId(),
            kind,
            decision,
            String.valueOf(request.getAttribute(RequestId.ATTRIBUTE)));
        throw new ApiException(
            ApiError.rateLimited(
                "Rate limit exceeded. Retry when the window has reset.",
                kind.scope(),
                decision.retryAfterSeconds()));
      }
      case UNAVAILABLE ->
          throw new ApiException(
              ApiError.unavailable("Rate limits cannot be checked at the moment.", 1));
      case ALLOWED, LOCAL -> {}
    }
  }

  @Override
  public void setHeaders(
      HttpServletRequest request, String path, BiConsumer<String, String> answer) {
    if (request.getAttribute(DECISION) instanceof Decided decided
        && decided.decision().shown() != null) {
      RateLimitHeaders.set(
          decided.kind(),
          limiter.current(decided.decision(), decided.caller(), decided.kind()),
          answer);
    } else {
      headers.setUntouched(request.getMethod(), path, answer);
    }
  }
}
