package io.memorygateway.ops;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Makes clients open a new connection, which leads them to another node, while this one drains.
 * Probes of readiness are told from that moment on, however rarely Dropwizard runs its checks; the
 * node is still alive.
 */
final class DrainHandler extends Handler.Wrapper {
  private static final String NOT_READY =
      """
      [{"name":"draining","healthy":false,"type":"READY","critical":true}]""";

  private final Drain drain;

  DrainHandler(Drain drain) {
    this.drain = drain;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    if (!drain.isOn()) {
      return super.handle(request, response, callback);
    }
    HttpFields.Mutable headers = response.getHeaders().put(HttpFields.CONNECTION_CLOSE);
    if (!Request.getPathInContext(request).equals(HealthModule.PROBE_PATH)
        || "alive".equalsIgnoreCase(Request.extractQueryParameters(request).getValue("type"))) {
      return super.handle(request, response, callback);
    }
    response.setStatus(HttpStatus.SERVICE_UNAVAILABLE_503);
    headers.put(HttpHeader.CONTENT_TYPE, "application/json");
    headers.put(HttpHeader.CACHE_CONTROL, "no-store");
    Content.Sink.write(response, true, NOT_READY, callback);
    return true;
  }
}
