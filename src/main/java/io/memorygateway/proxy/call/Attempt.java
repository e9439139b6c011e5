package io.memorygateway.proxy.call;

import static java.util.Objects.requireNonNull;

import io.memorygateway.concurrent.LiveWork;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.Format;
import io.memorygateway.format.answer.MalformedAnswerException;
import io.memorygateway.format.answer.StartEvent;
import io.memorygateway.format.answer.WholeAnswer;
import io.memorygateway.format.translation.Answer;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.format.translation.Gathered;
import io.memorygateway.format.translation.StreamTranslation;
import io.memorygateway.format.translation.Translation;
import io.memorygateway.http.admission.RequestPermit;
import io.memorygateway.json.MalformedJsonException;
import io.memorygateway.json.ValueCount;
import io.memorygateway.proxy.call.AttemptFailure.Reason;
import io.memorygateway.proxy.route.Endpoint;
import io.memorygateway.proxy.route.Route;
import io.memorygateway.proxy.route.Target;
import io.memorygateway.proxy.upstream.UpstreamAnswer;
import io.memorygateway.proxy.upstream.UpstreamCall;
import io.memorygateway.proxy.upstream.UpstreamFailure;
import io.memorygateway.proxy.upstream.UpstreamFailure.Kind;
import io.memorygateway.secret.SecretBytes;
import io.memorygateway.sse.EventSplitter;
import io.memorygateway.tracing.CallSpan;
import java.io.IOException;
import java.io.OutputStream;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One attempt to have a call answered by a target. Used by the thread that serves the call. */
final class Attempt implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(Attempt.class);
  private static final int BAD_REQUEST = 400;

  /** Names what of Anthropic's API that is not settled a call uses. */
  private static final String BETA = "anthropic-beta";

  private final ProxyCall call;
  private final Target target;
  private final OutgoingRequest request;
  private final @Nullable Translation translation;
  private final @Nullable String dropped;
  private final SecretBytes secret;
  private final ErrorAnswers errors;
  private final CallMeasurement measurement;
  private final InstantSource clock;
  private final UpstreamCall upstreamCall;
  private long sentNanos;
  private long timeoutMillis;

  /**
   * @param live where it is listed until it is closed
   */
  Attempt(
      ProxyCall call,
      Target target,
      OutgoingRequest request,
      TargetBodies.TargetBody body,
      CallMeasurement measurement,
      LiveWork live,
      InstantSource clock) {
    this.call = call;
    this.target = target;
    this.request = request;
    this.translation = body.translation();
    this.dropped = body.dropped(call.replaced());
    this.secret = request.secret();
    boolean written = call.isRemembered() && call.format().hasServersOfStrictRoles();
    this.errors = new ErrorAnswers(translation, request, translation != null || written);
    this.measurement = measurement;
    this.clock = clock;
    this.upstreamCall =
        new UpstreamCall(
            target.provider().upstream(),
            request.uri(),
            headers(measurement, body.beta()),
            body.bytes(),
            null,
            call.request(),
            call.caller(),
            live);
    measurement.span().input(body.bytes());
    measurement.asked(body.called(), body.translation());
  }

  private HttpFields headers(CallMeasurement traced, @Nullable String beta) {
    if (traced.span() == CallSpan.NONE && beta == null) {
      return request.headers();
    }
    HttpFields.Mutable headers = HttpFields.build(request.headers());
    if (beta != null) {
      headers.add(BETA, beta);
    }
    traced.span().headers(headers::put);
    return headers;
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

  /** A part of an attempt that may fail. */
  private interface Step {
    AttemptResult run() throws UpstreamFailure, InterruptedException;
  }

  /**
   * Sends the request and waits for the whole answer, or for the head of a stream.
   *
   * @param timeoutMillis longest wait for that, besides the provider's own limits
   * @param hasAlternative whether another target may answer instead: a stream is then held until
   *     its first content, and an unusable answer is a failure
   */
  AttemptResult send(long timeoutMillis, boolean hasAlternative) {
    RequestPermit permit = RequestPermit.of(call.request());
    permit.pause();
    measurement.sent();
    sentNanos = System.nanoTime();
    this.timeoutMillis = timeoutMillis;
    return guarded(
        () -> {
          UpstreamAnswer answer = upstreamCall.send(timeoutMillis);
          measurement.firstByte();
          if (answer.isStream()) {
            if (hasAlternative && !call.body().stream()) {
              answer.cancel();
              return new AttemptResult.Failed(AttemptFailure.invalid(null));
            }
            if (translation != null && !call.body().stream()) {
              AttemptResult gathered = gathered(answer, translation);
              permit.resume();
              return gathered;
            }
            EventSplitter events = events();
            return hasAlternative
                ? held(answer, events)
                : new AttemptResult.Stream(answer, events, events);
          }
          byte[] received = answer.readAll(Math.max(1, left()));
          measurement.answerRead();
          permit.resume();
          AttemptResult result = complete(answer, received, hasAlternative);
          if (result instanceof AttemptResult.Stream) {
            permit.pause();
          }
          return result;
        });
  }

  /** Reads all of a stream, for a caller that asked for a whole answer. */
  private AttemptResult gathered(UpstreamAnswer answer, Translation by)
      throws UpstreamFailure, InterruptedException {
    Gathered whole = new Gathered();
    boolean complete = false;
    try {
      AttemptResult result = gathered(answer, by, whole);
      complete = result instanceof AttemptResult.Complete;
      return result;
    } catch (IOException | RuntimeException defect) {
      LOGGER.error("A stream could not be gathered", defect);
      throw new UpstreamFailure(Kind.BROKEN, defect);
    } finally {
      // What it cost, also if it failed.
      measurement.usage(Figures.NONE);
      if (!complete) {
        taken(whole.soFar());
      }
    }
  }

  /** Has a part of an answer counted that the caller does not get. */
  private void taken(Answer part) {
    if (!part.pieces().isEmpty()) {
      measurement.sample().taken(part);
    }
  }

  private AttemptResult gathered(UpstreamAnswer answer, Translation by, Gathered whole)
      throws UpstreamFailure, InterruptedException, IOException {
    StreamTranslation events =
        by.openWhole(whole, Attempt::defect, call.reservation()::tryAddAnswer);
    boolean last = false;
    while (!last && !whole.hasEnded()) {
      Content.Chunk chunk = answer.readHeld(Math.max(1, left()));
      last = chunk.isLast();
      byte[] bytes = BufferUtil.toArray(chunk.getByteBuffer());
      chunk.release();
      events.feed(bytes, 0, bytes.length, event -> {});
    }
    events.finish(event -> {});
    if (!last) {
      answer.cancel();
    }
    measurement.answerRead();
    Fault fault = whole.fault();
    if (fault != null && (fault.isBroken() || fault.equals(Fault.FULL))) {
      throw new UpstreamFailure(
          fault.isBroken() ? Kind.BROKEN : Kind.NO_ROOM,
          new IllegalStateException("a stream that cannot be read to its end"));
    }
    if (fault != null) {
      return new AttemptResult.Failed(
          AttemptFailure.of(errors.of(by, fault, answer.headers()), Reason.REFUSED, null));
    }
    byte[] body = secret.mask(by.answer(whole.answer()));
    TracedAnswer.complete(measurement.span(), body);
    measurement.sample().whole(body);
    return new AttemptResult.Complete(answer, body);
  }

  private static void defect(RuntimeException defect) {
    LOGGER.error("A stream could not be translated", defect);
  }

  /** Sends on the comments of a stream, and waits on for it. */
  AttemptResult resume(AttemptResult.Held before, OutputStream client) {
    return guarded(
        () -> {
          try {
            client.write(secret.mask(before.start().comments()));
            client.flush();
          } catch (IOException e) {
            // The client has left, or does not read: the stream ends as one that was left.
            upstreamCall.cancel();
          }
          return await(before);
        });
  }

  private AttemptResult guarded(Step step) {
    try {
      return step.run();
    } catch (UpstreamFailure failure) {
      if (failure.isOfUpstream()) {
        LOGGER.warn(
            "Provider {} failed before its answer: {}",
            target.provider().name(),
            failure.getMessage());
      }
      // Waits are of whole milliseconds, rounded down.
      return new AttemptResult.Failed(AttemptFailure.of(failure, left() <= 1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      upstreamCall.cancel();
      return new AttemptResult.Failed(AttemptFailure.ended(Reason.STOPPED, 503));
    }
  }

  private long left() {
    return timeoutMillis == Route.NO_TIMEOUT
        ? timeoutMillis
        : timeoutMillis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sentNanos);
  }

  private AttemptResult held(UpstreamAnswer answer, EventSplitter events)
      throws UpstreamFailure, InterruptedException {
    long limit = Math.min(target.provider().upstream().firstByteMillis(), timeoutMillis);
    long deadline = sentNanos + TimeUnit.MILLISECONDS.toNanos(limit);
    return await(
        new AttemptResult.Held(
            answer, new HeldStart(answer, events, call.format(), call.reservation(), deadline)));
  }

  private AttemptResult await(AttemptResult.Held held)
      throws UpstreamFailure, InterruptedException {
    HeldStart start = held.start();
    StartEvent came = StartEvent.END;
    try {
      came = start.await();
    } finally {
      if (came != StartEvent.CONTENT && came != StartEvent.COMMENT) {
        start.measure(measurement);
      }
    }
    if (came == StartEvent.COMMENT) {
      return held;
    }
    if (came == StartEvent.CONTENT) {
      return start.stream();
    }
    byte[] error = start.error();
    return new AttemptResult.Failed(
        AttemptFailure.invalid(
            error == null ? null : errors.of(502, held.answer().headers(), error)));
  }

  /** What an error says that the attempt used, as few do. */
  private Figures usage(byte[] error) {
    try {
      return format().wholeAnswer(error).usage();
    } catch (MalformedAnswerException e) {
      return Figures.NONE;
    }
  }

  private AttemptResult complete(UpstreamAnswer answer, byte[] received, boolean hasAlternative)
      throws UpstreamFailure {
    int status = answer.status();
    if (status >= BAD_REQUEST) {
      measurement.usage(usage(received));
      return new AttemptResult.Failed(
          errors.failure(status, answer.headers(), received, hasAlternative, clock.instant()));
    }
    if (status < 200 || status > 299) {
      throw new UpstreamFailure(
          Kind.BROKEN, new IllegalStateException("an answer of status " + status));
    }
    byte[] body = secret.mask(received);
    TracedAnswer.complete(measurement.span(), body);
    WholeAnswer read = null;
    AttemptResult result = null;
    try {
      read = format().wholeAnswer(body);
      result = whole(answer, read, body, hasAlternative);
      return result;
    } catch (MalformedAnswerException | MalformedJsonException e) {
      throw new UpstreamFailure(Kind.BROKEN, e);
    } catch (RuntimeException defect) {
      LOGGER.error("An answer could not be read", defect);
      throw new UpstreamFailure(Kind.BROKEN, defect);
    } finally {
      // What it cost, also if it failed; told as a stream, it says so at its end.
      if (read != null && !(result instanceof AttemptResult.Stream)) {
        measurement.usage(read.usage());
      }
    }
  }

  private AttemptResult whole(
      UpstreamAnswer answer, WholeAnswer read, byte[] received, boolean hasAlternative)
      throws UpstreamFailure, MalformedJsonException {
    if (translation != null && read.isError()) {
      if (read.content() == WholeAnswer.Content.PART) {
        Answer part = readValues(translation, received);
        measurement.sample().taken(part.usage().isKnown() ? null : part);
      }
      return new AttemptResult.Failed(
          AttemptFailure.invalid(errors.of(502, answer.headers(), received)));
    }
    byte[] body = received;
    if (translation != null) {
      Answer whole = readValues(translation, received);
      if (read.content() == WholeAnswer.Content.NEITHER || whole.saysNothing()) {
        throw new UpstreamFailure(
            Kind.BROKEN, new IllegalStateException("an answer that says nothing"));
      }
      if (call.body().stream() && !hasAlternative) {
        measurement.sample().taken(whole.usage().isKnown() ? null : whole);
        answer.startWith(new byte[0], true);
        EventSplitter events =
            translation.openStream(whole, Attempt::defect, call.reservation()::tryAddAnswer);
        return new AttemptResult.Stream(answer, events, events);
      }
      body = translation.answer(whole);
      call.reservation().releaseAnswer(ValueCount.heapOf(received));
    } else if (call.alias() != null) {
      body = AliasedAnswer.of(received, call.alias());
    }
    if (read.content() == WholeAnswer.Content.ANSWER
        || read.content() == WholeAnswer.Content.PART) {
      measurement.sample().whole(body);
    }
    if (!hasAlternative) {
      return new AttemptResult.Complete(answer, body);
    }
    if (read.isError()) {
      return new AttemptResult.Failed(
          AttemptFailure.invalid(errors.of(502, answer.headers(), body)));
    }
    return call.body().stream() || read.content() == WholeAnswer.Content.NEITHER
        ? new AttemptResult.Failed(AttemptFailure.invalid(null))
        : new AttemptResult.Complete(answer, body);
  }

  /** Reads an answer with heap reserved for its values; without, it counts by its length. */
  private Answer readValues(Translation by, byte[] body)
      throws UpstreamFailure, MalformedJsonException {
    if (!call.reservation().tryAddAnswer(ValueCount.heapOf(body))) {
      measurement.sample().takenUnread(body.length);
      throw new UpstreamFailure(Kind.NO_ROOM, new IllegalStateException("an answer's values"));
    }
    return by.read(body);
  }

  /** What makes the caller's events of the target's stream. */
  private EventSplitter events() {
    if (translation != null) {
      return translation.openStream(Attempt::defect, call.reservation()::tryAddAnswer);
    }
    return call.alias() == null
        ? HeldStart.splitter(call.reservation())
        : new AliasedAnswer(
            call.alias(), measurement::answering, HeldStart.splitter(call.reservation()));
  }

  private Format format() {
    return endpoint().format();
  }

  private Endpoint endpoint() {
    return requireNonNull(target.provider().endpointFor(call.endpoint()));
  }

  /** What was left out of the call; null if nothing was. */
  @Nullable String dropped() {
    return dropped;
  }

  /** Stops watching the client; to be called before the response's last byte. */
  @Override
  public void close() {
    upstreamCall.close();
  }
}
