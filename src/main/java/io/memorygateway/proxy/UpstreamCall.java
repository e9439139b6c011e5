package io.memorygateway.proxy;

import io.memorygateway.proxy.UpstreamFailure.Kind;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;

/**
 * A call upstream with its one retry: on another connection, and only when not a byte of an answer
 * came because the connection was refused or closed (contract §6).
 */
final class UpstreamCall {
  private static final int ATTEMPTS = 2;

  /** More than any answer that is no stream; an upstream that sends more has lost its way. */
  private static final int LARGEST_WHOLE = 64 << 20;

  private final Upstream upstream;
  private final URI uri;
  private final HttpFields headers;
  private final byte[] body;
  private final ClientWatch watch;
  private boolean cancelled;
  private @Nullable UpstreamExchange current;

  /**
   * A call that is made for a client.
   *
   * @param client its request; when it leaves, the call is given up
   */
  UpstreamCall(
      Upstream upstream, URI uri, HttpFields headers, byte[] body, HttpServletRequest client) {
    this.upstream = upstream;
    this.uri = uri;
    this.headers = headers;
    this.body = body;
    this.watch = new ClientWatch(client, this::cancel);
  }

  /** Waits for the head of the answer. */
  UpstreamAnswer send() throws UpstreamFailure, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      UpstreamExchange exchange = begin();
      try {
        Response head = exchange.head(upstream.firstByteMillis());
        return new UpstreamAnswer(head, exchange, upstream.idleMillis());
      } catch (UpstreamFailure failure) {
        if (failure.kind() != Kind.UNREACHABLE || attempt == ATTEMPTS) {
          throw failure;
        }
      }
    }
  }

  /**
   * Watches the client while the upstream makes it wait; to be closed before the response's last
   * byte.
   */
  ClientWatch watch() {
    return watch;
  }

  /** Gives the call up; from any thread, once or more. */
  synchronized void cancel() {
    cancelled = true;
    if (current != null) {
      current.cancel();
    }
  }

  private synchronized UpstreamExchange begin() {
    UpstreamExchange exchange = upstream.post(uri, headers, body, LARGEST_WHOLE, watch::arm);
    current = exchange;
    if (cancelled) {
      exchange.cancel();
    }
    return exchange;
  }
}
