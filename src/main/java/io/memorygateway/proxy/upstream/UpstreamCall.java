package io.memorygateway.proxy.upstream;

import io.memorygateway.auth.Caller;
import io.memorygateway.concurrent.CallerShares;
import io.memorygateway.concurrent.LiveWork;
import io.memorygateway.http.admission.RequestPermit;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.http.arrival.ClientWatch;
import io.memorygateway.proxy.upstream.UpstreamFailure.Kind;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;

/**
 * A call upstream with its one retry: on another connection, and only if the connection was refused
 * or closed before the first byte of an answer (contract §6). It holds the caller's share of the
 * connections until it is closed.
 */
public final class UpstreamCall implements AutoCloseable {
  private static final int ATTEMPTS = 2;

  /** Largest answer that is not a stream, in bytes; more than any valid one. */
  private static final int MAX_ANSWER_BYTES = 64 << 20;

  /** The same of an error that is passed on. */
  private static final int MAX_ERROR_BYTES = 1 << 20;

  private final Upstream upstream;
  private final URI uri;
  private final HttpFields headers;
  private final byte[] body;
  private final @Nullable PassedRequest passed;
  private final RequestReservation reservation;
  private final CallerShares.Held share;
  private final ClientWatch watch;
  private final LiveWork live;
  private final Runnable stop;
  private @Nullable Kind cancelled;
  private @Nullable UpstreamExchange current;

  /**
   * Creates a call made for a client.
   *
   * @param passed the client's request, which is passed on as it is in place of the body, and once
   *     if it has one; null for a call of its own
   * @param client when it disconnects, the call is cancelled; its reservation bounds the answer
   * @param caller of whose share the connection is
   * @param live where the call is listed until it is closed
   */
  public UpstreamCall(
      Upstream upstream,
      URI uri,
      HttpFields headers,
      byte[] body,
      @Nullable PassedRequest passed,
      HttpServletRequest client,
      Caller caller,
      LiveWork live) {
    this.upstream = upstream;
    this.uri = uri;
    this.headers = headers;
    this.body = body;
    this.passed = passed;
    this.reservation = RequestReservation.of(client);
    this.share = upstream.shares().open(caller.keyId(), caller.projectId());
    RequestPermit.of(client).closes(share);
    this.watch = new ClientWatch(client, this::cancel);
    this.live = live;
    this.stop = () -> cancel(Kind.STOPPED);
    live.begin(stop);
  }

  /**
   * Waits for a connection and the head of the answer.
   *
   * @param timeoutMillis longest wait, if the provider's own limit is longer
   */
  public UpstreamAnswer send(long timeoutMillis) throws UpstreamFailure, InterruptedException {
    long start = System.nanoTime();
    CallerShares.Full full = share.acquire(timeoutMillis);
    if (full != null) {
      throw new UpstreamFailure(
          full == CallerShares.Full.ALL ? Kind.NO_CONNECTION : Kind.NO_SHARE,
          new IOException("no connection is free"));
    }
    long left =
        Math.max(1, timeoutMillis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
    for (int attempt = 1; ; attempt++) {
      UpstreamExchange exchange = begin();
      if (passed != null) {
        passed.writeBody();
      }
      try {
        Response head = exchange.head(Math.min(upstream.firstByteMillis(), left));
        return new UpstreamAnswer(head, exchange, upstream.idleMillis(), upstream.openStream());
      } catch (UpstreamFailure failure) {
        boolean isOver = passed != null && passed.body() != null;
        if (isOver || failure.kind() != Kind.UNREACHABLE || attempt == ATTEMPTS) {
          throw failure;
        }
      }
    }
  }

  /** Stops watching the client; to be called before the response's last byte. */
  @Override
  public void close() {
    live.end(stop);
    watch.close();
    share.close();
  }

  /** Cancels the call because its client has left; from any thread, any number of times. */
  public void cancel() {
    cancel(Kind.CANCELLED);
  }

  private synchronized void cancel(Kind why) {
    cancelled = why;
    if (current != null) {
      current.cancel(why);
    }
  }

  private synchronized UpstreamExchange begin() {
    IntPredicate heap =
        more -> reservation.tryAddAnswer((long) more * RequestReservation.UPSTREAM_COST);
    UpstreamExchange exchange =
        passed == null
            ? upstream.post(uri, headers, body, MAX_ANSWER_BYTES, heap, watch::arm)
            : upstream.pass(passed, uri, headers, MAX_ERROR_BYTES, heap, watch::arm);
    current = exchange;
    if (cancelled != null) {
      exchange.cancel(cancelled);
    }
    return exchange;
  }
}
