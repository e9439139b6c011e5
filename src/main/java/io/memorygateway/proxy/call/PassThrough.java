package io.memorygateway.proxy.call;

import static java.util.Objects.requireNonNullElse;

import com.google.common.base.CharMatcher;
import io.memorygateway.concurrent.LiveWork;
import io.memorygateway.format.answer.UpstreamError;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.http.admission.RequestPermit;
import io.memorygateway.http.api.OtherNames;
import io.memorygateway.http.api.RequestNotes;
import io.memorygateway.http.api.ResponseHeader;
import io.memorygateway.http.arrival.BodyReader;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.JsonResponse;
import io.memorygateway.proxy.route.Endpoint;
import io.memorygateway.proxy.route.ForwardedHeaders;
import io.memorygateway.proxy.route.ModelScope;
import io.memorygateway.proxy.route.Provider;
import io.memorygateway.proxy.route.Route;
import io.memorygateway.proxy.route.Router;
import io.memorygateway.proxy.route.Target;
import io.memorygateway.proxy.route.TargetLease;
import io.memorygateway.proxy.route.TargetSelection;
import io.memorygateway.proxy.upstream.PassedRequest;
import io.memorygateway.proxy.upstream.UpstreamAnswer;
import io.memorygateway.proxy.upstream.UpstreamCall;
import io.memorygateway.proxy.upstream.UpstreamFailure;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Set;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.jspecify.annotations.Nullable;

/**
 * Passes calls of further endpoints on to one provider (contract §6): without memory, bodies as
 * they are in both directions, and nothing read of them but the {@code model} of JSON.
 */
