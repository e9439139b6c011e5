package io.memorygateway.admin;

import io.memorygateway.audit.Actor;
import io.memorygateway.audit.AuditLog;
import io.memorygateway.audit.RefusalBound;
import io.memorygateway.auth.FailedAttempts;
import io.memorygateway.http.api.JettyErrorHandler;
import io.memorygateway.http.api.RequestId;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ErrorType;
import io.memorygateway.operator.AdminCaller;
import io.prometheus.metrics.core.metrics.Counter;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handler in front of the whole admin port that lets only authenticated callers pass. The {@link
 * AdminAuthenticator}s decide, and the {@link AdminCaller} becomes an attribute of the request. An
 * address may fail a few times a minute; beyond that it gets 429 without a check, except for one
 * attempt a second, so that others who share the address are not locked out.
 */
final class AdminLogin extends Handler.Wrapper {
  private static final Logger LOGGER = LoggerFactory.getLogger(AdminLogin.class);
  private static final String SCOPE = "admin";

  /** Longest name in the log and the audit log, in characters. */
  private static final int MAX_NAME_LENGTH = 64;

  private final List<AdminAuthenticator> authenticators;
  private final Predicate<String> open;
  private final String challenge;
  private final FailedAttempts failedAttempts;
  private final AuditLog audit;
  private final RefusalBound refusals = new RefusalBound(System::nanoTime);
  private final Counter refused;

  /**
   * @param authenticators asked in this order; the first that finds credentials of its kind decides
   * @param open whether a path may be read without a login
   * @param challenge of a 401
   * @param audit records some failures a minute, whoever they say they are; the node's log and the
   *     counter have all of them
   * @param refused counter with the label reason
   */
  AdminLogin(
      List<AdminAuthenticator> authenticators,
      Predicate<String> open,
      String challenge,
      FailedAttempts failedAttempts,
      AuditLog audit,
      Counter refused) {
    this.authenticators = List.copyOf(authenticators);
    this.open = open;
    this.challenge = challenge;
    this.failedAttempts = failedAttempts;
    this.audit = audit;
    this.refused = refused;
    for (String reason : List.of("missing", "invalid", "no_role", "throttled", "unavailable")) {
      refused.initLabelValues(reason);
    }
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    if (isSafe(request) && open.test(Request.getPathInContext(request))) {
      return super.handle(request, response, callback);
    }
    Credentials credentials = Credentials.of(request);
    String requestId = RequestId.of(credentials.headers().get(RequestId.HEADER));
    try {
      AdminCaller caller = caller(credentials);
      if (caller == null) {
        refused.labelValues("missing").inc();
        return refuse(unauthenticated("A login is required."), request, response, callback);
      }
      request.setAttribute(AdminCaller.ATTRIBUTE, caller);
    } catch (LoginRefusedException e) {
      if (e.isKnown()
          && isSafe(request)
          && AdminAuthConfiguration.isOfConsole(Request.getPathInContext(request))) {
        // So that a page says why.
        return super.handle(request, response, callback);
      }
      response.getHeaders().put(RequestId.HEADER, requestId);
      return refuse(failed(e, credentials, requestId), request, response, callback);
    } catch (ApiException e) {
      boolean throttled = e.error().type() == ErrorType.RATE_LIMIT;
      refused.labelValues(throttled ? "throttled" : "unavailable").inc();
      return refuse(e.error(), request, response, callback);
    }
    return super.handle(request, response, callback);
  }

  private static boolean isSafe(Request request) {
    return request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
  }

  private @Nullable AdminCaller caller(Credentials credentials) throws LoginRefusedException {
    for (AdminAuthenticator authenticator : authenticators) {
      AdminCaller caller =
          authenticator.authenticate(
              credentials,
              () -> {
                long wait = failedAttempts.waitBeforeLookUp(credentials.address());
                if (wait > 0) {
                  throw new ApiException(throttled(wait));
                }
              });
      if (caller != null) {
        return caller;
      }
    }
    return null;
  }

  private ApiError failed(LoginRefusedException e, Credentials credentials, String requestId) {
    // All who come through a proxy have its address, and who is known guesses nothing.
    long wait = e.isKnown() ? 0 : failedAttempts.countAndGetWait(credentials.address());
    if (wait > 0) {
      refused.labelValues("throttled").inc();
      return throttled(wait);
    }
    refused.labelValues(e.isKnown() ? "no_role" : "invalid").inc();
    String name =
        e.name().length() > MAX_NAME_LENGTH ? e.name().substring(0, MAX_NAME_LENGTH) : e.name();
    LOGGER.warn(
        "A login to the admin port from {} was refused: {}", credentials.address(), e.reason());
    Actor actor = new Actor(name, "", credentials.address(), requestId);
    refusals.record(audit, "", actor, "login", Map.of("reason", e.reason()));
    return e.isKnown()
        ? ApiError.of(403, ErrorType.INVALID_REQUEST, e.reason())
        : unauthenticated("The login is not valid.");
  }

  private ApiError unauthenticated(String message) {
    return ApiError.of(401, ErrorType.AUTHENTICATION, message);
  }

  private static ApiError throttled(long wait) {
    return ApiError.rateLimited("Too many failed logins.", SCOPE, wait);
  }

  private boolean refuse(ApiError error, Request request, Response response, Callback callback) {
    if (error.status() == 401) {
      response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, challenge);
    }
    JettyErrorHandler.answer(error, request, response, callback);
    return true;
  }
}
