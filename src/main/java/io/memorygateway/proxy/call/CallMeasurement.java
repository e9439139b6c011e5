package io.memorygateway.proxy.call;

import io.memorygateway.budget.Charge;
import io.memorygateway.budget.Covered;
import io.memorygateway.budget.hold.OpenHold;
import io.memorygateway.figures.CallFigures;
import io.memorygateway.figures.Counted;
import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.translation.Translation;
import io.memorygateway.http.api.RequestNotes;
import io.memorygateway.http.errors.PrintableText;
import io.memorygateway.proxy.count.AnswerSample;
import io.memorygateway.proxy.count.Uncounted;
import io.memorygateway.proxy.route.Provider;
import io.memorygateway.proxy.route.Target;
import io.memorygateway.proxy.route.TargetLease;
import io.memorygateway.tracing.CallSpan;
import io.memorygateway.tracing.Tracing;
import io.memorygateway.usage.LoggedCall;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.jspecify.annotations.Nullable;

/**
 * Times and tokens of one attempt of a proxied call. The thread that serves the call measures them
 * and reports them at the end to metrics, request log, provider health and the target's circuit.
 * Those of the last attempt are the call's.
 */
final class CallMeasurement {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int MAX_MODEL_LENGTH = 255;
  private static final int MAX_PROVIDER_LENGTH = 64;
  private static final int BAD_REQUEST = 400;

  private final CallMeasurements measurements;
  private final ProxyMetrics metrics;
  private final ProxyCall call;
  private final CallPrice price;
  private final TargetLease lease;
  private final Target target;
  private final String model;

  /** Whether the key is the gateway's own and not the caller's. */
  private final boolean gatewaysKey;

  private final CallProgress progress;
  private final int number;
  private final RequestNotes notes;
  private final Instant startedAt;
  private final CallSpan span;

  /** Start of the attempt, of {@link System#nanoTime}; for the first one, that of the call. */
  private final long startNanos;

  private long sentNanos;
  private long firstByteNanos;
  private long endNanos;
  private boolean streaming;
  private boolean errorReported;
  private boolean counted;

  /** Whether the attempt failed for a reason of this node's: no evidence about the provider. */
  private boolean ofNode;

  private Figures usage = Figures.NONE;
  private @Nullable String answering;
  private byte @Nullable [] asked;
  private @Nullable Translation translation;
  private final AnswerSample sample;

  CallMeasurement(
      CallMeasurements measurements, ProxyCall call, TargetLease lease, CallProgress progress) {
    this.measurements = measurements;
    this.metrics = measurements.metrics();
    this.startedAt = measurements.clock().instant();
    this.call = call;
    this.lease = lease;
    this.target = lease.target();
    this.price = CallPrice.of(measurements.prices(), call, target, startedAt);
    this.model = PrintableText.of(target.model(), MAX_MODEL_LENGTH);
    this.gatewaysKey = call.callersKey() == null;
    if (!gatewaysKey) {
      lease.usesCallersKey();
    }
    this.sample = new AnswerSample(call.format());
    this.progress = progress;
    this.number = progress.nextAttempt();
    this.notes = RequestNotes.of(call.request());
    this.startNanos = number == 1 ? progress.startNanos() : System.nanoTime();
    this.span = measurements.tracing().isOn() ? openSpan() : CallSpan.NONE;
  }

  private CallSpan openSpan() {
    Provider provider = target.provider();
    return measurements
        .tracing()
        .attempt(
            call.request(),
            new Tracing.Call(
                call.endpoint().operation(),
                provider(),
                model,
                provider.uri(call.endpoint(), null)),
            call.memory().threadId(),
            number);
  }

  String endpoint() {
    return call.endpoint().configName();
  }

  String provider() {
    return target.provider().name();
  }

  CallSpan span() {
    return span;
  }

  /** The recorder of a streamed answer for the span. */
  TracedAnswer tracedStream() {
    return TracedAnswer.ofStream(span, call.format(), call.reservation());
  }

  /** Records that the request is ready and is being sent to the upstream. */
  void sent() {
    sentNanos = System.nanoTime();
  }

  void firstByte() {
    firstByteNanos = System.nanoTime();
    metrics.firstByte(this, (firstByteNanos - startNanos) / NANOS_PER_SECOND);
  }

  void streamBegan() {
    streaming = true;
    lease.answering();
    keyAnswered(200);
    metrics.streamBegan();
  }

  /** Records that the gateway counted what the answer tells, unless the target has said it. */
  void counted() {
    counted = translation == null || translation.told().get(Figure.OUTPUT_TOKENS) < 0;
  }

