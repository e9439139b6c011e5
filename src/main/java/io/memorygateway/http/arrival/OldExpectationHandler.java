package io.memorygateway.http.arrival;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Ignores expectations of HTTP/1.0 (RFC 9110, 10.1.1): a client that knows no interim responses
 * would take the 100 that Jetty sends for the answer.
 */
public final class OldExpectationHandler extends Handler.Wrapper {
  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    boolean isOld =
        request.getHeaders().contains(HttpHeader.EXPECT)
            && request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_0;
    return super.handle(isOld ? new WithoutExpectation(request) : request, response, callback);
  }

  private static final class WithoutExpectation extends Request.Wrapper {
    private final HttpFields headers;

    WithoutExpectation(Request request) {
      super(request);
      headers = HttpFields.build(request.getHeaders()).remove(HttpHeader.EXPECT).asImmutable();
    }

    @Override
    public HttpFields getHeaders() {
      return headers;
    }
  }
}
