package io.memorygateway.proxy;

import io.memorygateway.proxy.UpstreamFailure.Kind;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
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
  private final Request request;
  private final CompletableFuture<Response> head = new CompletableFuture<>();
  private final Semaphore available = new Semaphore(0);
  private volatile boolean answerBegan;
  private volatile boolean cancelled;
  private volatile Content.@Nullable Source content;

  private UpstreamExchange(Request request) {
    this.request = request;
  }

  /** Sends the request; returns at once. */
  static UpstreamExchange send(Request request) {
    UpstreamExchange exchange = new UpstreamExchange(request);
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
    try {
      return head.get(timeoutMillis, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      abort(e);
      throw new UpstreamFailure(cancelled ? Kind.CANCELLED : Kind.TIMEOUT, e);
    } catch (ExecutionException e) {
      throw failure(e.getCause() == null ? e : e.getCause());
    }
  }

  /**
   * The next part of the body; {@link Content.Chunk#isLast()} tells the end. To be released after
   * use.
   *
   * @param idleTimeoutMillis how long to wait for it
   */
  Content.Chunk read(long idleTimeoutMillis) throws UpstreamFailure, InterruptedException {
    Content.Source source = content;
    if (source == null) {
      throw new IllegalStateException("the head of the answer was not waited for");
    }
    while (true) {
      Content.Chunk chunk = source.read();
      if (chunk == null) {
        source.demand(available::release);
        if (!available.tryAcquire(idleTimeoutMillis, TimeUnit.MILLISECONDS)) {
          TimeoutException silence =
              new TimeoutException("nothing in " + idleTimeoutMillis + " ms");
          abort(silence);
          throw new UpstreamFailure(cancelled ? Kind.CANCELLED : Kind.TIMEOUT, silence);
        }
      } else if (Content.Chunk.isFailure(chunk)) {
        throw failure(chunk.getFailure());
      } else {
        return chunk;
      }
    }
  }

  /** The connection is closed before this returns; what comes of it is told to the listener. */
  private void abort(Throwable cause) {
    var unused = request.abort(cause);
  }

  private UpstreamFailure failure(Throwable cause) {
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
      head.complete(response);
    }

    @Override
    public void onComplete(Result result) {
      // Does nothing where the head came: then a failure is read out of the content.
      Throwable failure = result.getFailure();
      head.completeExceptionally(
          failure == null ? new IOException("no final response came") : failure);
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
