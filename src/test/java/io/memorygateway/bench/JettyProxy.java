package io.memorygateway.bench;

import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.proxy.ProxyHandler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * Jetty's own reverse proxy, which looks at nothing: the most that a gateway on Jetty could reach.
 */
final class JettyProxy {
  private static final int MAX_CONNECTIONS = 4096;

  private JettyProxy() {}

  /** {@code PORT UPSTREAM}: passes requests on to the same path below that URL, until killed. */
  public static void main(String[] arguments) throws Exception {
    HttpURI upstream = HttpURI.from(arguments[1]);
    Server server = new Server(new QueuedThreadPool());
    ServerConnector connector = new ServerConnector(server);
    connector.setHost("127.0.0.1");
    connector.setPort(Integer.parseInt(arguments[0]));
    connector.setAcceptQueueSize(MAX_CONNECTIONS);
    server.addConnector(connector);
    server.setHandler(
        new ProxyHandler.Reverse(request -> below(upstream, request.getHttpURI())) {
          @Override
          protected void configureHttpClient(HttpClient client) {
            super.configureHttpClient(client);
            client.setMaxConnectionsPerDestination(MAX_CONNECTIONS);
          }
        });
    server.start();
    server.join();
  }

  private static HttpURI below(HttpURI upstream, HttpURI requested) {
    return HttpURI.build(upstream).path(upstream.getPath() + requested.getPath()).asImmutable();
  }
}
