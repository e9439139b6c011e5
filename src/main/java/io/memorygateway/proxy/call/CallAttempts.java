package io.memorygateway.proxy.call;

import io.memorygateway.concurrent.LiveWork;
import io.memorygateway.http.admission.RequestPermit;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.proxy.route.Route;
import io.memorygateway.proxy.route.TargetLease;
import io.memorygateway.proxy.route.TargetSelection;
import io.memorygateway.proxy.upstream.UpstreamAnswer;
import io.memorygateway.proxy.upstream.UpstreamFailure;
import io.memorygateway.turn.MemoryStatus;
import io.memorygateway.turn.Turn;
import jakarta.ws.rs.core.Response;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of one call, target after target, until one answers (contract §10). A call that
 * names its only target has one attempt, and its stream is not held. Used by the thread that serves
 * the call.
 */
final class CallAttempts {
  /** Longest pause before the same target is tried again, if there is no other. */
  private static final Duration MAX_RETRY_AFTER = Duration.ofSeconds(2);

  private final ProxyCall call;
  private final Route route;
  private final TargetSelection selection;
  private final Turn turn;
  private final CallMeasurements measurements;
  private final LiveWork live;
  private final CallProgress progress;
  private final CallAnswers answers;
  private final List<Failed> failed = new ArrayList<>();
  private final TargetBodies bodies;

  private record Failed(TargetLease lease, AttemptFailure failure) {
    String target() {
      return AttemptTrail.headerText(lease.target().name());
    }
  }

  /**
   * The step after a failed attempt.
   *
   * @param lease of the next target; null if {@code before} is tried again after a pause
   */
  private record Next(@Nullable TargetLease lease, TargetLease before, Duration pause) {

    /** Waits for as long as the target asked; returns why the call ends instead, or null. */
    @Nullable AttemptFailure pause(ProxyCall call, LiveWork live) {
      UpstreamFailure.Kind ended =
          lease == null && !pause.isZero()
              ? new RetryPause().await(pause, call.request(), live)
              : null;
      if (ended == null) {
        return null;
      }
      AttemptFailure.Reason reason =
          ended == UpstreamFailure.Kind.CANCELLED
              ? AttemptFailure.Reason.CANCELLED
              : AttemptFailure.Reason.STOPPED;
      return AttemptFailure.ended(reason, 499);
    }
  }

  CallAttempts(
      ProxyCall call,
      Route route,
      TargetSelection selection,
      Turn turn,
      CallMeasurements measurements,
      LiveWork live,
      CallProgress progress) {
    this.call = call;
    this.route = route;
    this.selection = selection;
    this.turn = turn;
    this.measurements = measurements;
    this.live = live;
    this.progress = progress;
    this.answers = new CallAnswers(call, turn, progress.trail());
    this.bodies = new TargetBodies(call, route, turn.upstreamBody());
  }

  /**
   * Makes the call.
   *
   * @param first the first target's lease
   * @param request of the first attempt
   * @return the response; that of a stream contains its pump, which closes the turn
   * @throws ApiException if no target answered, and none gave an error that can be shown
   */
  Response run(TargetLease first, OutgoingRequest request) {
    boolean streaming = false;
    TargetLease lease = first;
    OutgoingRequest outgoing = request;
    try {
      byte[] body = bodies.first(first.target());
      while (true) {
        CallMeasurement measurement = measurements.open(call, lease, progress);
        Attempt attempt =
            new Attempt(
                call, lease.target(), outgoing, body, measurement, live, measurements.clock());
        Next next;
        try {
          AttemptResult result = attempt.send(left(), route.allowsRetry());
          if (result instanceof AttemptResult.Stream stream) {
            Response response = stream(attempt, stream.answer());
            streaming = true;
            return response;
          }
          if (result instanceof AttemptResult.Complete complete) {
            return complete(attempt, complete);
          }
          AttemptFailure failure = ((AttemptResult.Failed) result).failure();
          next = failed(attempt, lease, failure);
          // Its connection is free for others during a pause, in which the client is watched anew.
          attempt.close();
          AttemptFailure last = next == null ? failure : next.pause(call, live);
          if (next == null || last != null) {
            return ended(attempt, last == null ? failure : last);
          }
          measurement.closeFailedOver(failure);
        } finally {
          if (!streaming) {
            attempt.close();
            lease.close();
          }
        }
        RequestPermit.of(call.request()).resume();
        lease = next.lease() == null ? selection.again(next.before()) : next.lease();
        outgoing = OutgoingRequest.of(call, lease.target().provider());
        body = bodies.of(lease.target());
      }
    } finally {
      if (!streaming) {
        lease.close();
        turn.close();
      }
    }
  }

