package io.memorygateway.ops;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Makes clients open a new connection, which leads them to another node, while this one drains. */
final class DrainHandler extends Handler.Wrapper {
  private final Drain drain;

  DrainHandler(Drain drain) {
    this.drain = drain;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    if (drain.isOn()) {
      response.getHeaders().put(HttpFields.CONNECTION_CLOSE);
    }
    return super.handle(request, response, callback);
  }
}