  /** Records that the upstream reported an error in the middle of the stream. */
  void errorReported() {
    errorReported = true;
  }

  /**
   * Records that the last byte of the upstream's answer is read; what follows is the gateway's
   * time.
   */
  void answerRead() {
    endNanos = System.nanoTime();
  }

  /** Records that the target gave a complete answer, whatever follows. */
  void answered() {
    lease.succeeded();
    keyAnswered(200);
  }

  void usage(Figures reported) {
    usage = told(reported);
    metrics.used(endpoint(), provider(), notes, usage);
  }

  /**
   * Takes how a stream has ended.
   *
   * @param reported what it told of its tokens
   * @param broken whether its target broke it off
   * @param output its tokens, if they were counted as it was passed on
   */
  void streamEnded(Figures reported, boolean complete, boolean broken, long output) {
    // The head of a translated stream tells what the gateway has counted of the input.
    usage(translation == null || sample.hasBegun() ? reported : translation.toldAtStart());
    sample.ended(complete, broken, output);
  }

  /** What the call cost with an answer that has told so; null if that is not known or not told. */
  @Nullable String costToTell(Figures reported) {
    // What the gateway counts is not told.
    if (!measurements.costComment()
        || counted
        || (translation != null && translation.isEstimated())) {
      return null;
    }
    Figures told = told(reported);
    return told.get(Figure.INPUT_TOKENS) >= 0 && told.get(Figure.OUTPUT_TOKENS) >= 0
        ? progress.dollars(price.priced(told, true).get(Figure.COST))
        : null;
  }

  /** What an answer told, with what its translation cannot say. */
  private Figures told(Figures reported) {
    return (translation == null ? reported : reported.with(translation.told()))
        .counted()
        .withModel(answering);
  }

  /** What the target has told of a stream so far, which has reported this to the caller. */
  Figures toldByTarget(Figures reported) {
    return translation == null ? reported : translation.told();
  }

  /** Records the model that the upstream named, of a stream that names another to the caller. */
  void answering(String name) {
    answering = name;
  }

  /**
   * Remembers the body that goes up, by which the input is counted if nobody says it.
   *
   * @param body in the called format
   * @param by its translation; null if it goes up in that format
   */
  void asked(byte[] body, @Nullable Translation by) {
    asked = body;
    translation = by;
  }

  /** What is kept of the answer, by which the output is counted if it does not say it. */
  AnswerSample sample() {
    return sample;
  }

  /** What is to be counted of the call, as the upstream did not say it; null for nothing. */
  private @Nullable Uncounted uncounted() {
    return price.isOfTokens()
        ? sample.uncounted(
            call.endpoint(),
            asked,
            usage,
            price.hasOutput(),
            target.provider().formatFor(call.endpoint()).hasImageDetail())
        : null;
  }

  /**
   * Ends the measurement of the last attempt and reports it.
   *
   * @param status that the client received; for an interrupted stream, that of the error in it
   */
  void close(int status) {
    boolean providerFailed = status == 502 || status == 504 || errorReported;
    if (providerFailed) {
      lease.failed(null, false);
    } else if (status < 400) {
      lease.succeeded();
    }
    close(status, status, LoggedCalls.errorType(status), providerFailed);
  }

  /**
   * Ends the measurement of the last attempt, which failed.
   *
   * @param status that the client received
   */
  void closeFailed(AttemptFailure failure, int status) {
    endFailed(failure);
    boolean upstreams = failure.answer() != null;
    close(
        status,
        failure.status(),
        upstreams ? LoggedCalls.UPSTREAM_ANSWER : LoggedCalls.errorType(status),
        failure.causedByProvider());
  }

  private void endFailed(AttemptFailure failure) {
    AttemptFailure.Reason reason = failure.reason();
    ofNode = reason.isOfNode();
    if (reason == AttemptFailure.Reason.DEADLINE) {
      lease.late(number == 1);
    } else if (reason.causedByTarget()) {
      lease.failed(
          reason == AttemptFailure.Reason.RATE_LIMITED ? failure.retryAfter() : null,
          reason.concernsKey());
    } else if (failure.answer() != null) {
      lease.succeeded();
    }
    if (failure.answer() != null) {
      keyAnswered(failure.status());
    }
  }

  private void endedAtProvider(int status, boolean failed) {
    if (!ofNode) {
      measurements.ended(provider(), status, failed);
    }
  }

