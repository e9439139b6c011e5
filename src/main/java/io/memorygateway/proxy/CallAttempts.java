package io.memorygateway.proxy;

import io.memorygateway.concurrent.LiveWork;
import io.memorygateway.http.ApiException;
import io.memorygateway.http.BodyReservation;
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
 * The attempts of one call, target after target, until one answers (contract §10). A call to the
 * one target that it names has one attempt, and its stream is not held. For the thread that serves
 * the call.
 */
final class CallAttempts {
  /** A target that wants to be asked again so soon is waited for, if there is no other. */
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

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
   * What follows a failed attempt.
   *
   * @param lease null if a target is tried again after a pause
   */
  private record Next(@Nullable TargetLease lease, TargetLease before, Duration pause) {

    /** Waits for as long as the target asked for; why the call ends instead, or null. */
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
      return new AttemptFailure(reason, 499, null, null);
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
   * @param first the first attempt's place at its target
   * @param request of the first attempt
   * @return the answer; that of a stream has its pump, which closes the turn
   * @throws ApiException if there is none, and no upstream's own error either
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
          AttemptResult result = attempt.send(left(), route.mayTryAgain());
          if (result instanceof AttemptResult.Stream stream) {
            Response response = stream(attempt, stream.answer());
            streaming = true;
            return response;
          }
          if (result instanceof AttemptResult.Whole whole) {
            return whole(attempt, whole);
          }
          AttemptFailure failure = ((AttemptResult.Failed) result).failure();
          next = failed(attempt, lease, failure);
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
        lease = next.lease() == null ? selection.again(next.before()) : next.lease();
        outgoing = OutgoingRequest.of(call, lease.target().provider());
        body = bodies.of(lease.target());
      }
    } finally {
      if (!streaming) {
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
            call.dialect().openStream(),
            attempt.secret(),
            turn,
            attempt.upstreamCall(),
            attempt.measurement());
    return answers.stream(answer, attempt.secret(), pump, turn.status());
  }

  private Response whole(Attempt attempt, AttemptResult.Whole whole) {
    CallMeasurement measurement = attempt.measurement();
    progress.trail().add(attempt.target(), whole.answer().status());
    measurement.answered();
    MemoryStatus status;
    try {
      status = turn.answered(whole.body());
    } catch (RuntimeException e) {
      measurement.close(e instanceof ApiException known ? known.error().status() : 500);
      throw e;
    }
    measurement.close(whole.answer().status());
    return answers.whole(whole.answer(), whole.body(), attempt.secret(), status);
  }

  /** Takes note of a failed attempt; what follows, or null if the call has failed. */
  private @Nullable Next failed(Attempt attempt, TargetLease lease, AttemptFailure failure) {
    progress.trail().add(attempt.target(), failure.status());
    failed.add(new Failed(lease, failure));
    // What failed need not be held any longer, but for the error that may have to be answered.
    ErrorAnswer shown = failed.get(0).failure().answer();
    call.reservation()
        .keepAnswer(shown == null ? 0 : (long) shown.body().length * BodyReservation.UPSTREAM_COST);
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
    if (!failure.reason().isOfTarget()) {
      return null;
    }
    TargetLease other = selection.next();
    if (other != null) {
      return new Next(other, lease, Duration.ZERO);
    }
    return failed.stream()
        .filter(each -> retryAfter(each).compareTo(LONGEST_PAUSE) <= 0)
        .filter(each -> retryAfter(each).toMillis() < left())
        .min((one, two) -> retryAfter(one).compareTo(retryAfter(two)))
        .map(each -> new Next(null, each.lease(), retryAfter(each)))
        .orElse(null);
  }

  private static Duration retryAfter(Failed each) {
    Duration asked = each.failure().retryAfter();
    return asked == null ? Duration.ofSeconds(Long.MAX_VALUE) : asked;
  }

  /** The call has failed: the first target's error is answered, unless it is the call's own. */
  private Response ended(Attempt attempt, AttemptFailure last) {
    CallMeasurement measurement = attempt.measurement();
    boolean isOfTargets = last.isOfRoute();
    AttemptFailure failure = isOfTargets ? failed.get(0).failure() : last;
    String target = isOfTargets ? failed.get(0).target() : progress.trail().target();
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
      measurement.closeFailed(last, failure.error().status());
      throw answers.failure(failure.error(), retryAfter);
    }
    measurement.closeFailed(last, answer.status());
    return answers.error(answer, target, retryAfter);
  }

  /** Milliseconds until the call has to be answered. */
  private long left() {
    return route.timeoutMillis() == Route.NO_TIMEOUT
        ? Route.NO_TIMEOUT
        : route.timeoutMillis()
            - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - progress.startNanos());
  }
}
