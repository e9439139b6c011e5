package io.memorygateway.proxy.upstream;

import static java.util.Objects.requireNonNull;

import io.memorygateway.concurrent.TimedPark;
import io.memorygateway.proxy.upstream.UpstreamFailure.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.zip.ZipException;
import org.eclipse.jetty.client.HttpResponseException;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;

/**
 * One request to an upstream and its answer, read by one thread that blocks. A stream is read chunk
 * by chunk, and the next is requested only after that, so a slow reader slows the upstream down.
 * Any other answer is collected as it arrives, and the reader is woken when it is complete. {@link
 * #cancel} may be called by any thread at any time.
 */
public final class UpstreamExchange {
  /** Waits longer than this have the client watched. */
  private static final long SHORT_WAIT_MILLIS = 20;

  private static final String EVENT_STREAM = "text/event-stream";

  private final Request request;
  private final boolean inParts;
  private final int maxBodyBytes;
  private final IntPredicate heap;
  private final Runnable onLongWait;
  private volatile @Nullable Thread reader;
  private volatile boolean headReceived;
  private volatile @Nullable Response head;
  private volatile boolean stream;
  private volatile boolean packed;

  /** The head of an answer whose first bytes say whether it is a stream, until these are there. */
  private @Nullable Response undecided;

  private volatile @Nullable Throwable failure;
  private volatile boolean answerBegan;
  private volatile @Nullable Kind cancelled;
  private volatile Content.@Nullable Source content;
  private volatile Content.@Nullable Chunk next;

  /** The received bytes of an answer that is not a stream. */
  private ByteArrayOutputStream body = new ByteArrayOutputStream(0);

  private volatile long receivedNanos;

  /** Bytes of the answer for which heap is reserved; of the connection's callbacks alone. */
  private long reserved;

  private UpstreamExchange(
      Request request, boolean inParts, int maxBodyBytes, IntPredicate heap, Runnable onLongWait) {
    this.request = request;
    this.inParts = inParts;
    this.maxBodyBytes = maxBodyBytes;
    this.heap = heap;
    this.onLongWait = onLongWait;
  }

  /**
   * Sends the request; does not block.
   *
   * @param inParts whether any answer but an error is read part by part, as a stream is
   * @param maxBodyBytes longest answer that is not a stream, in bytes; a longer one is aborted
   * @param heap reserves heap for that many more bytes of such an answer, for all of its
   *     Content-Length at once; if it returns false, the call is cancelled
   * @param onLongWait called by the reading thread when a wait for the upstream gets long
   */
  static UpstreamExchange send(
      Request request, boolean inParts, int maxBodyBytes, IntPredicate heap, Runnable onLongWait) {
    UpstreamExchange exchange =
        new UpstreamExchange(request, inParts, maxBodyBytes, heap, onLongWait);
    request.send(exchange.new Listener());
    return exchange;
  }

  /** Cancels the call because its client has left. */
  public void cancel() {
    cancel(Kind.CANCELLED);
  }

  /**
   * Cancels the call: the connection to the upstream is closed immediately.
   *
   * @param why reported to the reader
   */
  public void cancel(Kind why) {
    cancelled = why;
    abort(new CancelledException());
    // The reader need not wait for the connection to close.
    wakeReader();
  }

  /**
   * Waits for status and headers, and for the first bytes where these tell what the answer is, see
   * {@link #isStream}.
   */
  public Response head(long timeoutMillis) throws UpstreamFailure, InterruptedException {
    await(() -> headReceived, timeoutMillis);
    Throwable cause = failure;
    Response response = head;
    if (response == null) {
      throw failed(cause == null ? new IOException("no final response came") : cause);
    }
    if (response.getStatus() == HttpStatus.PROXY_AUTHENTICATION_REQUIRED_407 && isProxied()) {
      HttpResponseException refusal = new HttpResponseException("of the proxy", response);
      abort(refusal);
      throw new UpstreamFailure(Kind.UNREACHABLE, refusal, true);
    }
    return response;
  }

