package io.memorygateway.http.arrival;

import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Reads and drops what is left of a body after its request was answered, such as one that was
 * refused by its head. Jetty would close the connection at once and without a word: a client that
 * sends head and body after each other would lose the response to a reset, or send its next request
 * into the closed connection. No thread waits meanwhile, and {@link SlowBodyHandler}, which is the
 * parent, bounds how long it takes.
 */
final class UnreadBodyHandler extends Handler.Wrapper {
  /** Bytes after which the connection is closed all the same. */
  private static final long MAX_DROPPED_BYTES = 64 << 20;

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    if (request.getLength() == 0) {
      return super.handle(request, response, callback);
    }
    return super.handle(
        new UnconsumedRequest(request),
        response,
        Callback.from(
            callback.getInvocationType(),
            () -> new BodyRest(request, callback).drop(),
            callback::failed));
  }

  /**
   * Leaves the rest of the body to this handler, whatever its reader does: Jetty reads no further
   * in a body that was failed, as one that is too large.
   */
  private static final class UnconsumedRequest extends Request.Wrapper {
    private volatile Content.@Nullable Chunk failure;

    UnconsumedRequest(Request request) {
      super(request);
    }

    @Override
    public Content.@Nullable Chunk read() {
      Content.Chunk failed = failure;
      return failed == null ? super.read() : failed;
    }

    @Override
    public void demand(Runnable callback) {
      if (failure == null) {
        super.demand(callback);
      } else {
        callback.run();
      }
    }

    @Override
    public void fail(Throwable cause) {
      failure = Content.Chunk.from(cause, true);
    }

    @Override
    public boolean consumeAvailable() {
      return true;
    }
  }

  private static final class BodyRest {
    private final Request request;
    private final Callback callback;
    private long dropped;

    BodyRest(Request request, Callback callback) {
      this.request = request;
      this.callback = callback;
    }

    void drop() {
      while (dropped <= MAX_DROPPED_BYTES) {
        Content.Chunk chunk = request.read();
        if (chunk == null) {
          request.demand(this::drop);
          return;
        }
        dropped += chunk.remaining();
        chunk.release();
        if (chunk.isLast()) {
          break;
        }
      }
      callback.succeeded();
    }
  }
}
