package io.memorygateway.proxy;

import static java.util.Objects.requireNonNull;

import io.memorygateway.concurrent.TimedPark;
import io.memorygateway.proxy.UpstreamFailure.Kind;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.jspecify.annotations.Nullable;

/**
 * One request to an upstream and its answer, read by one thread that blocks. A stream is read chunk
 * by chunk: what is not read is not asked for, so a slow reader slows the upstream down. Any other
 * answer is gathered as it comes, and the reader is woken when it is whole. {@link #cancel} may be
 * called by any thread at any time.
 */
final class UpstreamExchange {
  /** A wait that is longer than this is worth watching the client for. */
  private static final long SHORT_WAIT_MILLIS = 20;

  private static final String EVENT_STREAM = "text/event-stream";

  private final Request request;
  private final int largestWhole;
  private final IntPredicate room;
  private final Runnable onLongWait;
  private volatile @Nullable Thread reader;
  private volatile boolean headCame;
  private volatile @Nullable Response head;
  private volatile @Nullable Throwable failure;
  private volatile boolean answerBegan;
  private volatile @Nullable Kind cancelled;
  private volatile Content.@Nullable Source content;
  private volatile Content.@Nullable Chunk next;

  /** The bytes received of an answer that is no stream. */
  private final GatheredBody whole = new GatheredBody();

  private volatile long cameNanos;

  private UpstreamExchange(
      Request request, int largestWhole, IntPredicate room, Runnable onLongWait) {
    this.request = request;
    this.largestWhole = largestWhole;
    this.room = room;
    this.onLongWait = onLongWait;
  }

  /**
   * Sends the request; returns at once.
   *
   * @param largestWhole bytes of an answer that is no stream; a larger one is broken off
   * @param room asked before so many bytes more of an answer that is no stream are held; if there
   *     is none, the call is given up
   * @param onLongWait called by the reading thread whenever the upstream makes it wait for more
   *     than a moment
   */
  static UpstreamExchange send(
      Request request, int largestWhole, IntPredicate room, Runnable onLongWait) {
    UpstreamExchange exchange = new UpstreamExchange(request, largestWhole, room, onLongWait);
    request.send(exchange.new Listener());
    return exchange;
  }

  /** Gives the call up because nobody wants it any more. */
  void cancel() {
    cancel(Kind.CANCELLED);
  }

  /**
   * Gives the call up: the connection to the upstream is closed at once.
   *
   * @param why what its reader is told
   */
  void cancel(Kind why) {
    cancelled = why;
    abort(new CancelledException());
    // Whatever becomes of the connection: nobody waits for it any more.
    wakeReader();
  }

  /** Waits for status and headers. */
  Response head(long timeoutMillis) throws UpstreamFailure, InterruptedException {
    await(() -> headCame, timeoutMillis);
    Throwable cause = failure;
    Response came = head;
    if (came == null) {
      throw failed(cause == null ? new IOException("no final response came") : cause);
    }
    return came;
  }

  /** Whether a head announces a stream of events that can be read: compressed was not asked for. */
  static boolean isEventStream(Response head) {
    String type = head.getHeaders().get(HttpHeader.CONTENT_TYPE);
    return head.getStatus() == HttpStatus.OK_200
        && type != null
        && !isCompressed(head)
        && type.regionMatches(true, 0, EVENT_STREAM, 0, EVENT_STREAM.length())
        && (type.length() == EVENT_STREAM.length()
            || " \t;,".indexOf(type.charAt(EVENT_STREAM.length())) >= 0);
  }

  private static boolean isCompressed(Response head) {
    String coding = head.getHeaders().get(HttpHeader.CONTENT_ENCODING);
    return coding != null && !coding.equalsIgnoreCase("identity");
  }

  /**
   * The body of an answer that is no stream.
   *
   * @param idleTimeoutMillis how long to wait for more of it
   * @param timeoutMillis how long to wait for all of it
   */
  byte[] readAll(long idleTimeoutMillis, long timeoutMillis)
      throws UpstreamFailure, InterruptedException {
    long start = System.nanoTime();
    boolean ended = came(() -> next != null, SHORT_WAIT_MILLIS);
    if (!ended) {
      onLongWait.run();
    }
    while (!ended) {
      long left =
          Math.min(idleTimeoutMillis - millisSince(cameNanos), timeoutMillis - millisSince(start));
      if (left <= 0) {
        throw silent(Math.min(idleTimeoutMillis, timeoutMillis));
      }
      ended = came(() -> next != null, left);
    }
    Content.Chunk last = next;
    if (last == null) {
      throw failed(new CancelledException());
    }
    if (Content.Chunk.isFailure(last)) {
      throw failed(last.getFailure());
    }
    return whole.bytes();
  }

