package io.memorygateway.http.setup;

import io.dropwizard.core.server.AbstractServerFactory;
import io.dropwizard.core.server.DefaultServerFactory;
import io.dropwizard.core.server.ServerFactory;
import io.dropwizard.core.setup.Environment;
import io.dropwizard.jersey.errors.EofExceptionWriterInterceptor;
import io.dropwizard.jetty.ConnectorFactory;
import io.dropwizard.jetty.HttpConnectorFactory;
import io.dropwizard.jetty.setup.ServletEnvironment;
import io.memorygateway.concurrent.HeapBudget;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.http.api.AnthropicErrorFilter;
import io.memorygateway.http.api.CommonHeaders;
import io.memorygateway.http.api.ContentTypeFilter;
import io.memorygateway.http.api.CrossOrigin;
import io.memorygateway.http.api.CrossOriginConfiguration;
import io.memorygateway.http.api.ErrorMappers;
import io.memorygateway.http.api.JettyErrorHandler;
import io.memorygateway.http.api.OtherNames;
import io.memorygateway.http.api.RequestId;
import io.memorygateway.http.api.RequestUriFilter;
import io.memorygateway.http.arrival.BodyReader;
import io.memorygateway.http.arrival.RequestEncodingFilter;
import io.memorygateway.http.arrival.UnsupportedRequestHandler;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Predicate;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.SizeLimitHandler;
import org.eclipse.jetty.server.handler.gzip.GzipHandler;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.glassfish.jersey.server.ServerProperties;

/**
 * Settings and filters of both ports, for every request, whatever serves it: one error shape, a
 * request id, a bound on bodies, ids with encoded slashes in paths, streams that are not buffered.
 */
public final class HttpServerSetup {
  /** The first Java version in which virtual threads are final. */
  private static final int VIRTUAL_THREADS_SINCE = 21;

  private HttpServerSetup() {}

  /**
   * Installs them; to be called before the server is built, from the application's {@code run}.
   *
   * @param isOutage whether a failure means that the database does not serve at the moment
   */
  public static void install(
      ServerFactory serverFactory,
      Environment environment,
      long maxRequestBodyBytes,
      HeapBudget bodies,
      CrossOriginConfiguration origins,
      CommonHeaders commonHeaders,
      Predicate<Throwable> isOutage) {
    if (serverFactory instanceof AbstractServerFactory factory) {
      factory.setRegisterDefaultExceptionMappers(false);
      factory.setEnableVirtualThreads(Runtime.version().feature() >= VIRTUAL_THREADS_SINCE);
      factory.setEnableThreadNameFilter(false);
    }
    CrossOrigin crossOrigin = new CrossOrigin(origins);
    JettyErrorHandler errors = new JettyErrorHandler(commonHeaders, crossOrigin);
    environment.getApplicationContext().setErrorHandler(errors);
    environment.getAdminContext().setErrorHandler(errors);
    environment.lifecycle().addEventListener(new ServerSettings(errors));

    environment
        .getApplicationContext()
        .insertHandler(new SizeLimitHandler(maxRequestBodyBytes, -1));
    environment.getApplicationContext().getServletHandler().setDecodeAmbiguousURIs(true);

    addFilter(environment.servlets(), "request-id", RequestId.filter(), false);
    addFilter(environment.servlets(), "cross-origin", crossOrigin.filter(commonHeaders), true);
    addFilter(
        environment.servlets(),
        "request-encoding",
        new RequestEncodingFilter(maxRequestBodyBytes),
        true);
    addFilter(environment.servlets(), "body-budget", RequestReservation.filter(bodies), true);
    addFilter(environment.servlets(), "common-headers", commonHeaders.filter(), true);
    addFilter(environment.servlets(), "content-type", new ContentTypeFilter(), true);
    addFilter(environment.servlets(), "head", HttpServerSetup::headAsGet, true);
    addFilter(environment.admin(), "request-id", RequestId.filter(), false);
    addFilter(environment.admin(), "error-body", HttpServerSetup::withErrorBody, true);
    addFilter(environment.admin(), "body-budget", RequestReservation.filter(bodies), true);
    addFilter(environment.admin(), "content-type", new ContentTypeFilter(), true);
    environment.getAdminContext().getServletHandler().setDecodeAmbiguousURIs(true);

    // Jersey would buffer the first 8 KiB of a stream, even if it is flushed.
    environment.jersey().property(ServerProperties.OUTBOUND_CONTENT_LENGTH_BUFFER, 0);
    environment.jersey().property(ServerProperties.WADL_FEATURE_DISABLE, true);
    environment.jersey().register(new BodyReader());
    ErrorMappers.register(environment.jersey(), isOutage);
    environment.jersey().register(new RequestUriFilter());
    environment.jersey().register(new AnthropicErrorFilter());
    // One of Dropwizard's own; a client that leaves is not an error of ours to log at length.
    environment.jersey().register(new EofExceptionWriterInterceptor(environment.metrics()));
  }

