package io.memorygateway.quickstart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.CannedReplies.Reply;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

/**
 * Stands in for every provider when no provider key is set: answers all endpoints, streaming and
 * not, with a sentence that says so and repeats what the user said.
 */
final class SampleUpstream implements AutoCloseable {
  private static final int ECHO_LENGTH = 200;

  private final ObjectMapper json = new ObjectMapper();
  private final HttpServer server;
  private final long millisBetweenEvents;

  private SampleUpstream(HttpServer server, long millisBetweenEvents) {
    this.server = server;
    this.millisBetweenEvents = millisBetweenEvents;
  }

  /**
   * Starts on a free loopback port.
   *
   * @param millisBetweenEvents the pace of a stream, so that a person sees it flow
   */
  static SampleUpstream start(long millisBetweenEvents) throws IOException {
    // Else the kernel holds back the second small write of an answer for 40 ms.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 128);
    SampleUpstream sample = new SampleUpstream(server, millisBetweenEvents);
    server.createContext("/", sample::answer);
    server.setExecutor(
        Executors.newCachedThreadPool(
            work -> {
              Thread thread = new Thread(work, "sample-upstream");
              thread.setDaemon(true);
              return thread;
            }));
    server.start();
    return sample;
  }

  /** Without a path. */
  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      JsonNode body;
      try {
        body = json.readTree(exchange.getRequestBody().readAllBytes());
      } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
        send(
            exchange,
            400,
            "{\"error\":{\"message\":\"not JSON\",\"type\":\"invalid_request_error\"}}");
        return;
      }
      String said = sentence(CannedReplies.lastUserText(body));
      Reply reply = CannedReplies.reply(exchange.getRequestURI().getPath(), body, said);
      if (reply.isStream()) {
        stream(exchange, reply);
      } else {
        send(exchange, reply.status(), reply.json());
      }
    }
  }

  private static String sentence(String said) {
    String heard = said.strip();
    if (heard.length() > ECHO_LENGTH) {
      heard = heard.substring(0, ECHO_LENGTH) + "…";
    }
    return (heard.isEmpty() ? "Hello!" : "Hello! You said: \"" + heard + "\".")
        + " I am the quickstart's sample upstream, not a model: set a provider's key for a real one.";
  }

  private void stream(HttpExchange exchange, Reply reply) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream; charset=utf-8");
    exchange.sendResponseHeaders(200, 0);
    OutputStream out = exchange.getResponseBody();
    for (String event : reply.events()) {
      out.write(event.getBytes(StandardCharsets.UTF_8));
      out.flush();
      pause();
    }
  }

  private void pause() throws IOException {
    try {
      Thread.sleep(millisBetweenEvents);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("stopped", e);
    }
  }

  private static void send(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }
}
