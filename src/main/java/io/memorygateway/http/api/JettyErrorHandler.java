package io.memorygateway.http.api;

import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ErrorCatalogue;
import io.memorygateway.http.errors.ErrorType;
import java.nio.ByteBuffer;
import java.util.List;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/**
 * Answers requests that never reach a resource, in the same shape: those that Jetty's parser
 * refuses, oversized bodies, methods and paths that no servlet takes, failures outside Jersey. It
 * quotes nothing of the request.
 */
public final class JettyErrorHandler extends ErrorHandler {
  /**
   * Methods of the gateway as a whole, for those that it knows nowhere; PUT is of the admin port.
   */
  private static final List<String> METHODS =
      List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

  /** Methods of the servlets outside Jersey: tasks, and all others. */
  private static final String OF_TASKS = "POST, OPTIONS";

  private static final String OF_OTHERS = "GET, HEAD, OPTIONS";

  private static final String TASKS = "/tasks/";

  private static final String ANOTHER_NAME =
      "The host in the URL is none that the certificate of this port is for.";

  private final CommonHeaders commonHeaders;
  private final CrossOrigin crossOrigin;

  /**
   * Creates the handler of both ports.
   *
   * @param commonHeaders set on the application port where no filter has set them
   * @param crossOrigin likewise
   */
  public JettyErrorHandler(CommonHeaders commonHeaders, CrossOrigin crossOrigin) {
    this.commonHeaders = commonHeaders;
    this.crossOrigin = crossOrigin;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    if (!BrowserHeaders.areDue(request)) {
      setHeaders(request, response.getHeaders());
    }
    ApiError error =
        isForAnotherName(request)
            ? ApiError.of(400, ErrorType.INVALID_REQUEST, ANOTHER_NAME)
            : ErrorCatalogue.forStatus(status(response));
    answer(error, request, response, callback);
    return true;
  }

  private void setHeaders(Request request, HttpFields.Mutable headers) {
    commonHeaders.set(
        request.getMethod(),
        Request.getPathInContext(request),
        (name, value) -> {
          if (!headers.contains(name)) {
            headers.put(name, value);
          }
        });
    if (!headers.contains("Access-Control-Allow-Origin")) {
      crossOrigin.set(RefusedRequest.headers(request).get("Origin"), headers::put);
    }
  }

  /** Whether Jetty refused a request over TLS because the certificate is another host's. */
  private static boolean isForAnotherName(Request request) {
    return "Invalid SNI".equals(request.getAttribute(ERROR_MESSAGE));
  }

  private static int status(Response response) {
    return switch (response.getStatus()) {
      // For an HTTP version that it does not serve, Jetty would offer an upgrade that does not
      // exist.
      case 426 -> 505;
      // A servlet that does not know PATCH; who does not know a coding closes the connection.
      case 501 -> response.getHeaders().contains(HttpHeader.CONNECTION) ? 501 : 405;
      default -> response.getStatus();
    };
  }

  /** Methods to allow at the path of a request, where no resource has said so. */
  private static String allowed(Request request) {
    if (!METHODS.contains(request.getMethod())) {
      String all = String.join(", ", METHODS);
      return BrowserHeaders.areDue(request) ? all : all.replace("PUT, ", "");
    }
    String path = Request.getPathInContext(request);
    return path != null && path.startsWith(TASKS) ? OF_TASKS : OF_OTHERS;
  }

  /** Answers with an error, for handlers that know more about it than its status. */
  public static void answer(ApiError error, Request request, Response response, Callback callback) {
    byte[] body = error.toJson();
    if (AnthropicErrorFilter.isAt(Request.getPathInContext(request))) {
      body = AnthropicErrorFilter.mark(body);
    }
    HttpFields.Mutable headers = response.getHeaders();
    response.setStatus(error.status());
    String known = headers.get(RequestId.HEADER);
    RequestId.setHeaders(
        known == null ? RequestId.of(RefusedRequest.headers(request).get(RequestId.HEADER)) : known,
        headers::put);
    if (error.status() == 405 && !headers.contains(HttpHeader.ALLOW)) {
      headers.put(HttpHeader.ALLOW, allowed(request));
    }
    if (error.retryAfterSeconds() != null && !headers.contains(HttpHeader.RETRY_AFTER)) {
      headers.put(HttpHeader.RETRY_AFTER, error.retryAfterSeconds());
    }
    headers.put(HttpHeader.CACHE_CONTROL, "no-store");
    if (BrowserHeaders.areDue(request)) {
      BrowserHeaders.set(headers::put);
    }
    headers.put(new HttpField(HttpHeader.CONTENT_TYPE, "application/json"));
    headers.put(HttpHeader.CONTENT_LENGTH, body.length);
    response.write(true, ByteBuffer.wrap(body), callback);
  }
}
