package io.memorygateway.http.arrival;

import com.google.common.util.concurrent.Uninterruptibles;
import io.memorygateway.http.admission.ClientPresence;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Detects that the client of a request has left, also while nothing is written to it: watches the
 * connection for its end, and closes it then. To be armed after the request body was read, and
 * closed before the last byte of the response is written. Armed and closed by the thread that
 * serves the request.
 */
public final class ClientWatch implements AutoCloseable {
  private final HttpServletRequest request;
  private final Runnable onGone;
  private final CountDownLatch fired = new CountDownLatch(1);
  private @Nullable HttpConnection connection;
  private volatile boolean closed;

  /**
   * Creates a watch that is not armed yet.
   *
   * @param onGone called at most once, on another thread
   */
  public ClientWatch(HttpServletRequest request, Runnable onGone) {
    this.request = request;
    this.onGone = onGone;
  }

  /** Returns the presence of a request's client, watched from the call of {@code watch} on. */
  public static ClientPresence of(HttpServletRequest request) {
    return onLeaving -> {
      ClientWatch watch = new ClientWatch(request, onLeaving);
      watch.arm();
      return watch::close;
    };
  }

  /**
   * Begins to watch; further calls have no effect. A client that has left already is detected now.
   */
  public void arm() {
    if (connection == null
        && ServletContextRequest.getServletContextRequest(request)
                .getConnectionMetaData()
                .getConnection()
            instanceof HttpConnection http
        && http.getEndPoint() instanceof AbstractEndPoint endPoint
        && endPoint.tryFillInterested(new Readiness(http, endPoint))) {
      connection = http;
    }
  }

  @Override
  public void close() {
    if (connection != null && connection.getEndPoint() instanceof AbstractEndPoint endPoint) {
      closed = true;
      endPoint.getFillInterest().onFail(new WatchClosedException());
      // It may be firing just now: the connection can be reused only after that.
      Uninterruptibles.awaitUninterruptibly(fired);
    }
  }

  private final class Readiness implements Callback {
    private final HttpConnection connection;
    private final AbstractEndPoint endPoint;

    Readiness(HttpConnection connection, AbstractEndPoint endPoint) {
      this.connection = connection;
      this.endPoint = endPoint;
    }

    @Override
    public void succeeded() {
      boolean watching = false;
      try {
        ByteBuffer buffer = BufferUtil.allocate(1);
        int filled = endPoint.fill(buffer);
        if (filled == 0) {
          // The selector reported late bytes that have been read since: nothing has happened.
          watching = watchOn();
        } else if (filled < 0) {
          clientLeft();
        } else {
          // The client sent another request without waiting. A byte of it is taken, so this
          // connection cannot serve it: it ends with the response, and the client sends the
          // request again.
          connection.getGenerator().setPersistent(false);
        }
      } catch (IOException e) {
        clientLeft();
      } finally {
        if (!watching) {
          fired.countDown();
        }
      }
    }

    @Override
    public void failed(Throwable cause) {
      if (cause instanceof TimeoutException && watchOn()) {
        // The connection is idle while the upstream works; the client is still there.
        return;
      }
      try {
        if (!(cause instanceof WatchClosedException)) {
          clientLeft();
        }
      } finally {
        fired.countDown();
      }
    }

    /**
     * Closes the connection in both directions: one that was closed for writing only may still be
     * read, and there the end of an abandoned response would pass for the end of the answer.
     */
    private void clientLeft() {
      onGone.run();
      endPoint.close();
    }

    private boolean watchOn() {
      if (!endPoint.tryFillInterested(this)) {
        return false;
      }
      if (closed) {
        // Closed in between, when there was nothing to withdraw.
        endPoint.getFillInterest().onFail(new WatchClosedException());
      }
      return true;
    }

    @Override
    public InvocationType getInvocationType() {
      return InvocationType.NON_BLOCKING;
    }
  }

  private static final class WatchClosedException extends IOException {
    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }
}