public record PassThrough(
    Router router, CallBudgets budgets, CallMeasurements measurements, LiveWork live) {
  /** What paths begin with below which lists stand, as others do at the beginning. */
  private static final Set<String> WITH_LISTS = Set.of("messages", "audio");

  private static final CharMatcher PLAIN =
      CharMatcher.inRange('a', 'z')
          .or(CharMatcher.inRange('A', 'Z'))
          .or(CharMatcher.inRange('0', '9'))
          .or(CharMatcher.anyOf("_:~-"));

  /** How paths end that end what is in work. */
  private static final String CANCEL = "/cancel";

  /**
   * Makes a call; returns when the head of its answer has come.
   *
   * @param path below the version, without a leading slash, decoded
   * @param named the provider that the caller names; null if it names none
   * @param bytes the body, of which Jersey may hold the first byte: of a form it reads that one to
   *     see whether there is any
   * @throws ApiException for every failure before the first byte of an answer
   */
  Response call(
      HttpMethod method,
      String path,
      @Nullable String named,
      HttpServletRequest request,
      InputStream bytes) {
    long start = System.nanoTime();
    Endpoint endpoint = isPlain(path) ? Endpoint.passedThrough(path) : null;
    if (endpoint == null) {
      throw ApiException.notFound("There is nothing at this path.");
    }
    ModelScope models = ModelScope.of(request, router);
    models.scopes().checkEndpoint(endpoint.scopeName());
    RequestBody body = body(request);
    models.checkPassed(endpoint, body);
    ProxyCall call = new ProxyCall(endpoint, body, MemoryHeaders.NONE, request);
    if (method != HttpMethod.POST && !namesId(path) && call.callersKey() == null) {
      throw ApiException.invalidRequest(
          "A list would show what others have made with the gateway's key; it takes a provider"
              + " key of your own.");
    }
    Route route = router.passThrough(endpoint, named, body.model(), call.callersKey());
    TargetLease lease =
        new TargetSelection(
                route, call.caller().keyId(), call.caller().projectId(), null, bound -> 0)
            .first();
    Target target = lease.target();
    try {
      models.checkPassed(body, target);
      // What ends something costs nothing itself.
      if (method == HttpMethod.POST && !path.endsWith(CANCEL)) {
        budgets.checkUncounted(call, target);
      }
    } catch (ApiException e) {
      lease.close();
      throw e;
    }
    String type = requireNonNullElse(request.getContentType(), MediaType.APPLICATION_OCTET_STREAM);
    PassedRequest passed =
        !hasBody(call.headers()) || isJson(request)
            ? PassedRequest.of(
                method,
                type,
                body.model().isEmpty() ? body.bytes() : body.withModel(target.model()))
            : PassedRequest.of(method, type, bytes, request.getContentLengthLong());
    return send(call, lease, path, passed, new CallProgress(start));
  }

  /** Whether a path names one of the things that a key has made, or else concerns all. */
  private static boolean namesId(String path) {
    String[] steps = path.split("/", -1);
    return steps.length > (WITH_LISTS.contains(steps[0]) ? 2 : 1);
  }

  /** Whether a path consists of ids and names as providers make them: no step, no escape. */
  private static boolean isPlain(String path) {
    boolean begins = true;
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (!PLAIN.matches(c) && (begins || (c != '.' && c != '/'))) {
        return false;
      }
      begins = c == '/';
    }
    return !begins;
  }

  private static boolean hasBody(HttpFields headers) {
    return headers.getLongField(HttpHeader.CONTENT_LENGTH) > 0
        || headers.contains(HttpHeader.TRANSFER_ENCODING);
  }

  private static boolean isJson(HttpServletRequest request) {
    String type = request.getContentType();
    return type != null
        && type.regionMatches(
            true, 0, MediaType.APPLICATION_JSON, 0, MediaType.APPLICATION_JSON.length());
  }

  /** The body, if it is JSON; else one of no bytes. */
  private static RequestBody body(HttpServletRequest request) {
    if (!isJson(request)) {
      return RequestBody.none();
    }
    try {
      byte[] received = BodyReader.read(request);
      RequestNotes.of(request).bodyRead();
      return received.length == 0
          ? RequestBody.none()
          : RequestBody.parseAny(received, (String) request.getAttribute(OtherNames.DEPLOYMENT));
    } catch (MalformedBodyException e) {
      throw ApiException.invalidRequest(String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Response send(
      ProxyCall call, TargetLease lease, String path, PassedRequest passed, CallProgress progress) {
    Provider provider = lease.target().provider();
    Provider.KeyHeader key = provider.keyHeader(call.callersKey());
    OutgoingRequest request =
        new OutgoingRequest(
            provider.uri("/" + path, ForwardedHeaders.toUpstream(call.request().getQueryString())),
            ForwardedHeaders.toUpstream(call.headers(), key, call.callersKey() != null),
            key);
    CallMeasurement measurement = measurements.open(call, lease, progress);
    HttpFields.Mutable headers = HttpFields.build(request.headers());
    measurement.span().headers(headers::put);
    UpstreamCall upstream =
        new UpstreamCall(
            provider.upstream(),
            request.uri(),
            headers,
            new byte[0],
            passed,
            call.request(),
            call.caller(),
            live);
    boolean answering = false;
    try {
      RequestPermit.of(call.request()).pause();
      measurement.sent();
      UpstreamAnswer answer = upstream.send(Route.NO_TIMEOUT);
      measurement.firstByte();
      progress.trail().add(lease.target(), answer.status(), null);
      if (answer.status() >= 400) {
        byte[] error =
            UpstreamError.rewrite(
                answer.status(), answer.readAll(Route.NO_TIMEOUT), request.secrets());
        ErrorAnswer of =
            new ErrorAnswer(answer.status(), error, answer.headers(), request.secret());
        return error(progress.trail(), measurement, of);
      }
      measurement.answered();
      Response.ResponseBuilder response =
          Response.status(answer.status())
              .entity(
                  new PassedAnswer(
                      answer, request.secret(), upstream, measurement, call.request()));
      AnswerHeaders.copy(answer.headers(), request.secret(), response);
      answering = true;
      return tried(progress.trail(), response).build();
    } catch (UpstreamFailure failed) {
      AttemptFailure failure = AttemptFailure.of(failed, false);
      progress.trail().add(lease.target(), failure.status(), null);
      ApiError error = failure.error(lease.target().provider().name());
      measurement.closeFailed(failure, error.status());
      throw new ApiException(
          error
              .withHeader(
                  ResponseHeader.TARGET.headerName(), String.valueOf(progress.trail().target()))
              .withHeader(ResponseHeader.ATTEMPTS.headerName(), progress.trail().attempts()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      AttemptFailure failure = AttemptFailure.ended(AttemptFailure.Reason.STOPPED, 503);
      measurement.closeFailed(failure, 503);
      throw new ApiException(failure.error(lease.target().provider().name()));
    } catch (RuntimeException e) {
      // The client did not send its body to the end.
      measurement.close(499);
      throw e;
    } finally {
      if (!answering) {
        upstream.cancel();
        upstream.close();
        lease.close();
      }
    }
  }

  private Response error(AttemptTrail trail, CallMeasurement measurement, ErrorAnswer error) {
    measurement.closeFailed(
        AttemptFailure.of(
            error,
            AttemptFailure.Reason.REFUSED,
            RetryAfter.of(error.headers(), measurements.clock().instant())),
        error.status());
    Response.ResponseBuilder response = JsonResponse.of(error.status(), error.body());
    AnswerHeaders.copy(error.headers(), error.secret(), response);
    return tried(trail, response).type(MediaType.APPLICATION_JSON).build();
  }

  private static Response.ResponseBuilder tried(
      AttemptTrail trail, Response.ResponseBuilder response) {
    return response
        .header(ResponseHeader.TARGET.headerName(), trail.target())
        .header(ResponseHeader.ATTEMPTS.headerName(), trail.attempts());
  }
}
