package io.memorygateway.http.setup;

import io.dropwizard.core.server.AbstractServerFactory;
import io.dropwizard.core.server.ServerFactory;
import io.dropwizard.core.setup.Environment;
import io.memorygateway.http.admission.Admission;
import io.memorygateway.http.admission.RequestPermit;
import io.memorygateway.http.api.AnthropicErrorFilter;
import io.memorygateway.http.api.ApiPath;
import io.memorygateway.http.api.RequestNotes;
import io.memorygateway.http.arrival.BodyReader;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.JsonResponse;
import io.memorygateway.http.errors.ThrownErrors;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.eclipse.jetty.io.EofException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves POSTs of JSON to a few paths without Jersey, which would take a quarter of the time of a
 * proxied call. Unusual requests, such as those of another method or media type, are left to
 * Jersey's resource at the same path, so that there is one place that refuses them.
 */
public record DirectFilter(
    Map<String, Handler> handlers, List<Admission> admissions, ThrownErrors errors)
    implements Filter {
  private static final Logger LOGGER = LoggerFactory.getLogger(DirectFilter.class);

  private static final String EVERYWHERE = "/*";
  private static final String METHOD = "POST";
  private static final String JSON = MediaType.APPLICATION_JSON;

  /** What a client has to accept, one of it at least. */
  private static final Set<String> ANSWERS =
      Set.of(JSON, MediaType.SERVER_SENT_EVENTS, MediaType.WILDCARD);

  /** What answers requests to a path. */
  @FunctionalInterface
  public interface Handler {

    /**
     * Returns the response to an admitted request; its entity is bytes or a {@link
     * StreamingOutput}.
     *
     * @throws ApiException for an error
     */
    Response answer(HttpServletRequest request, byte[] body);
  }

  /**
   * Installs it behind the filters that are installed already, unless the server is configured to
   * have Jersey at another path, or no POST.
   *
   * @param handlers by path, with a leading slash
   * @param admissions checks that a request passes, in this order
   * @param isOutage whether a failure means that the database does not serve at the moment
   */
  public static void install(
      ServerFactory serverFactory,
      Map<String, Handler> handlers,
      List<Admission> admissions,
      Predicate<Throwable> isOutage,
      Environment environment) {
    if (serverFactory instanceof AbstractServerFactory factory
        && !(factory.getAllowedMethods().contains(METHOD)
            && factory.getJerseyRootPath().orElse(EVERYWHERE).equals(EVERYWHERE))) {
      return;
    }
    environment
        .servlets()
        .addFilter(
            "direct",
            new DirectFilter(
                Map.copyOf(handlers), List.copyOf(admissions), new ThrownErrors(isOutage)))
        .addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), true, ApiPath.ROOT + "/*");
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HttpServletRequest received = (HttpServletRequest) request;
    Handler handler = handlers.get(received.getRequestURI());
    if (handler == null || !isUsual(received)) {
      chain.doFilter(request, response);
      return;
    }
    serve(received, (HttpServletResponse) response, handler);
  }

  private static boolean isUsual(HttpServletRequest request) {
    String accept = request.getHeader(HttpHeaders.ACCEPT);
    return request.getMethod().equals(METHOD)
        && isJson(request.getContentType())
        && (accept == null || accept.equals(MediaType.WILDCARD) || acceptsAnswers(accept));
  }

  private static boolean isJson(@Nullable String type) {
    return type != null
        && type.regionMatches(true, 0, JSON, 0, JSON.length())
        && (type.length() == JSON.length() || " ;".indexOf(type.charAt(JSON.length())) >= 0);
  }

  /** Whether any answer may be sent; a type with parameters is for Jersey to understand. */
  private static boolean acceptsAnswers(String accept) {
    return accept.indexOf(';') < 0
        && Arrays.stream(accept.split(",", -1)).map(String::strip).anyMatch(ANSWERS::contains);
  }

  private void serve(HttpServletRequest request, HttpServletResponse response, Handler handler)
      throws IOException {
    String path = request.getRequestURI().substring(1);
    Response answer;
    try {
      for (Admission admission : admissions) {
        admission.admit(request, path);
      }
      RequestNotes.of(request).matched(request.getRequestURI());
      answer = handler.answer(request, BodyReader.read(request));
    } catch (Exception | Error e) {
      answer = JsonResponse.of(errors.of(e));
    }
    RequestPermit.of(request).pause();
    try {
      write(answer, request, path, response);
    } catch (EofException e) {
      LOGGER.debug("A client left before its answer was complete", e);
    } catch (IOException | RuntimeException | Error e) {
      if (response.isCommitted()) {
        throw e;
      }
      response.resetBuffer();
      answer.getHeaders().keySet().forEach(name -> response.setHeader(name, null));
      write(JsonResponse.of(errors.of(e)), request, path, response);
    }
  }

  private void write(
      Response answer, HttpServletRequest request, String path, HttpServletResponse response)
      throws IOException {
    Object entity = answer.getEntity();
    response.setStatus(answer.getStatus());
    answer.getStringHeaders().forEach((name, values) -> setHeader(response, name, values));
    for (Admission admission : admissions) {
      admission.setHeaders(request, path, response::setHeader);
    }
    ServletOutputStream out = response.getOutputStream();
    if (entity instanceof byte[] body) {
      if (AnthropicErrorFilter.isMarked(answer.getStatus(), path)) {
        byte[] marked = AnthropicErrorFilter.mark(body);
        response.setContentLength(marked.length);
        out.write(marked);
      } else {
        out.write(body);
      }
    } else if (entity instanceof StreamingOutput stream) {
      stream.write(out);
    } else if (entity != null) {
      throw new IllegalStateException("not an entity of a direct answer: " + entity.getClass());
    }
  }

  private static void setHeader(HttpServletResponse response, String name, List<String> values) {
    response.setHeader(name, values.get(0));
    values.stream().skip(1).forEach(value -> response.addHeader(name, value));
  }
}
