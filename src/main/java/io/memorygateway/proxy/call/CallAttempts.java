package io.memorygateway.proxy.call;

import static java.util.Objects.requireNonNull;

import io.memorygateway.budget.hold.OpenHold;
import io.memorygateway.concurrent.LiveWork;
import io.memorygateway.format.answer.AnswerStream;
import io.memorygateway.http.admission.RequestPermit;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.proxy.call.AttemptFailure.Reason;
import io.memorygateway.proxy.route.Route;
import io.memorygateway.proxy.route.Target;
import io.memorygateway.proxy.route.TargetLease;
import io.memorygateway.proxy.route.TargetSelection;
import io.memorygateway.proxy.upstream.UpstreamFailure;
import io.memorygateway.secret.SecretBytes;
import io.memorygateway.turn.MemoryStatus;
import io.memorygateway.turn.Turn;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
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
  private @Nullable TargetLease lease;
  private @Nullable Attempt current;

  /** The attempt that a head which is sent already shows as answered; null if none is. */
  private @Nullable Attempt headShows;

  private record Failed(TargetLease lease, AttemptFailure failure) {
    String target() {
      return AttemptTrail.headerText(lease.target().name());
    }
  }

  /**
   * The end of a call that failed.
   *
   * @param answer the upstream's own error; null if the gateway's is shown
   * @param target that it is of
   * @param retryAfter the shortest wait of all; null if none is known
   */
  private record Ending(
      @Nullable ErrorAnswer answer, ApiError error, String target, @Nullable Duration retryAfter) {

    /** Writes the error as the last event of a stream. */
    void write(AnswerStream stream, OutputStream client) throws IOException {
      client.write(
          answer == null
              ? stream.errorEvent(error.type().wireName(), error.message())
              : stream.errorEvent(answer.member("type"), answer.member("message")));
      client.flush();
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
      Reason reason = ended == UpstreamFailure.Kind.CANCELLED ? Reason.CANCELLED : Reason.STOPPED;
      return AttemptFailure.ended(reason, 499);
    }
  }

  /**
   * @param body as it goes upstream, in the called format
   */
  CallAttempts(
      ProxyCall call,
      Route route,
      TargetSelection selection,
      Turn turn,
      byte[] body,
      CallMeasurements measurements,
      LiveWork live,
      CallProgress progress,
      Refusals refusals) {
    this.call = call;
    this.route = route;
    this.selection = selection;
    this.turn = turn;
    this.measurements = measurements;
    this.live = live;
    this.progress = progress;
    this.answers = new CallAnswers(call, turn, progress);
    this.bodies = new TargetBodies(call, route, body, refusals);
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
    lease = first;
    boolean streaming = false;
    try {
      AttemptResult result = sendFirst(first, request);
      while (result instanceof AttemptResult.Failed failure) {
        AttemptFailure last = failed(failure.failure());
        if (last != null) {
          return respond(ended(last));
        }
        result = sendNext();
      }
      if (result instanceof AttemptResult.Complete complete) {
        return complete(attempt(), complete);
      }
      Response response = stream(result);
      streaming = true;
      return response;
    } finally {
      if (!streaming) {
        close();
      }
    }
  }

  private AttemptResult send(OutgoingRequest request, TargetBodies.TargetBody body) {
    TargetLease ofAttempt = requireNonNull(lease);
    CallMeasurement measurement = measurements.open(call, ofAttempt, progress);
    current =
        new Attempt(
            call, ofAttempt.target(), request, body, measurement, live, measurements.clock());
    return current.send(left(), route.allowsRetry());
  }

  private AttemptResult sendFirst(TargetLease first, OutgoingRequest request) {
    TargetBodies.TargetBody body;
    try {
      body = bodies.first(first.target());
    } catch (ApiException e) {
      boolean goesOn = route.allowsRetry() && e.error().status() == TargetBodies.CANNOT_BE_SAID;
      TargetLease other = goesOn ? taking(selection::next) : null;
      if (other == null) {
        throw e;
      }
      first.close();
      lease = other;
      return sendNext();
    }
    return send(request, body);
  }

  private AttemptResult sendNext() {
    Target target = requireNonNull(lease).target();
    return send(OutgoingRequest.of(call, target.provider()), bodies.of(target));
  }

  private Attempt attempt() {
    return requireNonNull(current);
  }

  private void tell(Attempt attempt, int status) {
    progress.trail().add(attempt.target(), status, attempt.dropped());
  }

  private void close() {
    if (current != null) {
      current.close();
    }
    requireNonNull(lease).close();
    progress.giveBack();
    turn.close();
  }

  /** The response to a stream, or to one that has sent comments so far. */
  private Response stream(AttemptResult result) {
    SecretBytes secret = attempt().secret();
    if (result instanceof AttemptResult.Held held) {
      tell(attempt(), held.answer().status());
      headShows = current;
      return answers.stream(held.answer(), secret, client -> goOn(held, client), turn.status());
    }
    AttemptResult.Stream stream = (AttemptResult.Stream) result;
    tell(attempt(), stream.answer().status());
    return answers.stream(stream.answer(), secret, pump(stream), turn.status());
  }

  private StreamPump pump(AttemptResult.Stream stream) {
    attempt().measurement().streamBegan();
    bodies.answered(attempt().target());
    return new StreamPump(
        stream,
        call.format().openStream(),
        attempt().secret(),
        turn,
        attempt().upstreamCall(),
        RequestPermit.of(call.request()),
        attempt().measurement(),
        budget());
  }

  /** The budget of the stream; null if none covers it. */
  private @Nullable StreamBudget budget() {
    OpenHold hold = progress.hold();
    return hold == null
        ? null
        : new StreamBudget(hold, call.format(), call.reservation()::tryAddAnswer);
  }

  /**
   * Makes the rest of the attempts behind a head that is sent: comments are sent on as they come,
   * and where no target answers, the error is an event.
   */
  private void goOn(AttemptResult.Held first, OutputStream client) {
    boolean streaming = false;
    AttemptResult result = first;
    try {
      while (!streaming) {
        if (result instanceof AttemptResult.Held held) {
          result = attempt().resume(held, client);
        } else if (result instanceof AttemptResult.Stream stream) {
          if (headShows != current) {
            tell(attempt(), stream.answer().status());
          }
          streaming = true;
          pump(stream).write(client);
        } else {
          AttemptFailure last = failed(((AttemptResult.Failed) result).failure());
          Ending ending = last == null ? null : ended(last);
          try {
            result = ending == null ? sendNext() : result;
          } catch (ApiException e) {
            ending = new Ending(null, e.error(), "", null);
          }
          if (ending != null) {
            // A client that reads of the failure may call again immediately.
            close();
            client.write(StreamPump.correction(turn.status(), MemoryStatus.OFF));
            ending.write(call.format().openStream(), client);
            return;
          }
        }
      }
    } catch (IOException e) {
      // The client does not hear of the failure, with which all has ended.
    } finally {
      if (!streaming) {
        close();
      }
    }
  }

  private Response complete(Attempt attempt, AttemptResult.Complete complete) {
    CallMeasurement measurement = attempt.measurement();
    tell(attempt, complete.answer().status());
    measurement.answered();
    bodies.answered(attempt.target());
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
    return answers.complete(
        complete.answer(), complete.body(), attempt.secret(), status, progress.dollars(0));
  }

  /** Records a failed attempt; returns why the call ends with it, or null if it goes on. */
  private @Nullable AttemptFailure failed(AttemptFailure failure) {
    TargetLease before = requireNonNull(lease);
    Attempt attempt = attempt();
    if (headShows == attempt) {
      progress.trail().revise(failure.status());
    } else {
      tell(attempt, failure.status());
    }
    failed.add(new Failed(before, failure));
    // Only a failure whose error may have to be shown needs its body any longer.
    ErrorAnswer shown = failed.get(0).failure().answer();
    call.reservation()
        .shrinkAnswerTo(
            shown == null ? 0 : (long) shown.body().length * RequestReservation.UPSTREAM_COST);
    Next next = null;
    try {
      next = next(before, failure);
    } catch (ApiException e) {
      // No room to tell another what is asked: the call ends with what it has.
    }
    // Its connection is free for others during a pause, in which the client is watched anew.
    attempt.close();
    AttemptFailure last = next == null ? failure : next.pause(call, live);
    if (next == null || last != null) {
      return last;
    }
    if (!attempt.measurement().isHeldAgain()) {
      TargetLease unused = next.lease();
      if (unused != null) {
        unused.close();
      }
      return failure;
    }
    attempt.measurement().closeFailedOver(failure);
    before.close();
    RequestPermit.of(call.request()).resume();
    lease = next.lease() == null ? selection.again(next.before()) : next.lease();
    return null;
  }

  private @Nullable Next next(TargetLease lease, AttemptFailure failure) {
    // What memory has added of another maker's answers, or translation says, is no fault of the
    // caller.
    boolean ofGateway =
        failure.reason() == Reason.EFFORT
            || failure.reason() == Reason.SAMPLING
            || failure.reason() == Reason.OUTPUT_LIMIT
            || failure.reason() == Reason.ROLES
            || failure.reason() == Reason.MISSING_REASONING
            || (isOfReasoning(failure) && call.isRemembered());
    if (failed.size() >= (ofGateway ? Math.max(3, route.attempts()) : route.attempts())
        || left() <= 0) {
      return null;
    }
    if (failure.reason() == Reason.CONTEXT_LENGTH) {
      TargetLease larger = taking(() -> selection.nextLarger(lease.window()));
      return larger == null ? null : new Next(larger, lease, Duration.ZERO);
    }
    if (bodies.leaveOut(lease.target(), failure)) {
      return new Next(null, lease, Duration.ZERO);
    }
    if (!failure.anotherMaySucceed()) {
      return null;
    }
    TargetLease other = taking(selection::next);
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

  private static boolean isOfReasoning(AttemptFailure failure) {
    return failure.reason() == Reason.FOREIGN_REASONING || failure.reason() == Reason.BOUND_THOUGHT;
  }

  /** The next target whose format supports the request; null if there is none. */
  private @Nullable TargetLease taking(Supplier<@Nullable TargetLease> others) {
    for (TargetLease next = others.get(); next != null; next = others.get()) {
      boolean fits = false;
      try {
        fits = bodies.canSay(next.target());
      } finally {
        if (!fits) {
          next.close();
        }
      }
      if (fits) {
        return next;
      }
    }
    return null;
  }

  private static Duration retryAfter(Failed each) {
    Duration asked = each.failure().retryAfter();
    return asked == null ? Duration.ofSeconds(Long.MAX_VALUE) : asked;
  }

  /**
   * The end of a call that failed: the first target's error, unless the call itself is at fault.
   */
  private Ending ended(AttemptFailure last) {
    boolean causedByTargets = last.causedByTargets();
    Failed which = failed.get(causedByTargets ? 0 : failed.size() - 1);
    AttemptFailure failure = causedByTargets ? which.failure() : last;
    Duration retryAfter =
        failed.size() == 1
            ? null
            : failed.stream()
                .map(each -> each.failure().retryAfter())
                .filter(Objects::nonNull)
                .min(Duration::compareTo)
                .orElse(null);
    boolean gatewaysKey =
        failure.reason() == Reason.KEY_REFUSED && !route.isOnly() && call.callersKey() == null;
    ErrorAnswer answer = gatewaysKey ? null : failure.answer();
    ApiError error = failure.error(which.lease().target().provider().name());
    attempt().measurement().closeFailed(last, answer == null ? error.status() : answer.status());
    return new Ending(answer, error, which.target(), retryAfter);
  }

  private Response respond(Ending ending) {
    if (ending.answer() == null) {
      throw answers.failure(ending.error(), ending.target(), ending.retryAfter());
    }
    return answers.error(ending.answer(), ending.target(), ending.retryAfter());
  }

  /** Milliseconds until the call times out. */
  private long left() {
    return route.timeoutMillis() == Route.NO_TIMEOUT
        ? Route.NO_TIMEOUT
        : route.timeoutMillis()
            - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - progress.startNanos());
  }
}
