package io.memorygateway.ops;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Locale;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Makes clients open a new connection, which leads them to another node, while this one drains.
 * Probes of readiness are told from that moment on, however rarely Dropwizard runs its checks; the
 * node is still alive.
 */
final class DrainHandler extends Handler.Wrapper {
  private static final String NOT_READY =
      """
      [{"name":"draining","healthy":false,"type":"READY","critical":true}]""";

  private final Drain drain;

  DrainHandler(Drain drain) {
    this.drain = drain;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    if (drain.isOn()) {
      response.getHeaders().put(HttpFields.CONNECTION_CLOSE);
    }
    return super.handle(request, response, callback);
  }

  /** Filter of the probe, behind those that set the headers of every response. */
  void answerProbe(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    // Not by getParameter, which reads the body of a form.
    String query = "&" + ((HttpServletRequest) request).getQueryString() + "&";
    if (!drain.isOn() || query.toLowerCase(Locale.ROOT).contains("&type=alive&")) {
      chain.doFilter(request, response);
      return;
    }
    HttpServletResponse answer = (HttpServletResponse) response;
    answer.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
    answer.setContentType("application/json");
    answer.setHeader("Cache-Control", "no-store");
    answer.getOutputStream().print(NOT_READY);
  }
}
