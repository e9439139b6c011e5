package io.memorygateway.ratelimit;

import static java.util.Objects.requireNonNull;

import io.memorygateway.auth.Caller;
import io.memorygateway.http.admission.Admission;
import io.memorygateway.http.admission.RequestPermit;
import io.memorygateway.http.api.RequestId;
import io.memorygateway.http.api.RequestKind;
import io.memorygateway.http.api.RequestNotes;
import io.memorygateway.http.api.ResponseHeader;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.ratelimit.window.Decision;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.memorygateway.ratelimit.window.Decision.Shown;
import io.memorygateway.ratelimit.window.WindowLimiter;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import jakarta.annotation.Priority;
import jakarta.inject.Provider;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.core.Context;
import java.util.Locale;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Admission of requests within the rate limits of their key; sets the headers of the remaining
 * requests (contract §4). For requests that Jersey serves it is a filter, which runs after
 * authentication and before a resource is matched: unknown paths count, too.
 */
@PreMatching
@Priority(Priorities.AUTHENTICATION + 100)
public final class RateLimitAdmission
    implements Admission, ContainerRequestFilter, ContainerResponseFilter {
  private static final String DECISION = RateLimitAdmission.class.getName() + ".decision";

  private final WindowLimiter limiter;
  private final RefusalLog refusals;
  private final Counter decisions;

  @Context private @Nullable Provider<HttpServletRequest> servletRequest;

  RateLimitAdmission(WindowLimiter limiter, RefusalLog refusals, PrometheusRegistry registry) {
    this.limiter = limiter;
    this.refusals = refusals;
    decisions =
        Counter.builder()
            .name("memory_gateway_rate_limit_decisions_total")
            .help("Requests by scope and outcome: allowed, limited, local, unavailable.")
            .labelNames("scope", "outcome")
            .register(registry);
    for (RequestKind kind : RequestKind.values()) {
      for (Outcome outcome : Outcome.values()) {
        decisions.initLabelValues(kind.scope(), label(outcome));
      }
    }
  }

  @Override
  public void filter(ContainerRequestContext request) {
    admit(received(), request.getUriInfo().getPath());
  }

  @Override
  public void filter(ContainerRequestContext request, ContainerResponseContext response) {
    setHeaders(received(), request.getUriInfo().getPath(), response.getHeaders()::putSingle);
  }

  private HttpServletRequest received() {
    return requireNonNull(servletRequest).get();
  }

  private static String label(Outcome outcome) {
    return outcome.name().toLowerCase(Locale.ROOT);
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
      decision = limiter.knownRefusal(caller.keyId(), kind, caller.limits());
      if (decision == null) {
        RequestPermit.of(request).acquire(caller.keyId(), caller.projectId());
        decision = limiter.decide(caller.keyId(), kind, caller.limits());
      }
    } finally {
      RequestNotes.of(request).waitedForAdmission(System.nanoTime() - asked);
    }
    decisions.labelValues(kind.scope(), label(decision.outcome())).inc();
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
          throw ApiException.unavailable("Rate limits cannot be checked at the moment.", 1);
      case ALLOWED, LOCAL -> {}
    }
  }

  @Override
  public void setHeaders(
      HttpServletRequest request, String path, BiConsumer<String, String> answer) {
    if (request.getAttribute(DECISION) instanceof Decided decided
        && decided.decision().shown() != null) {
      Caller caller = decided.caller();
      RequestKind kind = decided.kind();
      set(kind, limiter.current(decided.decision(), caller.keyId(), kind, caller.limits()), answer);
    } else {
      setUntouched(request.getMethod(), path, answer);
    }
  }

  /**
   * Sets the headers of a response without a decision, as if nothing had been counted; also outside
   * Jersey.
   *
   * @param path as {@link RequestKind#of} takes it
   * @param headers receives names and values
   */
  public void setUntouched(String method, String path, BiConsumer<String, String> headers) {
    RequestKind kind = RequestKind.of(method, path);
    set(kind, limiter.untouched(kind), headers);
  }

  private static void set(RequestKind kind, Decision decision, BiConsumer<String, String> headers) {
    headers.accept(ResponseHeader.RATE_LIMIT_SCOPE.headerName(), kind.scope());
    Shown shown = decision.shown();
    if (shown != null) {
      headers.accept(ResponseHeader.RATE_LIMIT.headerName(), Long.toString(shown.limit()));
      headers.accept(
          ResponseHeader.RATE_LIMIT_REMAINING.headerName(), Long.toString(shown.remaining()));
      headers.accept(
          ResponseHeader.RATE_LIMIT_RESET.headerName(), Long.toString(shown.resetEpochSecond()));
    }
  }
}
