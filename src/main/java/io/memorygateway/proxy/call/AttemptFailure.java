package io.memorygateway.proxy.call;

import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ErrorCatalogue;
import io.memorygateway.http.errors.ErrorType;
import io.memorygateway.proxy.upstream.UpstreamFailure;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Failure of an attempt at a target, and what it means for the call (contract §10).
 *
 * @param status the status that metrics and logs count: the upstream's, or that of the gateway's
 *     own error
 * @param fault what failed, in words for the caller
 * @param answer the upstream's own error; null if there is none that can be shown
 * @param retryAfter the wait that the target asked for; null if it did not
 */
record AttemptFailure(
    Reason reason,
    int status,
    String fault,
    @Nullable ErrorAnswer answer,
    @Nullable Duration retryAfter) {

  /** Message of the error of a call that ends because this node is being stopped. */
  static final String OF_STOPPED_NODE = "This node is being stopped; try again.";

  private static final int SERVER_FAULT = 500;
  private static final int OVERLOADED = 529;

  enum Reason {
    /** The connection was refused, or closed before a byte of an answer. */
    UNREACHABLE(true),
    /** The target sent nothing in time. */
    TIMEOUT(true),
    /** The time for all attempts of the call ended first: no evidence against the target. */
    DEADLINE(true),
    /** The target sent something else than was asked for, or broke off before any content. */
    INVALID_ANSWER(true),
    /** Status 429. */
    RATE_LIMITED(true),
    /** Status 408 or 5xx. */
    SERVER_ERROR(true),
    /** Status 401, 402 or 403: the target does not accept the key. */
    KEY_REFUSED(true),
    /** Status 400: the call is longer than the model's context window. */
    CONTEXT_LENGTH(false),
    /** Status 400 or 422: reasoning in the call is not taken: another vendor's, or any. */
    FOREIGN_REASONING(false),
    /** Status 400 or 422: an answer of the model in the call has to have its reasoning. */
    MISSING_REASONING(false),
    /** Status 400: what stood before a thought of the model is no longer what it was. */
    BOUND_THOUGHT(false),
    /**
     * Status 400 or 422: how much to reason, which translation says in other words, is not taken.
     */
    EFFORT(false),
    /** Status 400 or 422: how tokens are to be chosen is not taken, and was translated. */
    SAMPLING(false),
    /** Status 400 or 422: the output limit is above what the model has. */
    OUTPUT_LIMIT(false),
    /** Any status of a refusal: the server's chat template does not take the roles of messages. */
    ROLES(false),
    /** The target refused the call itself. */
    REFUSED(false),
    /** The client left. */
    CANCELLED(false),
    /** This node is being stopped. */
    STOPPED(false),
    /** This node has no heap left for the answer. */
    NO_ROOM(false),
    /** The caller has its share of the connections to the provider. */
    NO_SHARE(false),
    /** All connections to the provider are in use. */
    NO_CONNECTION(false);

    private final boolean targets;

    Reason(boolean targets) {
      this.targets = targets;
    }

    boolean causedByTarget() {
      return targets;
    }

    /** Whether another target may succeed with the same call. */
    boolean anotherMaySucceed() {
      return targets || this == NO_SHARE || this == NO_CONNECTION;
    }

    /** Whether nothing is known of the target: this node did not ask it, or broke off. */
    boolean isOfNode() {
      return this == NO_SHARE || this == NO_CONNECTION || this == NO_ROOM || this == STOPPED;
    }

    /** Whether the target refused the key that was sent, or its quota: another key may succeed. */
    boolean concernsKey() {
      return this == KEY_REFUSED || this == RATE_LIMITED;
    }

    String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Creates the failure of an upstream that gave no complete answer.
   *
   * @param failure as the exchange reported it
   * @param deadline whether the time for all attempts of the call has ended
   */
  static AttemptFailure of(UpstreamFailure failure, boolean deadline) {
    Reason reason =
        switch (failure.kind()) {
          case UNREACHABLE -> Reason.UNREACHABLE;
          case BROKEN -> Reason.INVALID_ANSWER;
          case TIMEOUT -> deadline ? Reason.DEADLINE : Reason.TIMEOUT;
          case CANCELLED -> Reason.CANCELLED;
          case STOPPED -> Reason.STOPPED;
          case NO_ROOM -> Reason.NO_ROOM;
          case NO_SHARE -> Reason.NO_SHARE;
          case NO_CONNECTION -> Reason.NO_CONNECTION;
        };
    String fault = failure.fault();
    return new AttemptFailure(reason, error(reason, "", fault).status(), fault, null, null);
  }

  /** Creates the failure of a call that ended before its target could answer. */
  static AttemptFailure ended(Reason reason, int status) {
    return new AttemptFailure(reason, status, "", null, null);
  }

  /**
   * Creates the failure of an upstream that answered with an error.
   *
   * @param ofCall the fault in the call that the status reports; null if it reports none
   */
  static AttemptFailure of(ErrorAnswer answer, Reason ofCall, @Nullable Duration retryAfter) {
    int status = answer.status();
    Reason reason =
        switch (status) {
          case 401, 402, 403 -> Reason.KEY_REFUSED;
          case 408 -> Reason.SERVER_ERROR;
          case 429 -> Reason.RATE_LIMITED;
          default ->
              status >= SERVER_FAULT && ofCall != Reason.ROLES ? Reason.SERVER_ERROR : ofCall;
        };
    String fault =
        reason == Reason.KEY_REFUSED
            ? "it did not accept the gateway's key"
            : UpstreamFailure.UNUSABLE;
    return new AttemptFailure(reason, status, fault, answer, retryAfter);
  }

  /**
   * Creates the failure of an answer with a successful status and an unusable body.
   *
   * @param answer the error that the body reports; null if it reports none
   */
  static AttemptFailure invalid(@Nullable ErrorAnswer answer) {
    return new AttemptFailure(Reason.INVALID_ANSWER, 502, UpstreamFailure.UNUSABLE, answer, null);
  }

  /** Whether another target may succeed with the same call. */
  boolean anotherMaySucceed() {
    return reason.anotherMaySucceed() || (reason == Reason.ROLES && status >= SERVER_FAULT);
  }

  /**
   * Whether the call failed because of its targets; else the call itself is at fault, and the last
   * answer is its response.
   */
  boolean causedByTargets() {
    return anotherMaySucceed() || reason == Reason.CONTEXT_LENGTH;
  }

  /** Whether the provider is the cause, for its health. */
  boolean causedByProvider() {
    return status >= SERVER_FAULT && status <= OVERLOADED && reason.causedByTarget();
  }

  /**
   * The gateway's error for this failure, used if the upstream gave no error that can be shown.
   *
   * @param provider name of the target's provider
   */
  ApiError error(String provider) {
    return error(reason, provider, fault);
  }

  private static ApiError error(Reason reason, String provider, String fault) {
    return switch (reason) {
      case TIMEOUT, DEADLINE ->
          ApiError.of(
              504,
              ErrorType.UPSTREAM_TIMEOUT,
              "The provider '%s' did not answer in time: %s.".formatted(provider, fault));
      // Nobody reads this response; 499 is what nginx logs for a client that left.
      case CANCELLED -> ErrorCatalogue.forStatus(499);
      case STOPPED -> ApiError.unavailable(OF_STOPPED_NODE, 1);
      case NO_ROOM -> RequestReservation.refused().error();
      case NO_SHARE ->
          ApiError.unavailable(
              "This key or its project has as many calls to the provider in flight as it may have;"
                  + " try again.",
              1);
      case NO_CONNECTION ->
          ApiError.unavailable("All connections to the provider are in use; try again.", 1);
      default ->
          ApiError.of(
              502,
              ErrorType.UPSTREAM,
              "The provider '%s' could not be used: %s.".formatted(provider, fault));
    };
  }
}
