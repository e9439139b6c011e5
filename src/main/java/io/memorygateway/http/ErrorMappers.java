package io.memorygateway.http;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.exc.InvalidDefinitionException;
import io.dropwizard.jersey.setup.JerseyEnvironment;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import jakarta.ws.rs.ext.ExceptionMapper;
import java.util.function.Predicate;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.io.EofException;
import org.glassfish.jersey.server.ParamException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The exception mappers that render whatever is thrown below Jersey as the one error body. They
 * take the place of Dropwizard's own mappers.
 */
public final class ErrorMappers {
  private static final Logger LOGGER = LoggerFactory.getLogger(ErrorMappers.class);

  private ErrorMappers() {}

  /**
   * Registers the mappers.
   *
   * @param isOutage whether a failure means that the database does not serve at the moment
   */
  static void register(JerseyEnvironment jersey, Predicate<Throwable> isOutage) {
    jersey.register(new ForApiException());
    jersey.register(new ForWebApplicationException());
    jersey.register(new ForParamException());
    jersey.register(new ForJson());
    jersey.register(new ForJettyHttp());
    jersey.register(new ForEof());
    jersey.register(new ForAnythingElse(isOutage));
  }

  static final class ForApiException implements ExceptionMapper<ApiException> {
    @Override
    public Response toResponse(ApiException e) {
      return JsonResponse.of(e.error());
    }
  }

  /** Maps the exceptions of Jersey itself: 404, 405, 406, 415 and the like. */
  static final class ForWebApplicationException
      implements ExceptionMapper<WebApplicationException> {
    @Context private @Nullable UriInfo uri;

    @Override
    public Response toResponse(WebApplicationException e) {
      Response thrown = e.getResponse();
      if (thrown.getStatus() < 400) {
        return thrown;
      }
      if (thrown.getStatus() >= 500) {
        LOGGER.error("A request failed", e);
      }
      boolean wrongBaseUrl =
          thrown.getStatus() == 404 && uri != null && BaseUrlHint.fits(uri.getPath(false));
      ApiError error =
          wrongBaseUrl ? BaseUrlHint.ERROR : ErrorCatalogue.forStatus(thrown.getStatus());
      String allow = thrown.getHeaderString(HttpHeaders.ALLOW);
      return JsonResponse.of(
          allow == null ? error : error.withHeader(HttpHeaders.ALLOW, withHead(allow)));
    }

    /** Jersey serves HEAD wherever it serves GET, but does not say so. */
    private static String withHead(String allow) {
      return allow.contains("HEAD") ? allow : allow.replaceFirst("\\bGET\\b", "GET,HEAD");
    }
  }

  /** A query, path or header parameter of the wrong type; Jersey would say 404. */
  static final class ForParamException implements ExceptionMapper<ParamException> {
    @Override
    public Response toResponse(ParamException e) {
      return JsonResponse.of(ApiError.invalidRequest("A parameter of the request is malformed."));
    }
  }

  static final class ForJson implements ExceptionMapper<JsonProcessingException> {
    @Override
    public Response toResponse(JsonProcessingException e) {
      if (e.getProcessor() instanceof JsonGenerator || e instanceof InvalidDefinitionException) {
        // It was we who could not write, or not bind, an object of ours.
        LOGGER.error("A request failed", e);
        return JsonResponse.of(ErrorCatalogue.forStatus(500));
      }
      return JsonResponse.of(ApiError.invalidRequest("The request body is not the JSON expected."));
    }
  }

  /** Jetty's own, raised while a body is read: too large, malformed chunks. */
  static final class ForJettyHttp implements ExceptionMapper<HttpException.RuntimeException> {
    @Override
    public Response toResponse(HttpException.RuntimeException e) {
      return JsonResponse.of(ErrorCatalogue.forStatus(e.getCode()));
    }
  }

  /** The client closed before its request was complete; the answer rarely reaches anybody. */
  static final class ForEof implements ExceptionMapper<EofException> {
    @Override
    public Response toResponse(EofException e) {
      return JsonResponse.of(ErrorCatalogue.forStatus(400));
    }
  }

  static final class ForAnythingElse implements ExceptionMapper<Throwable> {
    private final Predicate<Throwable> isOutage;

    ForAnythingElse(Predicate<Throwable> isOutage) {
      this.isOutage = isOutage;
    }

    @Override
    public Response toResponse(Throwable e) {
      ApiError known = KnownCause.of(e, isOutage);
      if (known != null) {
        if (known.status() >= 500) {
          LOGGER.warn("A request could not be served: {}", e.toString());
        }
        return JsonResponse.of(known);
      }
      LOGGER.error("A request failed", e);
      return JsonResponse.of(ErrorCatalogue.forStatus(500));
    }
  }
}