  /**
   * The next part of the body of a stream; {@link Content.Chunk#isLast()} tells the end. To be
   * released after use.
   *
   * @param idleTimeoutMillis how long to wait for it
   */
  Content.Chunk read(long idleTimeoutMillis) throws UpstreamFailure, InterruptedException {
    if (next == null) {
      Content.Source source = content;
      if (source == null) {
        throw new IllegalStateException("the head of the answer was not waited for");
      }
      source.demand(this::takeContent);
      await(() -> next != null, idleTimeoutMillis);
    }
    Content.Chunk chunk = next;
    if (chunk == null) {
      throw failed(new CancelledException());
    }
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
      wakeReader();
    }
  }

  /** Reads all that has come; where {@link #takeContent} may be called. */
  private void gather() {
    Content.Source source = requireNonNull(content);
    cameNanos = System.nanoTime();
    while (true) {
      Content.Chunk chunk = source.read();
      if (chunk == null) {
        source.demand(this::gather);
        return;
      }
      int length = chunk.remaining();
      if (length > 0 && !room.test(length)) {
        chunk.release();
        cancel(Kind.NO_ROOM);
        return;
      }
      whole.take(chunk);
      if (chunk.isLast()) {
        next = chunk;
        if (headCame) {
          wakeReader();
        }
        return;
      }
      if (whole.size() > largestWhole) {
        abort(new IOException("the answer is too large"));
      }
    }
  }

  private void await(BooleanSupplier event, long timeoutMillis)
      throws UpstreamFailure, InterruptedException {
    if (!came(event, Math.min(SHORT_WAIT_MILLIS, timeoutMillis))) {
      onLongWait.run();
      if (!came(event, timeoutMillis - SHORT_WAIT_MILLIS)) {
        throw silent(timeoutMillis);
      }
    }
  }

  /**
   * Waits, in the reader's thread, until something has come, the call was given up, or the time is
   * over; false then.
   */
  private boolean came(BooleanSupplier event, long timeoutMillis) throws InterruptedException {
    reader = Thread.currentThread();
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    while (!event.getAsBoolean() && cancelled == null) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimedPark.parkNanos(this, left);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
    return true;
  }

  private void wakeReader() {
    LockSupport.unpark(reader);
  }

  private static long millisSince(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
  }

  private UpstreamFailure silent(long timeoutMillis) {
    TimeoutException silence = new TimeoutException("nothing in " + timeoutMillis + " ms");
    abort(silence);
    return failed(silence);
  }

  /** The connection is closed before this returns; what comes of it is told to the listener. */
  private void abort(Throwable cause) {
    var unused = request.abort(cause);
  }

  private UpstreamFailure failed(Throwable cause) {
    Kind why = cancelled;
    if (why != null) {
      return new UpstreamFailure(why, cause);
    }
    if (cause instanceof SocketTimeoutException || cause instanceof TimeoutException) {
      return new UpstreamFailure(Kind.TIMEOUT, cause);
    }
    boolean closed = cause instanceof IOException || cause instanceof ClosedChannelException;
    boolean silent = !answerBegan && InterimResponses.count(request) == 0;
    return new UpstreamFailure(closed && silent ? Kind.UNREACHABLE : Kind.BROKEN, cause);
  }

  private final class Listener implements Response.Listener {
    @Override
    public void onBegin(Response response) {
      answerBegan = true;
    }

    @Override
    public void onContentSource(Response response, Content.Source source) {
      content = source;
      if (isEventStream(response)) {
        next = source.read();
      } else {
        gather();
      }
      head = response;
      headCame = true;
      wakeReader();
    }

    @Override
    public void onComplete(Result result) {
      // Where the head came, a failure is read out of the content.
      if (head == null) {
        failure = result.getFailure();
        headCame = true;
        wakeReader();
      }
    }
  }

  private static final class CancelledException extends IOException {
    CancelledException() {
      super("the call was given up");
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }
}