  /**
   * Holds once more what the attempt did use, for the one that follows, also if that is counted
   * later; returns false if budgets leave too little.
   */
  boolean isHeldAgain() {
    OpenHold hold = progress.hold();
    if (hold == null || (!CallPrice.isUsed(usage) && uncounted() == null)) {
      return true;
    }
    return hold.again(used(price.priced(usage, false)));
  }

  private OpenHold.Used used(Figures figures) {
    Charge.Pass all = LoggedCall.used(price.target(usage), figures);
    return new OpenHold.Used(all.target(), all.tokens(), all.cost(), LoggedCall.passes(figures));
  }

  /** Ends the measurement of an attempt that failed and is followed by another one. */
  void closeFailedOver(AttemptFailure failure) {
    endFailed(failure);
    lease.close();
    long now = System.nanoTime();
    progress.failedFor(now - (sentNanos == 0 ? startNanos : sentNanos));
    endedAtProvider(failure.status(), failure.causedByProvider());
    metrics.failedOver(this, failure);
    log(
        now,
        failure.status(),
        failure.status(),
        failure.answer() == null
            ? LoggedCalls.errorType(failure.status())
            : LoggedCalls.UPSTREAM_ANSWER,
        false);
  }

  private void close(
      int status, int attemptStatus, @Nullable String errorType, boolean providerFailed) {
    lease.close();
    if (streaming) {
      metrics.streamEnded();
    }
    long now = System.nanoTime();
    long upstreamEnd = endNanos == 0 ? now : endNanos;
    endedAtProvider(attemptStatus, providerFailed);
    if (translation != null && translation.isStopUnknown()) {
      metrics.stopUnknown(this);
    }
    metrics.ended(this, status, attemptStatus, (now - progress.startNanos()) / NANOS_PER_SECOND);
    if (sentNanos != 0) {
      long head =
          ServletContextRequest.getServletContextRequest(call.request()).getHeadersNanoTime();
      long before = sentNanos - head - notes.bodyNanos() - progress.failedNanos();
      metrics.upstreamTook(
          this,
          (upstreamEnd - sentNanos) / NANOS_PER_SECOND,
          (before + now - upstreamEnd) / NANOS_PER_SECOND);
    }
    notes.call(
        log(now, status, attemptStatus, errorType, true),
        number > 1 ? progress.trail().attempts() : null);
  }

  private CallFigures log(
      long now, int status, int attemptStatus, @Nullable String errorType, boolean answered) {
    long upstreamEnd = endNanos == 0 ? now : endNanos;
    Figures figures =
        usage.with(Figure.DURATION_MS, now - (answered ? progress.startNanos() : startNanos));
    if (sentNanos != 0) {
      figures = figures.with(Figure.UPSTREAM_MS, upstreamEnd - sentNanos);
    }
    if (firstByteNanos != 0) {
      figures = figures.with(Figure.FIRST_BYTE_MS, firstByteNanos - sentNanos);
    }
    Uncounted rest = uncounted();
    if (rest == null) {
      boolean complete = answered && status < BAD_REQUEST;
      figures = price.priced(figures, complete);
      progress.costs(complete || CallPrice.isUsed(usage) ? figures.get(Figure.COST) : 0);
    } else {
      progress.costs(Figures.UNKNOWN);
    }
    long millis = TimeUnit.NANOSECONDS.toMillis(now - startNanos);
    CallFigures ended =
        new CallFigures(
            PrintableText.of(provider(), MAX_PROVIDER_LENGTH),
            model,
            status,
            streaming,
            figures,
            !CallPrice.isUsed(usage)
                ? null
                : counted || (translation != null && translation.isEstimated())
                    ? Counted.ESTIMATED
                    : Counted.REPORTED,
            errorType,
            new CallFigures.Attempt(number, answered, attemptStatus, millis));
    OpenHold hold = progress.hold();
    Covered covered = null;
    if (hold != null) {
      OpenHold.Used used = used(ended.values());
      progress.used(used, rest == null);
      if (!counted) {
        hold.told(used.target(), usage.own(Figure.INPUT_TOKENS));
      }
      covered = hold.ended(used.target(), answered);
    }
    LoggedCall row =
        LoggedCalls.of(
            call, target.provider().endpointFor(call.endpoint()), startedAt, ended, covered);
    if (rest == null) {
      measurements.report(row, span, notes, null);
    } else {
      measurements.reportCounted(rest, row, span, notes, price);
    }
    return ended;
  }

  /** Updates the provider's health; a caller's own key does not count, only the gateway's. */
  private void keyAnswered(int status) {
    if (gatewaysKey) {
      measurements.keyAnswered(provider(), status, call.caller().keyId());
    }
  }
}
