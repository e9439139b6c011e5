package io.memorygateway.tracing;

import io.memorygateway.http.api.RequestId;
import io.memorygateway.http.api.RequestNotes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Collections;
import java.util.Set;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Filter that creates a span for each request, from its head to the last byte of its response, as a
 * child of the span in its {@code traceparent}.
 *
 * @param probePath path of the load balancers' readiness probe: not traced
 */
record RequestSpans(Tracer tracer, String probePath) implements Filter {
  /** Request attribute that holds the context of the request's span. */
  static final String CONTEXT = RequestSpans.class.getName();

  /** Methods that name a span; a client may send any other word. */
  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

  /** OpenTelemetry's word for any other method. */
  private static final String OTHER_METHOD = "_OTHER";

  private static final int FIRST_ERROR_OF_SERVER = 500;

  private static final class Headers implements TextMapGetter<HttpServletRequest> {
    @Override
    public Iterable<String> keys(HttpServletRequest request) {
      return Collections.list(request.getHeaderNames());
    }

    @Override
    public @Nullable String get(@Nullable HttpServletRequest request, String name) {
      return request == null ? null : request.getHeader(name);
    }
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HttpServletRequest http = (HttpServletRequest) request;
    if (!probePath.equals(http.getRequestURI())) {
      begin(http);
    }
    chain.doFilter(request, response);
  }

  private void begin(HttpServletRequest request) {
    String method = METHODS.contains(request.getMethod()) ? request.getMethod() : OTHER_METHOD;
    Context parent =
        W3CTraceContextPropagator.getInstance().extract(Context.root(), request, new Headers());
    Span span =
        tracer
            .spanBuilder(method)
            .setParent(parent)
            .setSpanKind(SpanKind.SERVER)
            .setAttribute(GenAiAttributes.METHOD, method)
            .startSpan();
    request.setAttribute(CONTEXT, parent.with(span));
    ServletContextRequest jetty = ServletContextRequest.getServletContextRequest(request);
    Request.addCompletionListener(
        jetty,
        failure ->
            end(
                span,
                method,
                jetty.getAttribute(RequestNotes.ATTRIBUTE) instanceof RequestNotes notes
                    ? notes
                    : new RequestNotes(),
                jetty.getHttpURI().getCanonicalPath(),
                jetty.getAttribute(RequestId.ATTRIBUTE),
                jetty.getServletContextResponse().getStatus(),
                failure != null));
  }

  private static void end(
      Span span,
      String method,
      RequestNotes notes,
      @Nullable String path,
      @Nullable Object requestId,
      int status,
      boolean broken) {
    String route = notes.endpointAt(path);
    if (route != null) {
      span.updateName(method + " " + route).setAttribute(GenAiAttributes.ROUTE, route);
    }
    String project = notes.project();
    if (project != null) {
      span.setAttribute(GenAiAttributes.PROJECT, project);
    }
    if (requestId != null) {
      span.setAttribute(GenAiAttributes.REQUEST_ID, requestId.toString());
    }
    span.setAttribute(GenAiAttributes.STATUS, (long) status);
    if (status >= FIRST_ERROR_OF_SERVER || broken) {
      span.setAttribute(GenAiAttributes.ERROR, broken ? "broken" : Integer.toString(status))
          .setStatus(StatusCode.ERROR);
    }
    span.end();
  }
}
