package io.memorygateway.proxy.call;

import static java.util.Objects.requireNonNull;

import io.memorygateway.auth.Caller;
import io.memorygateway.auth.ProviderKey;
import io.memorygateway.format.Format;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.proxy.route.Endpoint;
import io.memorygateway.proxy.route.Router;
import io.memorygateway.turn.MemoryRequest;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Set;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;

/**
 * One call of a client that is to be passed on.
 *
 * @param memory options of the call's memory
 * @param alias by which it asks for its model; null if it names the model itself, or before it is
 *     routed
 */
record ProxyCall(
    Endpoint endpoint,
    RequestBody body,
    MemoryRequest memory,
    HttpServletRequest request,
    @Nullable String alias) {

  ProxyCall(Endpoint endpoint, RequestBody body, MemoryRequest memory, HttpServletRequest request) {
    this(endpoint, body, memory, request, null);
  }

  ProxyCall routed(Router.RoutedCall as) {
    return new ProxyCall(endpoint, as.body(), memory, request, as.alias());
  }

  /** Members that its thread stands for, and which are left out. */
  Set<String> replaced() {
    return body.kept().replaced().keySet();
  }

  Format format() {
    return endpoint.format();
  }

  boolean isRemembered() {
    return memory.threadId() != null;
  }

  @Nullable ProviderKey callersKey() {
    return (ProviderKey) request.getAttribute(ProviderKey.PROPERTY);
  }

  Caller caller() {
    return requireNonNull((Caller) request.getAttribute(Caller.PROPERTY));
  }

  /** What the call goes on with, for its target: its thread, else what its prompt begins with. */
  @Nullable String session() {
    String name = memory.threadId() == null ? body.promptCacheKey() : memory.threadId();
    return name == null ? null : caller().projectId() + "/" + name;
  }

  RequestReservation reservation() {
    return RequestReservation.of(request);
  }

  HttpFields headers() {
    return ServletContextRequest.getServletContextRequest(request).getHeaders();
  }
}
