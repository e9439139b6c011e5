package io.memorygateway.proxy.upstream;

import io.dropwizard.lifecycle.Managed;
import io.memorygateway.concurrent.CallerShares;
import io.memorygateway.concurrent.DaemonThreads;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.OutputStreamRequestContent;
import org.eclipse.jetty.client.ProtocolHandlers;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.util.SocketAddressResolver;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * HTTP client of one provider. It passes on what it is given: no cookies, redirects or retries. No
 * coding is asked for; a whole answer that comes in gzip is unpacked ({@link PackedAnswer}).
 */
public final class Upstream implements Managed {
  /**
   * Lifetime of idle connections; short, because many servers close theirs soon, and a call must
   * not use one that was just closed.
   */
  private static final Duration KEEP_ALIVE = Duration.ofSeconds(20);

  /** Largest head of an answer in bytes; Jetty has no limit by default. */
  private static final int MAX_HEADER_BYTES = 64 << 10;

  private static final int MAX_REQUEST_HEADER_BYTES = 64 << 10;

  /**
   * Connections that callers leave to the gateway's own calls, if an eighth of all is as many; more
   * than it makes at once.
   */
  private static final int KEPT_BACK = 16;

  private final HttpClient client;

  /** Asks for its address; a name server that does not answer holds the thread. */
  private final ExecutorService names = DaemonThreads.queue("upstream-names", 1);

  private final CallerShares shares;
  private final StreamScheduler streams;
  private final boolean proxied;
  private final long firstByteMillis;
  private final long idleMillis;

  /**
   * How connections are made.
   *
   * @param proxy null for none
   * @param trusted null for those that Java trusts alone
   */
  public record Way(@Nullable OutboundProxy proxy, @Nullable TrustedAuthorities trusted) {}

  /**
   * The limits of one provider.
   *
   * @param firstByteTimeout until an answer begins
   * @param idleTimeout between two parts of an answer
   * @param connections open at once
   */
  public record Limits(
      Duration connectTimeout, Duration firstByteTimeout, Duration idleTimeout, int connections) {}

  /**
   * Creates the client.
   *
   * @param maxWait longest wait of a caller for a connection
   */
  public Upstream(
      Way way,
      Limits limits,
      Duration maxWait,
      Executor executor,
      Scheduler scheduler,
      StreamScheduler streams) {
    this.streams = streams;
    HttpClientTransportOverHTTP transport = new HttpClientTransportOverHTTP(1);
    // The callbacks only wake the waiting thread, so the selector's own thread may run them.
    transport.setInvocationType(InvocationType.NON_BLOCKING);
    client = new HttpClient(transport);
    if (way.trusted() != null) {
      way.trusted().install(client);
    }
    proxied = way.proxy() != null;
    if (way.proxy() != null) {
      way.proxy().install(client);
    }
    client.setExecutor(executor);
    client.setScheduler(scheduler);
    client.setSocketAddressResolver(
        new SocketAddressResolver.Async(names, scheduler, client.getAddressResolutionTimeout()));
    client.setConnectTimeout(limits.connectTimeout().toMillis());
    client.addBean(new HandshakeLimit(scheduler, limits.connectTimeout().toMillis()));
    client.setIdleTimeout(KEEP_ALIVE.toMillis());
    int connections = limits.connections();
    client.setMaxConnectionsPerDestination(connections);
    // Of callers, none waits in the client's queue, which knows neither keys nor an end.
    shares = new CallerShares(connections - Math.min(KEPT_BACK, connections / 8), maxWait);
    client.setMaxResponseHeadersSize(MAX_HEADER_BYTES);
    // The port bounds what comes of a caller; what it lets in is no failure of the provider.
    client.setMaxRequestHeadersSize(MAX_REQUEST_HEADER_BYTES);
    client.setFollowRedirects(false);
    client.setUserAgentField(null);
    client.setHttpCookieStore(new HttpCookieStore.Empty());
    firstByteMillis = limits.firstByteTimeout().toMillis();
    idleMillis = limits.idleTimeout().toMillis();
  }

  @Override
  public void start() throws Exception {
    client.start();
    ProtocolHandlers handlers = client.getProtocolHandlers();
    handlers.clear();
    handlers.put(new InterimResponses());
    // Jetty's own reads a text in gzip that ends too early for ever.
    client.getContentDecoderFactories().clear();
  }

  @Override
  public void stop() throws Exception {
    client.stop();
    names.shutdownNow();
  }

  /**
   * Sends a POST; does not block.
   *
   * @param maxBodyBytes see {@link UpstreamExchange#send}, as for {@code heap} and {@code
   *     onLongWait}
   */
  UpstreamExchange post(
      URI uri,
      HttpFields headers,
      byte[] body,
      int maxBodyBytes,
      IntPredicate heap,
      Runnable onLongWait) {
    Request request =
        request(HttpMethod.POST, uri, headers)
            .body(new BytesRequestContent("application/json", body));
    return UpstreamExchange.send(request, false, maxBodyBytes, heap, onLongWait);
  }

  /** Sends a POST of the gateway's own, for whose answer it has heap; does not block. */
  public UpstreamExchange post(URI uri, HttpFields headers, byte[] body, int maxBodyBytes) {
    return post(uri, headers, body, maxBodyBytes, more -> true, () -> {});
  }

  /** Sends a GET of the gateway's own; does not block. */
  public UpstreamExchange get(URI uri, HttpFields headers, int maxBodyBytes) {
    return UpstreamExchange.send(
        request(HttpMethod.GET, uri, headers), false, maxBodyBytes, more -> true, () -> {});
  }

  /**
   * Sends a request of any kind, whose answer is read part by part unless it is an error; does not
   * block. While the body is sent, the connection may be idle for as long as it may until an answer
   * begins.
   *
   * @param heap see {@link UpstreamExchange#send}, as for {@code onLongWait}
   */
  UpstreamExchange pass(
      PassedRequest passed,
      URI uri,
      HttpFields headers,
      int maxErrorBytes,
      IntPredicate heap,
      Runnable onLongWait) {
    Request request = request(passed.method(), uri, headers).body(passed.body());
    if (passed.body() instanceof OutputStreamRequestContent) {
      request.idleTimeout(Math.max(firstByteMillis, idleMillis), TimeUnit.MILLISECONDS);
    }
    return UpstreamExchange.send(request, true, maxErrorBytes, heap, onLongWait);
  }

  private Request request(HttpMethod method, URI uri, HttpFields headers) {
    return client
        .newRequest(uri)
        .method(method)
        .attribute(UpstreamFailure.PROXIED, proxied)
        .headers(all -> all.clear().add(headers).put(HttpHeader.HOST, authority(uri)))
        // The exchange measures timeouts itself, since the first byte may take longer than a
        // later pause.
        .idleTimeout(0, TimeUnit.MILLISECONDS);
  }

  public CallerShares shares() {
    return shares;
  }

  StreamScheduler.Stream openStream() {
    return streams.open();
  }

  public long firstByteMillis() {
    return firstByteMillis;
  }

  long idleMillis() {
    return idleMillis;
  }

  private static String authority(URI uri) {
    return uri.getPort() < 0 ? uri.getHost() : uri.getHost() + ":" + uri.getPort();
  }
}
