package io.memorygateway.proxy;

import io.memorygateway.http.ApiError;
import io.memorygateway.http.BodyReservation;
import io.memorygateway.http.ErrorCatalogue;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Why an attempt at a target was not answered, and what that means for the call (contract §10).
 *
 * @param status as it is counted: the upstream's, or that of the error which the gateway answers
 * @param answer the upstream's own error; null if there is none that can be shown
 * @param retryAfter when the target wants to be asked again, if it said so
 */
record AttemptFailure(
    Reason reason, int status, @Nullable ErrorAnswer answer, @Nullable Duration retryAfter) {

  private static final int OVERLOADED = 529;

  /** The kind of failure. */
  enum Reason {
    /** The connection was refused, or closed before a byte of an answer. */
    UNREACHABLE(true),
    /** The target sent nothing in time. */
    TIMEOUT(true),
    /** It sent something else than was asked for, or broke off before it said anything. */
    INVALID_ANSWER(true),
    /** 429. */
    RATE_LIMITED(true),
    /** 408, 5xx. */
    SERVER_ERROR(true),
    /** 401, 402, 403: it does not accept the key. */
    KEY_REFUSED(true),
    /** 400: the call is longer than the model reads. */
    CONTEXT_LENGTH(false),
    /** 400: reasoning in the call is of another maker. */
    FOREIGN_REASONING(false),
    /** It refused the call itself. */
    REFUSED(false),
    /** The client left. */
    CANCELLED(false),
    /** This node ends. */
    STOPPED(false),
    /** This node has no heap left for the answer. */
    NO_ROOM(false);

    private final boolean targets;

    Reason(boolean targets) {
      this.targets = targets;
    }

    /** Whether the target is the cause, so that another one may do better. */
    boolean isOfTarget() {
      return targets;
    }

    /** The name in metrics and logs. */
    String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Failure of an upstream that gave no whole answer.
   *
   * @param failure what the exchange says
   */
  static AttemptFailure of(UpstreamFailure failure) {
    Reason reason =
        switch (failure.kind()) {
          case UNREACHABLE -> Reason.UNREACHABLE;
          case BROKEN -> Reason.INVALID_ANSWER;
          case TIMEOUT -> Reason.TIMEOUT;
          case CANCELLED -> Reason.CANCELLED;
          case STOPPED -> Reason.STOPPED;
          case NO_ROOM -> Reason.NO_ROOM;
        };
    return new AttemptFailure(reason, error(reason).status(), null, null);
  }

  /**
   * Failure of an upstream that answered with an error.
   *
   * @param ofCall what is wrong with the call, if the status says that something is
   */
  static AttemptFailure of(ErrorAnswer answer, Reason ofCall, @Nullable Duration retryAfter) {
    int status = answer.status();
    Reason reason =
        switch (status) {
          case 401, 402, 403 -> Reason.KEY_REFUSED;
          case 408 -> Reason.SERVER_ERROR;
          case 429 -> Reason.RATE_LIMITED;
          default -> {
            if (status >= 500) {
              yield Reason.SERVER_ERROR;
            }
            yield ofCall;
          }
        };
    return new AttemptFailure(reason, status, answer, retryAfter);
  }

  /**
   * An answer whose status is good and which is none.
   *
   * @param answer what it says of an error; null if it says nothing
   */
  static AttemptFailure invalid(@Nullable ErrorAnswer answer) {
    return new AttemptFailure(Reason.INVALID_ANSWER, 502, answer, null);
  }

  /** Whether the call failed because its targets did: else the last answer is the call's own. */
  boolean isOfRoute() {
    return reason.isOfTarget() || reason == Reason.CONTEXT_LENGTH;
  }

  /** Whether the provider failed, for its health. */
  boolean isOfProvider() {
    return status >= 500 && status <= OVERLOADED && reason.isOfTarget();
  }

  /** The error that the gateway answers if there is nothing of the upstream's to show. */
  ApiError error() {
    return error(reason);
  }

  private static ApiError error(Reason reason) {
    return switch (reason) {
      case TIMEOUT -> ErrorCatalogue.forStatus(504);
      // Nobody is there to read it; the status is for the records (as nginx counts it).
      case CANCELLED -> ErrorCatalogue.forStatus(499);
      case STOPPED -> ApiError.unavailable(StreamPump.STOPPED, 1);
      case NO_ROOM -> BodyReservation.refused().error();
      default -> ErrorCatalogue.forStatus(502);
    };
  }
}
