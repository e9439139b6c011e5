package io.memorygateway.http.arrival;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that Jetty accepts although nothing here serves them, and closes the connection:
 * transfer codings other than chunked, which would be taken for no coding, and tunnels. Ignores
 * expectations of HTTP/1.0 (RFC 9110, 10.1.1): a client that knows no interim responses would take
 * the 100 that Jetty sends for the answer.
 *
 * <p>And requests of very many headers: Jersey looks each up among all, before it knows the key.
 */
public final class UnsupportedRequestHandler extends Handler.Wrapper {
  private static final int MAX_HEADERS = 200;

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    int status = refusal(request);
    if (status == 0) {
      boolean isOld =
          request.getHeaders().contains(HttpHeader.EXPECT)
              && request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_0;
      return super.handle(isOld ? withoutExpectation(request) : request, response, callback);
    }
    response.getHeaders().put(HttpHeader.CONNECTION, "close");
    Response.writeError(request, response, callback, status);
    return true;
  }

  private static int refusal(Request request) {
    if (HttpMethod.CONNECT.is(request.getMethod())) {
      return 405;
    }
    if (request.getHeaders().size() > MAX_HEADERS) {
      return 431;
    }
    @Nullable String coding = request.getHeaders().get(HttpHeader.TRANSFER_ENCODING);
    return coding == null || coding.strip().equalsIgnoreCase("chunked") ? 0 : 501;
  }

  private static Request withoutExpectation(Request request) {
    HttpFields headers =
        HttpFields.build(request.getHeaders()).remove(HttpHeader.EXPECT).asImmutable();
    return new Request.Wrapper(request) {
      @Override
      public HttpFields getHeaders() {
        return headers;
      }
    };
  }
}
