package io.memorygateway.proxy.own;

import com.google.common.base.Throwables;
import io.memorygateway.proxy.route.Endpoint;
import io.memorygateway.proxy.route.ForwardedHeaders;
import io.memorygateway.proxy.route.Provider;
import io.memorygateway.proxy.route.Target;
import io.memorygateway.proxy.upstream.UpstreamExchange;
import io.memorygateway.proxy.upstream.UpstreamFailure;
import io.memorygateway.tracing.CallSpan;
import io.memorygateway.tracing.Tracing;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;

/** A call to a provider by the gateway itself, with the configured key. */
final class GatewayCall {
  private GatewayCall() {}

  /**
   * An answer, with the provider's key masked: what is made of it is shown to clients.
   *
   * @param isStream whether it is a stream; its body is not read then
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Answer(int status, boolean isStream, byte[] body) {
    boolean isSuccess() {
      return status >= 200 && status <= 299;
    }
  }

  /**
   * Sends a request and waits for the whole answer.
   *
   * @param maxBytes longest body of an answer
   * @param span whose trace headers are sent
   * @param endNanos end of the wait, of {@link System#nanoTime()}
   */
  static Answer send(
      Target target, Endpoint endpoint, byte[] body, int maxBytes, long endNanos, CallSpan span)
      throws UpstreamFailure, InterruptedException {
    UpstreamExchange exchange = begin(target.provider(), endpoint, body, maxBytes, span);
    try {
      Response head = exchange.head(left(endNanos));
      if (exchange.isStream()) {
        exchange.cancel();
        return new Answer(head.getStatus(), true, new byte[0]);
      }
      long left = left(endNanos);
      byte[] received = exchange.readAll(left, left);
      return new Answer(head.getStatus(), false, target.provider().secret().mask(received));
    } catch (UpstreamFailure | InterruptedException e) {
      exchange.cancel();
      throw e;
    }
  }

  /** Sends a request; does not block. */
  static UpstreamExchange begin(
      Provider provider, Endpoint endpoint, byte[] body, int maxBytes, CallSpan span) {
    HttpFields.Mutable headers =
        HttpFields.build(ForwardedHeaders.ofGateway(endpoint.format(), provider.keyHeader(null)));
    span.headers(headers::put);
    return provider.upstream().post(provider.uri(endpoint, null), headers, body, maxBytes);
  }

  /** The words of the first cause of a failure: those of the others begin with names of classes. */
  static String words(UpstreamFailure failure) {
    @Nullable String words = Throwables.getRootCause(failure).getMessage();
    return words == null ? failure.kind().name() : failure.kind() + ": " + words;
  }

  static Tracing.Call traced(Target target, Endpoint endpoint) {
    return new Tracing.Call(
        endpoint.operation(),
        target.provider().name(),
        target.model(),
        target.provider().uri(endpoint, null));
  }

  private static long left(long endNanos) {
    return Math.max(0, TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime()));
  }
}
