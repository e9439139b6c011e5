package io.memorygateway.http;

import io.dropwizard.core.server.AbstractServerFactory;
import io.dropwizard.core.server.DefaultServerFactory;
import io.dropwizard.core.server.ServerFactory;
import io.dropwizard.core.setup.Environment;
import io.dropwizard.jersey.errors.EofExceptionWriterInterceptor;
import io.dropwizard.jetty.HttpConnectorFactory;
import io.memorygateway.concurrent.HeapBudget;
import jakarta.servlet.DispatcherType;
import java.util.EnumSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.SizeLimitHandler;
import org.eclipse.jetty.server.handler.gzip.GzipHandler;
import org.eclipse.jetty.util.component.LifeCycle;
import org.glassfish.jersey.server.ServerProperties;

/**
 * The settings and filters of both ports, for every request, whoever serves it: one error shape, a
 * request id, a bound on bodies, ids with encoded slashes in paths, streams that are not buffered.
 */
public final class HttpEdge {
  /** The first JVM with virtual threads that are final. */
  private static final int VIRTUAL_THREADS_SINCE = 21;

  private HttpEdge() {}

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
      EdgeHeaders edgeHeaders,
      Predicate<Throwable> isOutage) {
    if (serverFactory instanceof AbstractServerFactory factory) {
      factory.setRegisterDefaultExceptionMappers(false);
      factory.setEnableVirtualThreads(Runtime.version().feature() >= VIRTUAL_THREADS_SINCE);
      factory.setEnableThreadNameFilter(false);
    }
    CrossOrigin crossOrigin = new CrossOrigin(origins);
    JettyErrorHandler errors = new JettyErrorHandler(edgeHeaders, crossOrigin);
    environment.getApplicationContext().setErrorHandler(errors);
    environment
        .getAdminContext()
        .setErrorHandler(
            new JettyErrorHandler(
                (method, path, headers) -> {},
                new CrossOrigin(CrossOriginConfiguration.defaults())));
    environment.lifecycle().addEventListener(new ServerSettings(errors));

    environment
        .getApplicationContext()
        .insertHandler(new SizeLimitHandler(maxRequestBodyBytes, -1));
    environment.getApplicationContext().getServletHandler().setDecodeAmbiguousURIs(true);

    EnumSet<DispatcherType> requests = EnumSet.of(DispatcherType.REQUEST);
    environment
        .servlets()
        .addFilter("request-id", new RequestIdFilter())
        .addMappingForUrlPatterns(requests, false, "/*");
    environment
        .servlets()
        .addFilter("cross-origin", new CrossOriginFilter(crossOrigin, edgeHeaders))
        .addMappingForUrlPatterns(requests, true, "/*");
    environment
        .servlets()
        .addFilter("request-encoding", new RequestEncodingFilter(maxRequestBodyBytes))
        .addMappingForUrlPatterns(requests, true, "/*");
    environment
        .servlets()
        .addFilter("body-budget", new BodyBudgetFilter(bodies))
        .addMappingForUrlPatterns(requests, true, "/*");
    environment
        .servlets()
        .addFilter("edge-headers", new EdgeHeadersFilter(edgeHeaders))
        .addMappingForUrlPatterns(requests, true, "/*");
    environment
        .servlets()
        .addFilter("content-type", new ContentTypeFilter())
        .addMappingForUrlPatterns(requests, true, "/*");
    environment
        .servlets()
        .addFilter("head", new HeadFilter())
        .addMappingForUrlPatterns(requests, true, "/*");
    environment
        .admin()
        .addFilter("request-id", new RequestIdFilter())
        .addMappingForUrlPatterns(requests, false, "/*");
    environment
        .admin()
        .addFilter("bare-errors", new BareErrorFilter())
        .addMappingForUrlPatterns(requests, true, "/*");

    // Jersey would hold back the first 8 KiB of a stream, whatever is flushed.
    environment.jersey().property(ServerProperties.OUTBOUND_CONTENT_LENGTH_BUFFER, 0);
    environment.jersey().property(ServerProperties.WADL_FEATURE_DISABLE, true);
    environment.jersey().register(new BodyReader());
    ErrorMappers.register(environment.jersey(), isOutage);
    environment.jersey().register(new RequestUriFilter());
    environment.jersey().register(new MessagesErrors());
    // Of Dropwizard's own set; a client that leaves is no error of ours to log at length.
    environment.jersey().register(new EofExceptionWriterInterceptor(environment.metrics()));
  }

  /**
   * Whether every connector's compliance modes are ones that Jetty knows. It takes an unknown name
   * for none, and fails with it at the first odd path.
   */
  public static boolean knowsCompliance(ServerFactory serverFactory) {
    return !(serverFactory instanceof DefaultServerFactory factory)
        || Stream.concat(
                factory.getApplicationConnectors().stream(), factory.getAdminConnectors().stream())
            .allMatch(
                connector ->
                    !(connector instanceof HttpConnectorFactory http)
                        || (http.getUriCompliance() != null && http.getHttpCompliance() != null));
  }

  /**
   * Settings of the server itself. What Jetty's parser refuses never reaches a context: the server
   * itself has to answer in the same shape. And a connection remembers header fields that it has
   * seen, by default without regard to case: a key that differs from the one before in nothing else
   * would pass for it.
   */
  private record ServerSettings(JettyErrorHandler errors) implements LifeCycle.Listener {
    @Override
    public void lifeCycleStarting(LifeCycle event) {
      if (event instanceof Server server) {
        server.setErrorHandler(errors);
        server.insertHandler(new UnsupportedRequestHandler());
        leaveRequestsCompressed(server);
        server
            .getContainedBeans(HttpConfiguration.ConnectionFactory.class)
            .forEach(http -> http.getHttpConfiguration().setHeaderCacheCaseSensitive(true));
      }
    }

    /** They are decompressed by a filter; see {@link RequestEncodingFilter}. */
    @SuppressWarnings("removal") // Dropwizard has no other yet.
    private static void leaveRequestsCompressed(Server server) {
      server.getDescendants(GzipHandler.class).forEach(gzip -> gzip.setInflateBufferSize(-1));
    }
  }
}
