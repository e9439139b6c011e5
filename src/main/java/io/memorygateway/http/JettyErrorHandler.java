package io.memorygateway.http;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/**
 * Answers what never reaches a resource, in the same shape: requests that Jetty's parser refuses,
 * oversized bodies, methods and paths that no servlet takes, failures outside Jersey. It says
 * nothing that came with the request.
 */
public final class JettyErrorHandler extends ErrorHandler {
  /** The methods of the gateway as a whole; a resource's own answer is narrower and stays. */
  private static final String METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

  private final EdgeHeaders edgeHeaders;
  private final CrossOrigin crossOrigin;

  /**
   * Answers on a port.
   *
   * @param edgeHeaders set where no filter has set them
   * @param crossOrigin likewise
   */
  public JettyErrorHandler(EdgeHeaders edgeHeaders, CrossOrigin crossOrigin) {
    this.edgeHeaders = edgeHeaders;
    this.crossOrigin = crossOrigin;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    String path = Request.getPathInContext(request);
    HttpFields.Mutable headers = response.getHeaders();
    edgeHeaders.set(
        request.getMethod(),
        path,
        (name, value) -> {
          if (!headers.contains(name)) {
            headers.put(name, value);
          }
        });
    if (!headers.contains("Access-Control-Allow-Origin")) {
      crossOrigin.set(RefusedRequest.headers(request).get("Origin"), headers::put);
    }
    // To a version that it does not serve, Jetty would offer an upgrade that there is none to.
    int status = response.getStatus() == 426 ? 505 : response.getStatus();
    answer(ErrorCatalogue.forStatus(status), request, response, callback);
    return true;
  }

  /** Answers with an error, for handlers that know more of it than its status. */
  public static void answer(ApiError error, Request request, Response response, Callback callback) {
    byte[] body = error.toJson();
    if (MessagesErrors.isAt(Request.getPathInContext(request))) {
      body = MessagesErrors.mark(body);
    }
    HttpFields.Mutable headers = response.getHeaders();
    response.setStatus(error.status());
    if (!headers.contains(RequestId.HEADER)) {
      headers.put(
          RequestId.HEADER, RequestId.of(RefusedRequest.headers(request).get(RequestId.HEADER)));
    }
    headers.put(RequestId.ANTHROPIC_HEADER, headers.get(RequestId.HEADER));
    if (error.status() == 405 && !headers.contains(HttpHeader.ALLOW)) {
      headers.put(HttpHeader.ALLOW, METHODS);
    }
    if (error.retryAfterSeconds() != null && !headers.contains(HttpHeader.RETRY_AFTER)) {
      headers.put(HttpHeader.RETRY_AFTER, error.retryAfterSeconds());
    }
    headers.put(HttpHeader.CACHE_CONTROL, "no-store");
    headers.put(new HttpField(HttpHeader.CONTENT_TYPE, "application/json"));
    headers.put(HttpHeader.CONTENT_LENGTH, body.length);
    response.write(true, ByteBuffer.wrap(body), callback);
  }
}
