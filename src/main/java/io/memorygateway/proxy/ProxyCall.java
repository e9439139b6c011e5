package io.memorygateway.proxy;

import io.memorygateway.auth.ProviderKey;
import io.memorygateway.dialect.Dialect;
import io.memorygateway.dialect.RequestBody;
import jakarta.servlet.http.HttpServletRequest;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;

/** One call of a client that is to be passed on. */
record ProxyCall(Endpoint endpoint, Dialect dialect, RequestBody body, HttpServletRequest request) {

  @Nullable ProviderKey callersKey() {
    return (ProviderKey) request.getAttribute(ProviderKey.PROPERTY);
  }

  HttpFields headers() {
    return ServletContextRequest.getServletContextRequest(request).getHeaders();
  }
}
