package io.memorygateway.proxy.call;

import io.memorygateway.http.api.ResponseHeader;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.JsonResponse;
import io.memorygateway.proxy.upstream.UpstreamAnswer;
import io.memorygateway.proxy.upstream.UpstreamExchange;
import io.memorygateway.secret.SecretBytes;
import io.memorygateway.turn.MemoryStatus;
import io.memorygateway.turn.Replay;
import io.memorygateway.turn.Turn;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/** Builder of the responses to one proxied call, with their headers (contract §6, §10). */
final class CallAnswers {
  private final ProxyCall call;
  private final Turn turn;
  private final CallProgress progress;
  private final AttemptTrail trail;

  CallAnswers(ProxyCall call, Turn turn, CallProgress progress) {
    this.call = call;
    this.turn = turn;
    this.progress = progress;
    this.trail = progress.trail();
  }

  /**
   * The stored response to the same call, or to one with its Idempotency-Key; the provider is not
   * called.
   */
  static Response.ResponseBuilder replayed(ProxyCall call, Turn turn, Replay replay) {
    Response.ResponseBuilder response =
        replay.isStream()
            ? Response.ok(handingOn(turn, replay::writeTo))
                .type(MediaType.SERVER_SENT_EVENTS)
                .header(HttpHeaders.CACHE_CONTROL, "no-store")
                .header("X-Accel-Buffering", "no")
            : whole(200, replay.body(), turn);
    setMemory(call, turn, turn.status(), response);
    return response
        .header(ResponseHeader.REPLAYED.headerName(), "true")
        .header(ResponseHeader.COST.headerName(), replay.isStream() ? null : "0");
  }

  /** A stream that the pump passes on. */
  Response stream(
      UpstreamAnswer answer, SecretBytes secret, StreamingOutput pump, MemoryStatus status) {
    Response.ResponseBuilder response =
        Response.status(answer.status()).type(MediaType.SERVER_SENT_EVENTS_TYPE).entity(pump);
    AnswerHeaders.copy(answer.headers(), secret, response);
    if (!UpstreamExchange.isEventStream(answer.headers().get(HttpHeader.CONTENT_TYPE))) {
      response.type(MediaType.SERVER_SENT_EVENTS_TYPE);
    }
    setMemory(call, turn, status, response);
    setTrail(trail.target(), response);
    progress.showBudget(false, response::header);
    return response
        .header(HttpHeaders.CACHE_CONTROL, "no-store")
        .header("X-Accel-Buffering", "no")
        .build();
  }

  /**
   * A complete, successful answer.
   *
   * @param cost of all attempts, in dollars; null if it is not known
   */
  Response complete(
      UpstreamAnswer answer,
      byte[] body,
      SecretBytes secret,
      MemoryStatus status,
      @Nullable String cost) {
    Response.ResponseBuilder response = whole(answer.status(), body, turn);
    AnswerHeaders.copy(answer.headers(), secret, response);
    if (answer.isStream()) {
      response.type(MediaType.APPLICATION_JSON_TYPE);
    }
    setMemory(call, turn, status, response);
    setTrail(trail.target(), response);
    progress.showBudget(true, response::header);
    return response.header(ResponseHeader.COST.headerName(), cost).build();
  }

  private static Response.ResponseBuilder whole(int status, byte[] body, Turn turn) {
    return JsonResponse.of(status, body).entity(handingOn(turn, out -> out.write(body)));
  }

  /** An output after which the turn knows that its end was handed on. */
  private static StreamingOutput handingOn(Turn turn, StreamingOutput output) {
    return out -> {
      output.write(out);
      out.flush();
      turn.handedOn();
    };
  }

  /**
   * An upstream's own error.
   *
   * @param target that reported the error
   * @param retryAfter sent instead of the upstream's own; null to keep that
   */
  Response error(ErrorAnswer error, @Nullable String target, @Nullable Duration retryAfter) {
    Response.ResponseBuilder response = JsonResponse.of(error.status(), error.body());
    AnswerHeaders.copy(error.headers(), error.secret(), response);
    setMemory(call, turn, MemoryStatus.OFF, response);
    setTrail(target, response);
    progress.showBudget(true, response::header);
    if (retryAfter != null) {
      response
          .header("retry-after-ms", null)
          .header(HttpHeaders.RETRY_AFTER, null)
          .header(HttpHeaders.RETRY_AFTER, seconds(retryAfter));
    }
    return response.type(MediaType.APPLICATION_JSON).build();
  }

  /**
   * The gateway's own error.
   *
   * @param target whose failure it reports; null if there was no attempt
   */
  ApiException failure(ApiError error, @Nullable String target, @Nullable Duration retryAfter) {
    ApiError known = error.withHeader(ResponseHeader.ATTEMPTS.headerName(), trail.attempts());
    Map<String, String> budget = new TreeMap<>();
    progress.showBudget(true, budget::put);
    for (Map.Entry<String, String> header : budget.entrySet()) {
      known = known.withHeader(header.getKey(), header.getValue());
    }
    if (target != null) {
      known = known.withHeader(ResponseHeader.TARGET.headerName(), target);
    }
    if (call.endpoint().hasMemory()) {
      String status = MemoryStatus.OFF.wireName();
      known = known.withHeader(ResponseHeader.MEMORY_STATUS.headerName(), status);
    }
    return new ApiException(
        retryAfter == null || error.retryAfterSeconds() != null
            ? known
            : known.withHeader(HttpHeaders.RETRY_AFTER, seconds(retryAfter)));
  }

  private static String seconds(Duration retryAfter) {
    return Long.toString(Math.max(1, (retryAfter.toMillis() + 999) / 1000));
  }

  private void setTrail(@Nullable String target, Response.ResponseBuilder response) {
    response
        .header(ResponseHeader.TARGET.headerName(), target)
        .header(ResponseHeader.ATTEMPTS.headerName(), trail.attempts())
        .header(ResponseHeader.DROPPED.headerName(), trail.dropped());
  }

  private static void setMemory(
      ProxyCall call, Turn turn, MemoryStatus status, Response.ResponseBuilder response) {
    if (call.endpoint().hasMemory()) {
      response.header(ResponseHeader.MEMORY_STATUS.headerName(), status.wireName());
      response.header(ResponseHeader.MEMORY_CONTEXT.headerName(), turn.context());
    }
  }
}