  /**
   * Adds a body to errors for which a servlet sets only a status, as Dropwizard's servlet does for
   * an unknown task (contract §3).
   */
  private static void withErrorBody(
      ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    chain.doFilter(request, response);
    HttpServletResponse answer = (HttpServletResponse) response;
    if (answer.getStatus() >= 400 && answer.getContentType() == null && !answer.isCommitted()) {
      answer.sendError(answer.getStatus());
    }
  }

  /**
   * Serves HEAD as GET, except for the body, which Jetty then omits: filters that compress bodies
   * and count their bytes see the same, so the headers are the same.
   */
  private static void headAsGet(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HttpServletRequest head = (HttpServletRequest) request;
    chain.doFilter(
        !head.getMethod().equals("HEAD")
            ? head
            : new HttpServletRequestWrapper(head) {
              @Override
              public String getMethod() {
                return "GET";
              }
            },
        response);
  }

  /**
   * Adds a filter for every path.
   *
   * @param isLast whether it comes behind those that are there, or before them
   */
  private static void addFilter(
      ServletEnvironment servlets, String name, Filter filter, boolean isLast) {
    servlets
        .addFilter(name, filter)
        .addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), isLast, "/*");
  }

  /**
   * Whether Jetty knows the compliance modes of every connector. It takes an unknown name for none,
   * and fails at the first unusual path.
   */
  public static boolean knowsCompliance(ServerFactory serverFactory) {
    return Ports.connectors(serverFactory).stream()
        .allMatch(http -> http.getUriCompliance() != null && http.getHttpCompliance() != null);
  }

  /** Whether the path of the API can be mapped; Jetty would say so at the start alone. */
  public static boolean knowsRootPath(ServerFactory serverFactory) {
    return !(serverFactory instanceof AbstractServerFactory factory)
        || factory.getJerseyRootPath().stream().allMatch(HttpServerSetup::isRootPath);
  }

  private static boolean isRootPath(String path) {
    int star = path.indexOf('*');
    return path.startsWith("/")
        && (star < 0 || (star == path.length() - 1 && path.charAt(star - 1) == '/'));
  }

  /** Whether threads are left beside those that connectors take for themselves. */
  public static boolean hasThreads(ServerFactory serverFactory) {
    return !(serverFactory instanceof DefaultServerFactory factory)
        || (hasThreads(factory.getMaxThreads(), factory.getApplicationConnectors())
            && hasThreads(factory.getAdminMaxThreads(), factory.getAdminConnectors()));
  }

  private static boolean hasThreads(int threads, List<ConnectorFactory> connectors) {
    long taken =
        connectors.stream()
            .filter(HttpConnectorFactory.class::isInstance)
            .map(HttpConnectorFactory.class::cast)
            .mapToLong(
                http ->
                    (long) http.getAcceptorThreads().orElse(1)
                        + http.getSelectorThreads().orElse(1))
            .sum();
    return taken + 1 < threads;
  }

  /**
   * Settings of the server itself. Requests that Jetty's parser refuses never reach a context: the
   * server itself has to answer in the same shape. And a connection caches header fields, by
   * default without regard to case: a key that differs from the previous one in case only would be
   * taken for it.
   */
  record ServerSettings(JettyErrorHandler errors) implements LifeCycle.Listener {
    @Override
    public void lifeCycleStarting(LifeCycle event) {
      if (event instanceof Server server) {
        server.setErrorHandler(errors);
        server.insertHandler(new OtherNames());
        server.insertHandler(new UnsupportedRequestHandler());
        endIdleThreadsTogether(server);
        leaveRequestsCompressed(server);
        server
            .getContainedBeans(HttpConfiguration.ConnectionFactory.class)
            .forEach(http -> http.getHttpConfiguration().setHeaderCacheCaseSensitive(true));
      }
    }

    /**
     * Ends idle threads together. After a burst, Jetty would end only one in each idle timeout: a
     * minute for every thread.
     */
    static void endIdleThreadsTogether(Server server) {
      if (server.getThreadPool() instanceof QueuedThreadPool pool) {
        pool.setMaxEvictCount(pool.getMaxThreads());
      }
    }

    /** Leaves requests compressed for a filter; see {@link RequestEncodingFilter}. */
    @SuppressWarnings("removal") // Dropwizard has no other yet.
    private static void leaveRequestsCompressed(Server server) {
      server.getDescendants(GzipHandler.class).forEach(gzip -> gzip.setInflateBufferSize(-1));
    }
  }
}