  private Response stream(Attempt attempt, UpstreamAnswer answer) {
    progress.trail().add(attempt.target(), answer.status());
    attempt.measurement().streamBegan();
    StreamPump pump =
        new StreamPump(
            answer,
            call.format().openStream(),
            attempt.secret(),
            turn,
            attempt.upstreamCall(),
            RequestPermit.of(call.request()),
            attempt.measurement());
    return answers.stream(answer, attempt.secret(), pump, turn.status());
  }

  private Response complete(Attempt attempt, AttemptResult.Complete complete) {
    CallMeasurement measurement = attempt.measurement();
    progress.trail().add(attempt.target(), complete.answer().status());
    measurement.answered();
    MemoryStatus status;
    try {
      status = turn.answered(complete.body());
    } catch (ApiException e) {
      measurement.close(e.error().status());
      throw answers.failure(e.error(), progress.trail().target(), null);
    } catch (RuntimeException e) {
      measurement.close(500);
      throw e;
    }
    measurement.close(complete.answer().status());
    return answers.complete(complete.answer(), complete.body(), attempt.secret(), status);
  }

  /** Records a failed attempt; returns the next step, or null if the call has failed. */
  private @Nullable Next failed(Attempt attempt, TargetLease lease, AttemptFailure failure) {
    progress.trail().add(attempt.target(), failure.status());
    failed.add(new Failed(lease, failure));
    // Only a failure whose error may have to be shown needs its body any longer.
    ErrorAnswer shown = failed.get(0).failure().answer();
    call.reservation()
        .shrinkAnswerTo(
            shown == null ? 0 : (long) shown.body().length * RequestReservation.UPSTREAM_COST);
    return next(lease, failure);
  }

  private @Nullable Next next(TargetLease lease, AttemptFailure failure) {
    if (failed.size() >= route.attempts() || left() <= 0) {
      return null;
    }
    if (failure.reason() == AttemptFailure.Reason.CONTEXT_LENGTH) {
      TargetLease larger = selection.nextLarger(lease.window());
      return larger == null ? null : new Next(larger, lease, Duration.ZERO);
    }
    if (failure.reason() == AttemptFailure.Reason.FOREIGN_REASONING
        && bodies.removeReasoning(lease.target())) {
      return new Next(null, lease, Duration.ZERO);
    }
    if (!failure.reason().anotherMaySucceed()) {
      return null;
    }
    TargetLease other = selection.next();
    if (other != null) {
      return new Next(other, lease, Duration.ZERO);
    }
    return failed.stream()
        .filter(each -> retryAfter(each).compareTo(MAX_RETRY_AFTER) <= 0)
        .filter(each -> retryAfter(each).toMillis() < left())
        .min((one, two) -> retryAfter(one).compareTo(retryAfter(two)))
        .map(each -> new Next(null, each.lease(), retryAfter(each)))
        .orElse(null);
  }

  private static Duration retryAfter(Failed each) {
    Duration asked = each.failure().retryAfter();
    return asked == null ? Duration.ofSeconds(Long.MAX_VALUE) : asked;
  }

  /**
   * The response to a call that failed: the first target's error, unless the call itself is at
   * fault.
   */
  private Response ended(Attempt attempt, AttemptFailure last) {
    CallMeasurement measurement = attempt.measurement();
    boolean causedByTargets = last.causedByTargets();
    AttemptFailure failure = causedByTargets ? failed.get(0).failure() : last;
    String target = causedByTargets ? failed.get(0).target() : progress.trail().target();
    Duration retryAfter =
        failed.size() == 1
            ? null
            : failed.stream()
                .map(each -> each.failure().retryAfter())
                .filter(Objects::nonNull)
                .min(Duration::compareTo)
                .orElse(null);
    ErrorAnswer answer = failure.answer();
    boolean gatewaysKey =
        failure.reason() == AttemptFailure.Reason.KEY_REFUSED
            && !route.isOnly()
            && call.callersKey() == null;
    if (answer == null || gatewaysKey) {
      TargetLease lease = failed.get(causedByTargets ? 0 : failed.size() - 1).lease();
      ApiError error = failure.error(lease.target().provider().name());
      measurement.closeFailed(last, error.status());
      throw answers.failure(error, target, retryAfter);
    }
    measurement.closeFailed(last, answer.status());
    return answers.error(answer, target, retryAfter);
  }

  /** Milliseconds until the call times out. */
  private long left() {
    return route.timeoutMillis() == Route.NO_TIMEOUT
        ? Route.NO_TIMEOUT
        : route.timeoutMillis()
            - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - progress.startNanos());
  }
}
