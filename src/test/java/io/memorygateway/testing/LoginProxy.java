package io.memorygateway.testing;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A proxy on loopback in front of an admin port, as oauth2-proxy is one: it removes the headers of
 * logins from what it receives, and adds its own.
 */
public final class LoginProxy implements AutoCloseable {
  /** Not to be passed on, or not allowed by the client. */
  private static final Set<String> LEFT_OUT =
      Set.of(
          "connection", "content-length", "host", "transfer-encoding", "upgrade", "http2-settings");

  private final HttpServer server;
  private final ExecutorService threads = Executors.newFixedThreadPool(8);
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String target;
  private volatile Map<String, String> login = Map.of();

  /** A proxy in front of an admin port. */
  public LoginProxy(String target) throws IOException {
    this.target = target;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::forward);
    server.start();
  }

  /** Who is logged in from now on, as headers. */
  public void login(Map<String, String> headers) {
    login = Map.copyOf(headers);
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private void forward(HttpExchange exchange) throws IOException {
    try (exchange) {
      Map<String, String> added = login;
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(target + exchange.getRequestURI()))
              .method(
                  exchange.getRequestMethod(),
                  HttpRequest.BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()));
      for (Map.Entry<String, List<String>> header : exchange.getRequestHeaders().entrySet()) {
        String name = header.getKey().toLowerCase(Locale.ROOT);
        // Its own Origin would not be that of the host that it asks for.
        if (!LEFT_OUT.contains(name) && !name.equals("origin") && !isOfLogin(name)) {
          header.getValue().forEach(value -> request.header(header.getKey(), value));
        }
      }
      added.forEach(request::header);
      HttpResponse<byte[]> answer = client.send(request.build(), BodyHandlers.ofByteArray());
      Headers headers = exchange.getResponseHeaders();
      answer
          .headers()
          .map()
          .forEach(
              (name, values) -> {
                if (!LEFT_OUT.contains(name.toLowerCase(Locale.ROOT))) {
                  headers.put(name, values);
                }
              });
      byte[] body = answer.body();
      exchange.sendResponseHeaders(answer.statusCode(), body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean isOfLogin(String name) {
    return name.startsWith("x-forwarded-") || name.equals("x-gateway-proxy-secret");
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
