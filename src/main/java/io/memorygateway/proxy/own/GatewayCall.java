package io.memorygateway.proxy.own;

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
    Provider.KeyHeader key = target.provider().keyHeader(null);
    HttpFields.Mutable headers =
        HttpFields.build(ForwardedHeaders.ofGateway(endpoint.format(), key));
    span.headers(headers::put);
    UpstreamExchange exchange =
        target
            .provider()
            .upstream()
            .post(
                target.provider().uri(endpoint, null),
                headers,
                body,
                maxBytes,
                more -> true,
                () -> {});
    try {
      Response head = exchange.head(left(endNanos));
      if (exchange.isStream()) {
        exchange.cancel();
        return new Answer(head.getStatus(), true, new byte[0]);
      }
      long left = left(endNanos);
      byte[] received = exchange.readAll(left, left);
      byte[] masked = key == null ? received : key.search().mask(received);
      return new Answer(head.getStatus(), false, masked);
    } catch (UpstreamFailure | InterruptedException e) {
      exchange.cancel();
      throw e;
    }
  }

  /** Description of a call for its span. */
  static Tracing.Call traced(Target target, Endpoint endpoint) {
    return new Tracing.Call(
        endpoint.configName(),
        target.provider().name(),
        target.model(),
        target.provider().uri(endpoint, null));
  }

  private static long left(long endNanos) {
    return Math.max(0, TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime()));
  }
}