  /**
   * Whether the answer is a stream of events: by its type, or by its first bytes where the type
   * says neither that nor JSON. Known with the head.
   */
  public boolean isStream() {
    return stream;
  }

  public static boolean isEventStream(@Nullable String type) {
    return type != null
        && type.regionMatches(true, 0, EVENT_STREAM, 0, EVENT_STREAM.length())
        && (type.length() == EVENT_STREAM.length()
            || " \t;,".indexOf(type.charAt(EVENT_STREAM.length())) >= 0);
  }

  private static boolean isJson(@Nullable String type) {
    return type != null && type.toLowerCase(Locale.ROOT).contains("json");
  }

  boolean isPacked() {
    return packed;
  }

  /**
   * Reads the body of an answer that is not a stream.
   *
   * @param idleTimeoutMillis between two parts of it
   * @param timeoutMillis for the whole body
   */
  public byte[] readAll(long idleTimeoutMillis, long timeoutMillis)
      throws UpstreamFailure, InterruptedException {
    long start = System.nanoTime();
    boolean ended = awaitEvent(() -> next != null, SHORT_WAIT_MILLIS);
    if (!ended) {
      onLongWait.run();
    }
    while (!ended) {
      long left =
          Math.min(
              idleTimeoutMillis - millisSince(receivedNanos), timeoutMillis - millisSince(start));
      if (left <= 0) {
        throw silent(Math.min(idleTimeoutMillis, timeoutMillis));
      }
      ended = awaitEvent(() -> next != null, left);
    }
    Content.Chunk last = next;
    if (last == null) {
      throw failed(new CancelledException());
    }
    if (Content.Chunk.isFailure(last)) {
      throw failed(last.getFailure());
    }
    return packed ? unpacked(received()) : received();
  }

  private byte[] unpacked(byte[] all) throws UpstreamFailure {
    Response response = requireNonNull(head);
    try {
      return PackedAnswer.unpacked(all, maxBodyBytes, more -> reserve(all.length + more));
    } catch (IOException e) {
      if (response.getStatus() >= 400) {
        return all; // its status says enough
      }
      throw failed(e);
    }
  }

