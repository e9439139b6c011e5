package io.memorygateway.proxy;

import static java.util.Objects.requireNonNull;

import io.memorygateway.proxy.UpstreamFailure.Kind;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.io.Content;
import org.jspecify.annotations.Nullable;

/**
 * One request to an upstream and its answer, read by one thread that blocks, chunk by chunk: what
 * is not read is not asked for, so a slow reader slows the upstream down. {@link #cancel()} may be
 * called by any thread at any time.
 */
final class UpstreamExchange {
  /** A wait that is longer than this is worth watching the client for. */
  private static final long SHORT_WAIT_MILLIS = 20;

  private final Request request;
  private final Runnable onLongWait;
  private final Semaphore headCame = new Semaphore(0);
  private final Semaphore contentCame = new Semaphore(0);
  private volatile @Nullable Response head;
  private volatile @Nullable Throwable failure;
  private volatile boolean answerBegan;
  private volatile boolean cancelled;
  private volatile Content.@Nullable Source content;
  private volatile Content.@Nullable Chunk next;

  private UpstreamExchange(Request request, Runnable onLongWait) {
    this.request = request;
    this.onLongWait = onLongWait;
  }

  /**
   * Sends the request; returns at once.
   *
   * @param onLongWait called by the reading thread whenever the upstream makes it wait for more
   *     than a moment
   */
  static UpstreamExchange send(Request request, Runnable onLongWait) {
    UpstreamExchange exchange = new UpstreamExchange(request, onLongWait);
    request.send(exchange.new Listener());
    return exchange;
  }

  /** Gives the call up: the connection to the upstream is closed at once. */
  void cancel() {
    cancelled = true;
    abort(new CancelledException());
  }

  /** Waits for status and headers. */
  Response head(long timeoutMillis) throws UpstreamFailure, InterruptedException {
    await(headCame, timeoutMillis);
    Throwable cause = failure;
    Response came = head;
    if (came == null) {
      throw failed(cause == null ? new IOException("no final response came") : cause);
    }
    return came;
  }

  /**
   * The next part of the body; {@link Content.Chunk#isLast()} tells the end. To be released after
   * use.
   *
   * @param idleTimeoutMillis how long to wait for it
   */
  Content.Chunk read(long idleTimeoutMillis) throws UpstreamFailure, InterruptedException {
    if (!contentCame.tryAcquire()) {
      Content.Source source = content;
      if (source == null) {
        throw new IllegalStateException("the head of the answer was not waited for");
      }
      source.demand(this::takeContent);
      await(contentCame, idleTimeoutMillis);
    }
    Content.Chunk chunk = requireNonNull(next);
    next = null;
    if (Content.Chunk.isFailure(chunk)) {
      throw failed(chunk.getFailure());
    }
    return chunk;
  }

  /**
   * Reads what has come. Only to be called where the receiver calls back: it parses the
   * connection's bytes, and must not do so on two threads at once.
   */
  private void takeContent() {
    Content.Source source = requireNonNull(content);
    Content.Chunk chunk = source.read();
    if (chunk == null) {
      source.demand(this::takeContent);
    } else {
      next = chunk;
      contentCame.release();
    }
  }

  private void await(Semaphore event, long timeoutMillis)
      throws UpstreamFailure, InterruptedException {
    if (event.tryAcquire(Math.min(SHORT_WAIT_MILLIS, timeoutMillis), TimeUnit.MILLISECONDS)) {
      return;
    }
    onLongWait.run();
    if (!event.tryAcquire(Math.max(0, timeoutMillis - SHORT_WAIT_MILLIS), TimeUnit.MILLISECONDS)) {
      TimeoutException silence = new TimeoutException("nothing in " + timeoutMillis + " ms");
      abort(silence);
      throw failed(silence);
    }
  }

  /** The connection is closed before this returns; what comes of it is told to the listener. */
  private void abort(Throwable cause) {
    var unused = request.abort(cause);
  }

  private UpstreamFailure failed(Throwable cause) {
    if (cancelled) {
      return new UpstreamFailure(Kind.CANCELLED, cause);
    }
    if (cause instanceof SocketTimeoutException || cause instanceof TimeoutException) {
      return new UpstreamFailure(Kind.TIMEOUT, cause);
    }
    boolean closed = cause instanceof IOException || cause instanceof ClosedChannelException;
    return new UpstreamFailure(closed && !answerBegan ? Kind.UNREACHABLE : Kind.BROKEN, cause);
  }

  private final class Listener implements Response.Listener {
    @Override
    public void onBegin(Response response) {
      answerBegan = true;
    }

    @Override
    public void onContentSource(Response response, Content.Source source) {
      content = source;
      Content.Chunk first = source.read();
      if (first != null) {
        next = first;
        contentCame.release();
      }
      head = response;
      headCame.release();
    }

    @Override
    public void onComplete(Result result) {
      // Where the head came, a failure is read out of the content.
      if (head == null) {
        failure = result.getFailure();
        headCame.release();
      }
    }
  }

  private static final class CancelledException extends IOException {
    CancelledException() {
      super("the client left");
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }
}
