package io.memorygateway.http.admin;

import io.memorygateway.http.api.JettyErrorHandler;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ErrorType;
import io.prometheus.metrics.core.metrics.Counter;
import java.net.SocketAddress;
import java.util.Locale;
import java.util.Set;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.NetworkConnector;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Refuses with 403 what a web page in an operator's browser may have sent to the admin port
 * (contract §12): requests for a host that is not the admin port's, and requests from another site.
 * Binding the port to loopback keeps the network out, but not a browser on the same machine.
 */
final class AdminGuard extends Handler.Wrapper {
  private static final Set<String> OWN_SITE = Set.of("none", "same-origin");
  private static final Set<String> SAFE_METHODS = Set.of("GET", "HEAD");

  private static final ApiError FOREIGN_HOST =
      ApiError.of(
          403,
          ErrorType.INVALID_REQUEST,
          "The Host of the request is not one of the admin port; admin.allowedHosts in config.yml"
              + " can name it.");
  private static final ApiError FOREIGN_SITE =
      ApiError.of(
          403,
          ErrorType.INVALID_REQUEST,
          "The admin port serves no requests from web pages of other sites.");

  private final AdminHosts hosts;
  private final Counter refused;

  /**
   * @param refused counter with the label reason
   */
  AdminGuard(AdminHosts hosts, Counter refused) {
    this.hosts = hosts;
    this.refused = refused;
    refused.initLabelValues("host");
    refused.initLabelValues("site");
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    // As received, before a connector with useForwardedHeaders replaces Host: a page that got here
    // by DNS rebinding can send X-Forwarded-Host.
    Request received = Request.unWrap(request);
    HttpFields headers = received.getHeaders();
    if (!hosts.allow(headers.get(HttpHeader.HOST), boundTo(received), arrivedAt(received))) {
      return refuse("host", FOREIGN_HOST, request, response, callback);
    }
    if (isFromAnotherSite(received.getMethod(), headers)) {
      return refuse("site", FOREIGN_SITE, request, response, callback);
    }
    return super.handle(request, response, callback);
  }

  /**
   * Whether the headers of a browser show another site; other clients send none. Following a link
   * from another site is allowed: it shows a page to the operator and nothing to that site.
   */
  private static boolean isFromAnotherSite(String method, HttpFields headers) {
    boolean followedLink =
        SAFE_METHODS.contains(method)
            && "navigate".equals(headers.get("Sec-Fetch-Mode"))
            && "document".equals(headers.get("Sec-Fetch-Dest"));
    String site = headers.get("Sec-Fetch-Site");
    if (site != null && !OWN_SITE.contains(site) && !followedLink) {
      return true;
    }
    String origin = headers.get(HttpHeader.ORIGIN);
    return origin != null && !isOrigin(origin, headers.get(HttpHeader.HOST));
  }

  private static boolean isOrigin(String origin, @Nullable String host) {
    int scheme = origin.indexOf("://");
    return scheme > 0
        && host != null
        && origin
            .substring(scheme + 3)
            .toLowerCase(Locale.ROOT)
            .equals(host.strip().toLowerCase(Locale.ROOT));
  }

  private static @Nullable String boundTo(Request request) {
    return request.getConnectionMetaData().getConnector() instanceof NetworkConnector connector
        ? connector.getHost()
        : null;
  }

  private static SocketAddress arrivedAt(Request request) {
    return request.getConnectionMetaData().getLocalSocketAddress();
  }

  private boolean refuse(
      String reason, ApiError error, Request request, Response response, Callback callback) {
    refused.labelValues(reason).inc();
    JettyErrorHandler.answer(error, request, response, callback);
    return true;
  }
}