  /**
   * Reads the next part of the body of a stream; {@link Content.Chunk#isLast()} marks the end. To
   * be released after use.
   *
   * @param idleTimeoutMillis until it arrives
   */
  public Content.Chunk read(long idleTimeoutMillis) throws UpstreamFailure, InterruptedException {
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
   * Reads the available content. Only to be called in Jetty's callbacks: it parses the connection's
   * bytes, which two threads must not do at once.
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

  /** Reads all available content; for the same callers as {@link #takeContent}. */
  private void gather() {
    Content.Source source = requireNonNull(content);
    receivedNanos = System.nanoTime();
    while (true) {
      Content.Chunk chunk = source.read();
      if (chunk == null) {
        source.demand(this::gather);
        return;
      }
      if (!reserve((long) body.size() + chunk.remaining())) {
        chunk.release();
        cancel(Kind.NO_ROOM);
        return;
      }
      body.writeBytes(BufferUtil.toArray(chunk.getByteBuffer()));
      chunk.release();
      if (undecided != null && decide(undecided, chunk.isLast())) {
        return;
      }
      if (chunk.isLast()) {
        next = chunk;
        if (headReceived) {
          wakeReader();
        }
        return;
      }
      if (body.size() > maxBodyBytes) {
        abort(new IOException("the answer is too large"));
      }
    }
  }

  /** The bytes that were received, which are held here no longer. */
  private byte[] received() {
    byte[] all = body.toByteArray();
    body = new ByteArrayOutputStream(0);
    return all;
  }

  /** Tells by the bytes so far what the answer is; returns whether they begin a stream. */
  private boolean decide(Response response, boolean last) {
    FirstBytes begin = FirstBytes.of(body.toByteArray(), last);
    if (begin == FirstBytes.UNDECIDED) {
      return false;
    }
    undecided = null;
    stream = begin == FirstBytes.EVENTS;
    if (stream) {
      next = Content.Chunk.from(ByteBuffer.wrap(received()), last);
    }
    arrived(response);
    return stream;
  }

  private void arrived(Response response) {
    head = response;
    headReceived = true;
    wakeReader();
  }

  /** Reserves heap up to a number of bytes of the answer; false if there is none. */
  private boolean reserve(long bytes) {
    if (bytes > reserved) {
      if (!heap.test((int) (bytes - reserved))) {
        return false;
      }
      reserved = bytes;
    }
    return true;
  }

  private void await(BooleanSupplier event, long timeoutMillis)
      throws UpstreamFailure, InterruptedException {
    if (!awaitEvent(event, Math.min(SHORT_WAIT_MILLIS, timeoutMillis))) {
      onLongWait.run();
      if (!awaitEvent(event, timeoutMillis - SHORT_WAIT_MILLIS)) {
        throw silent(timeoutMillis);
      }
    }
  }

  /**
   * Waits in the reader's thread until the event, a cancellation or the timeout; returns false
   * after the timeout.
   */
  private boolean awaitEvent(BooleanSupplier event, long timeoutMillis)
      throws InterruptedException {
    reader = Thread.currentThread();
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    BooleanSupplier isDone = () -> event.getAsBoolean() || cancelled != null;
    while (!isDone.getAsBoolean()) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimedPark.parkNanos(this, left, isDone);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
    return true;
  }

  private boolean isProxied() {
    return Boolean.TRUE.equals(request.getAttributes().get(UpstreamFailure.PROXIED));
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

  /** Closes the connection before it returns; the listener is told of the failure. */
  private void abort(Throwable cause) {
    var unused = request.abort(cause);
  }

  private UpstreamFailure failed(Throwable cause) {
    Kind why = cancelled;
    if (why != null) {
      return new UpstreamFailure(why, cause);
    }
    if (cause instanceof SocketTimeoutException || cause instanceof TimeoutException) {
      return new UpstreamFailure(Kind.TIMEOUT, cause, isProxied());
    }
    boolean closed = cause instanceof IOException || UpstreamFailure.isRefusedTunnel(cause);
    boolean silent = !answerBegan && InterimResponses.count(request) == 0;
    return new UpstreamFailure(
        closed && silent ? Kind.UNREACHABLE : Kind.BROKEN, cause, isProxied());
  }

  private final class Listener implements Response.Listener {
    @Override
    public void onBegin(Response response) {
      answerBegan = true;
    }

    @Override
    public void onContentSource(Response response, Content.Source source) {
      content = source;
      String type = response.getHeaders().get(HttpHeader.CONTENT_TYPE);
      boolean isOk = response.getStatus() == HttpStatus.OK_200;
      stream = inParts ? response.getStatus() < 400 : isOk && isEventStream(type);
      packed = PackedAnswer.isPacked(response);
      boolean isReadable = PackedAnswer.isKnown(response) && (inParts || !stream);
      if (packed && response.getStatus() < 400 && !isReadable) {
        abort(new ZipException("an answer in a coding that was not asked for"));
        return;
      }
      if (stream) {
        next = source.read();
      } else if (reserve(announced(response))) {
        undecided = !inParts && isOk && !packed && !isJson(type) ? response : null;
        gather();
      } else {
        cancel(Kind.NO_ROOM);
      }
      if (undecided == null) {
        arrived(response);
      }
    }

    /**
     * Bytes of the answer by its head, as far as they are read. With heap for each part as it
     * arrives, many large answers at once would all come to an end for want of heap.
     */
    private long announced(Response response) {
      long length = response.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH);
      return length > maxBodyBytes ? 0 : length;
    }

    @Override
    public void onComplete(Result result) {
      // If the head has arrived, the failure is read from the content.
      if (head == null) {
        failure = result.getFailure();
        headReceived = true;
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
