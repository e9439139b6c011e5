package io.memorygateway.http.arrival;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Closes a connection on which an answer could not be written. Jetty leaves it open where whoever
 * writes takes no notice of the failure, as Dropwizard does, and then serves what the client had
 * pipelined behind it: thousands of requests, for nobody.
 */
final class BrokenConnectionHandler extends Handler.Wrapper {
  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    if (connection(request).isOpen()) {
      return super.handle(request, new ClosingResponse(request, response), callback);
    }
    // One of those that were in Jetty's buffer when the connection was closed.
    callback.failed(new EofException());
    return true;
  }

  private static EndPoint connection(Request request) {
    return request.getConnectionMetaData().getConnection().getEndPoint();
  }

  private static final class ClosingResponse extends Response.Wrapper {
    ClosingResponse(Request request, Response response) {
      super(request, response);
    }

    @Override
    public void write(boolean last, ByteBuffer bytes, Callback callback) {
      super.write(
          last,
          bytes,
          new Callback.Nested(callback) {
            @Override
            public void failed(Throwable failure) {
              // Others are failures to make an answer, and another may be told.
              if (failure instanceof IOException || failure instanceof TimeoutException) {
                connection(getRequest()).close(failure);
              }
              super.failed(failure);
            }
          });
    }
  }
}
