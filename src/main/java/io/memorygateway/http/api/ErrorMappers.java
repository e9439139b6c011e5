package io.memorygateway.http.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.dropwizard.jersey.setup.JerseyEnvironment;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ErrorCatalogue;
import io.memorygateway.http.errors.ErrorType;
import io.memorygateway.http.errors.JsonResponse;
import io.memorygateway.http.errors.ThrownErrors;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import jakarta.ws.rs.ext.ExceptionMapper;
import java.util.function.Predicate;
import org.eclipse.jetty.http.HttpHeader;
import org.glassfish.jersey.server.ParamException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exception mappers that render whatever is thrown below Jersey as the one error body. They replace
 * Dropwizard's own mappers.
 */
public final class ErrorMappers {
  private static final Logger LOGGER = LoggerFactory.getLogger(ErrorMappers.class);

  private ErrorMappers() {}

  /**
   * Registers the mappers.
   *
   * @param isOutage whether a failure means that the database does not serve at the moment
   */
  public static void register(JerseyEnvironment jersey, Predicate<Throwable> isOutage) {
    ThrownErrors errors = new ThrownErrors(isOutage);
    jersey.register(new ForWebApplicationException());
    jersey.register(new ForJson(errors));
    jersey.register(new ForAnythingElse(errors));
  }

  /** Maps the exceptions of Jersey itself: 404, 405, 406, 415 and the like. */
  static final class ForWebApplicationException
      implements ExceptionMapper<WebApplicationException> {
    /** What a client that asks for a WebSocket is told: Codex then goes on by HTTP at once. */
    private static final ApiError NO_WEB_SOCKET =
        ApiError.of(
                426, ErrorType.INVALID_REQUEST, "No WebSocket is served here; send a POST instead.")
            .withHeader(HttpHeader.UPGRADE.asString(), "HTTP/1.1");

    /** For paths that clients with a wrong base URL request. */
    private static final ApiError WRONG_BASE_URL =
        ApiError.notFound(
            "There is nothing at this path, but its end is known: the base URL of OpenAI clients ends"
                + " in /v1, that of Anthropic clients is the address alone, without /v1; memory is at"
                + " /v1/memory.");

    @Context private @Nullable UriInfo uri;
    @Context private @Nullable HttpHeaders headers;

    @Override
    public Response toResponse(WebApplicationException e) {
      if (e instanceof ParamException) {
        // Of the wrong type, for which Jersey would answer 404.
        return JsonResponse.of(ApiError.invalidRequest("A parameter of the request is malformed."));
      }
      Response thrown = e.getResponse();
      if (thrown.getStatus() < 400) {
        return thrown;
      }
      if (thrown.getStatus() >= 500) {
        LOGGER.error("A request failed", e);
      }
      boolean wrongBaseUrl =
          thrown.getStatus() == 404 && uri != null && ApiPath.isOtherwiseKnown(uri.getPath(false));
      ApiError error = wrongBaseUrl ? WRONG_BASE_URL : ErrorCatalogue.forStatus(thrown.getStatus());
      if (thrown.getStatus() == 405
          && headers != null
          && "websocket".equalsIgnoreCase(headers.getHeaderString(HttpHeader.UPGRADE.asString()))) {
        return JsonResponse.of(NO_WEB_SOCKET);
      }
      String allow = thrown.getHeaderString(HttpHeaders.ALLOW);
      return JsonResponse.of(
          allow == null ? error : error.withHeader(HttpHeaders.ALLOW, withHead(allow)));
    }

    /** Adds HEAD to Allow: Jersey serves it wherever it serves GET, but does not list it. */
    private static String withHead(String allow) {
      return allow.contains("HEAD") ? allow : allow.replace("GET", "GET,HEAD");
    }
  }

  /** Maps failures of JSON, before the mappers that Jersey's modules have for them. */
  record ForJson(ThrownErrors errors) implements ExceptionMapper<JsonProcessingException> {
    @Override
    public Response toResponse(JsonProcessingException e) {
      return JsonResponse.of(errors.of(e));
    }
  }

  record ForAnythingElse(ThrownErrors errors) implements ExceptionMapper<Throwable> {
    @Override
    public Response toResponse(Throwable e) {
      return JsonResponse.of(errors.of(e));
    }
  }
}
