package io.memorygateway.proxy;

import io.memorygateway.concurrent.LiveWork;
import io.memorygateway.dialect.MalformedAnswerException;
import io.memorygateway.dialect.SecretBytes;
import io.memorygateway.dialect.UpstreamError;
import io.memorygateway.proxy.AttemptFailure.Reason;
import io.memorygateway.proxy.UpstreamFailure.Kind;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One attempt to have a call answered by a target. For the thread that serves the call. */
final class Attempt implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(Attempt.class);
  private static final int BAD_REQUEST = 400;

  private final ProxyCall call;
  private final Target target;
  private final OutgoingRequest request;
  private final SecretBytes secret;
  private final CallMeasurement measurement;
  private final InstantSource clock;
  private final UpstreamCall upstreamCall;

  /**
   * An attempt that has not begun.
   *
   * @param live where it is listed until it is closed
   */
  Attempt(
      ProxyCall call,
      Target target,
      OutgoingRequest request,
      byte[] body,
      CallMeasurement measurement,
      LiveWork live,
      InstantSource clock) {
    this.call = call;
    this.target = target;
    this.request = request;
    this.secret = request.secret();
    this.measurement = measurement;
    this.clock = clock;
    this.upstreamCall =
        new UpstreamCall(
            target.provider().upstream(), request.uri(), request.headers(), body, call, live);
  }

  Target target() {
    return target;
  }

  SecretBytes secret() {
    return secret;
  }

  CallMeasurement measurement() {
    return measurement;
  }

  UpstreamCall upstreamCall() {
    return upstreamCall;
  }

  /**
   * Sends the request and waits for its answer: for all of it, or for the head of a stream.
   *
   * @param timeoutMillis how long to wait for that at most, beside the provider's own limits
   * @param choosy whether another target may answer in place of this one: then a stream is held
   *     until it says something, and what is no answer at all is a failure
   */
  AttemptResult send(long timeoutMillis, boolean choosy) {
    try {
      measurement.sent();
      long sent = System.nanoTime();
      UpstreamAnswer answer = upstreamCall.send(timeoutMillis);
      measurement.firstByte();
      if (answer.isEventStream()) {
        return choosy ? held(answer, sent, timeoutMillis) : new AttemptResult.Stream(answer);
      }
      byte[] received = answer.readAll(left(sent, timeoutMillis));
      measurement.answerRead();
      return whole(answer, received, choosy);
    } catch (UpstreamFailure failure) {
      if (failure.isOfUpstream()) {
        LOGGER.warn(
            "Provider {} failed before its answer: {}",
            target.provider().name(),
            failure.getMessage());
      }
      return new AttemptResult.Failed(AttemptFailure.of(failure));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      upstreamCall.cancel();
      return new AttemptResult.Failed(new AttemptFailure(Reason.STOPPED, 503, null, null));
    }
  }

  private static long left(long sentNanos, long timeoutMillis) {
    return timeoutMillis == Route.NO_TIMEOUT
        ? timeoutMillis
        : Math.max(1, timeoutMillis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sentNanos));
  }

  private AttemptResult held(UpstreamAnswer answer, long sent, long timeoutMillis)
      throws UpstreamFailure, InterruptedException {
    long limit = Math.min(target.provider().upstream().firstByteMillis(), timeoutMillis);
    HeldStart start = new HeldStart(answer, call.dialect(), call.reservation());
    if (start.await(sent + TimeUnit.MILLISECONDS.toNanos(limit))) {
      return new AttemptResult.Stream(answer);
    }
    byte[] error = start.error();
    return new AttemptResult.Failed(
        AttemptFailure.invalid(error == null ? null : errorAnswer(502, answer, error)));
  }

  private AttemptResult whole(UpstreamAnswer answer, byte[] received, boolean choosy)
      throws UpstreamFailure {
    int status = answer.status();
    if (status >= BAD_REQUEST) {
      Duration retryAfter = RetryAfter.of(answer.headers(), clock.instant());
      return new AttemptResult.Failed(
          AttemptFailure.of(
              errorAnswer(status, answer, received),
              choosy && status == BAD_REQUEST ? ofCall(received) : Reason.REFUSED,
              retryAfter));
    }
    if (status < 200 || status > 299) {
      throw new UpstreamFailure(
          Kind.BROKEN, new IllegalStateException("an answer of status " + status));
    }
    byte[] body = secret.mask(received);
    try {
      measurement.usage(call.dialect().usage(body));
    } catch (MalformedAnswerException e) {
      throw new UpstreamFailure(Kind.BROKEN, e);
    }
    return choosy && UpstreamError.isErrorOnly(body)
        ? new AttemptResult.Failed(AttemptFailure.invalid(errorAnswer(502, answer, body)))
        : new AttemptResult.Whole(answer, body);
  }

  private static Reason ofCall(byte[] received) {
    if (UpstreamError.isContextLength(received)) {
      return Reason.CONTEXT_LENGTH;
    }
    return UpstreamError.isForeignReasoning(received) ? Reason.FOREIGN_REASONING : Reason.REFUSED;
  }

  private ErrorAnswer errorAnswer(int status, UpstreamAnswer answer, byte[] received) {
    return new ErrorAnswer(
        status,
        UpstreamError.rewrite(status, received, request.secrets()),
        answer.headers(),
        secret);
  }

  /** Watches the client no longer; to be called before the response's last byte. */
  @Override
  public void close() {
    upstreamCall.close();
  }
}
