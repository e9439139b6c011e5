package io.memorygateway.proxy;

import io.memorygateway.concurrent.LiveWork;
import io.memorygateway.dialect.MalformedAnswerException;
import io.memorygateway.dialect.SecretBytes;
import io.memorygateway.dialect.UpstreamError;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.http.BodyReservation;
import io.memorygateway.http.ClientWatch;
import io.memorygateway.http.ErrorCatalogue;
import io.memorygateway.http.JsonResponse;
import io.memorygateway.turn.MemoryStatus;
import io.memorygateway.turn.Replay;
import io.memorygateway.turn.Turn;
import io.memorygateway.turn.Turns;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import java.net.URI;
import java.util.List;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes a call on to its provider, and the answer back (contract §6). */
final class LlmProxy {
  private static final Logger LOGGER = LoggerFactory.getLogger(LlmProxy.class);

  /** Header of an answer that was given before. */
  private static final String REPLAYED = "Idempotent-Replayed";

  private final Router router;
  private final Turns turns;
  private final CallMeasurements measurements;
  private final LiveWork live;

  LlmProxy(Router router, Turns turns, CallMeasurements measurements, LiveWork live) {
    this.router = router;
    this.turns = turns;
    this.measurements = measurements;
    this.live = live;
  }

  /**
   * Makes a call and waits for the head of the answer; of an answer that is no stream, for all of
   * it.
   *
   * @throws ApiException for everything that fails before the first byte
   */
  Response call(ProxyCall call) {
    long start = System.nanoTime();
    Router.Route route = router.route(call.endpoint(), call.body().model(), call.callersKey());
    Provider provider = route.provider();
    Provider.KeyHeader key = provider.keyHeader(call.callersKey());
    URI uri =
        provider.uri(call.endpoint(), ForwardedHeaders.toUpstream(call.request().getQueryString()));
    HttpFields headers = ForwardedHeaders.toUpstream(call.headers(), key);
    Turn turn =
        turns.open(
            call.caller(),
            call.memory(),
            call.dialect(),
            call.body(),
            route.model(),
            ClientWatch.of(call.request()),
            call.reservation());
    Replay replay = turn.replay();
    if (replay != null) {
      return replayed(call, turn, replay);
    }
    byte[] upstreamBody = turn.upstreamBody();

    // From here on the call is waited for: only its bytes stay, twice where they were changed.
    call.reservation().keepRequest(2L * call.body().length() + upstreamBody.length);

    CallMeasurement measurement = measurements.open(call, provider.name(), route.model(), start);
    UpstreamCall upstreamCall =
        new UpstreamCall(provider.upstream(), uri, headers, upstreamBody, call, live);
    boolean streaming = false;
    try {
      measurement.sent();
      UpstreamAnswer answer = upstreamCall.send();
      measurement.firstByte();
      SecretBytes secret = SecretBytes.of(key == null ? null : key.secret());
      if (answer.isEventStream()) {
        Response response = stream(call, turn, answer, secret, upstreamCall, measurement);
        streaming = true;
        return response;
      }
      return whole(call, turn, answer, key, secret, measurement);
    } catch (UpstreamFailure failure) {
      ApiError error = error(failure);
      if (failure.isOfUpstream()) {
        LOGGER.warn(
            "Provider {} failed before its answer: {}", provider.name(), failure.getMessage());
      }
      measurement.close(error.status());
      throw new ApiException(error);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      upstreamCall.cancel();
      measurement.close(503);
      throw new ApiException(ErrorCatalogue.forStatus(503));
    } finally {
      if (!streaming) {
        upstreamCall.close();
        turn.close();
      }
    }
  }

  /** An answer that the caller had before; the provider is not asked. */
  private static Response replayed(ProxyCall call, Turn turn, Replay replay) {
    Response.ResponseBuilder response =
        replay.isStream()
            ? Response.ok((StreamingOutput) replay::writeTo)
                .type(MediaType.SERVER_SENT_EVENTS)
                .header(HttpHeaders.CACHE_CONTROL, "no-store")
                .header("X-Accel-Buffering", "no")
            : JsonResponse.of(200, replay.whole());
    setMemory(call, turn, turn.status(), response);
    return response.header(REPLAYED, "true").build();
  }

  private static Response stream(
      ProxyCall call,
      Turn turn,
      UpstreamAnswer answer,
      SecretBytes secret,
      UpstreamCall upstreamCall,
      CallMeasurement measurement) {
    measurement.streamBegan();
    StreamPump pump =
        new StreamPump(
            answer, call.dialect().openStream(), secret, turn, upstreamCall, measurement);
    Response.ResponseBuilder response =
        Response.status(answer.status()).type(MediaType.SERVER_SENT_EVENTS_TYPE).entity(pump);
    AnswerHeaders.copy(answer.headers(), secret, response);
    setMemory(call, turn, turn.status(), response);
    return response
        .header(HttpHeaders.CACHE_CONTROL, "no-store")
        .header("X-Accel-Buffering", "no")
        .build();
  }

  private static Response whole(
      ProxyCall call,
      Turn turn,
      UpstreamAnswer answer,
      Provider.@Nullable KeyHeader key,
      SecretBytes secret,
      CallMeasurement measurement)
      throws UpstreamFailure, InterruptedException {
    byte[] received = answer.readAll();
    measurement.answerRead();
    if (answer.status() >= 400) {
      List<String> secrets = key == null ? List.of() : List.of(key.secret());
      byte[] error = UpstreamError.rewrite(answer.status(), received, secrets);
      measurement.closeWithUpstreamError(answer.status());
      Response.ResponseBuilder response = JsonResponse.of(answer.status(), error);
      AnswerHeaders.copy(answer.headers(), secret, response);
      setMemory(call, turn, MemoryStatus.OFF, response);
      return response.type("application/json").build();
    }
    if (answer.status() < 200 || answer.status() > 299) {
      throw new UpstreamFailure(
          UpstreamFailure.Kind.BROKEN,
          new IllegalStateException("an answer of status " + answer.status()));
    }
    byte[] body = secret.mask(received);
    try {
      measurement.usage(call.dialect().usage(body));
    } catch (MalformedAnswerException e) {
      throw new UpstreamFailure(UpstreamFailure.Kind.BROKEN, e);
    }
    MemoryStatus status;
    try {
      status = turn.answered(body);
    } catch (RuntimeException e) {
      measurement.close(e instanceof ApiException known ? known.error().status() : 500);
      throw e;
    }
    measurement.close(answer.status());
    Response.ResponseBuilder response = JsonResponse.of(answer.status(), body);
    AnswerHeaders.copy(answer.headers(), secret, response);
    setMemory(call, turn, status, response);
    return response.build();
  }

  private static void setMemory(
      ProxyCall call, Turn turn, MemoryStatus status, Response.ResponseBuilder response) {
    if (call.endpoint().hasMemory()) {
      response.header(MemoryStatus.HEADER, status.wireName());
      response.header(MemoryStatus.CONTEXT_HEADER, turn.context());
    }
  }

  private static ApiError error(UpstreamFailure failure) {
    return switch (failure.kind()) {
      case TIMEOUT -> ErrorCatalogue.forStatus(504);
      // Nobody is there to read it; the status is for the records (as nginx counts it).
      case CANCELLED -> ErrorCatalogue.forStatus(499);
      case STOPPED -> ApiError.unavailable(StreamPump.STOPPED, 1);
      case NO_ROOM -> BodyReservation.refused().error();
      case UNREACHABLE, BROKEN -> ErrorCatalogue.forStatus(502);
    };
  }
}
