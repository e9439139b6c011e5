package io.memorygateway.faults;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.memorygateway.testing.CannedReplies;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

/**
 * An upstream for much load, which remembers nothing: a short answer at once, a stream of an event
 * a second, or an answer of 50 MB, as the model's name says.
 */
final class LoadUpstream implements AutoCloseable {
  /** Models. */
  static final String SHORT = "gpt-short";

  static final String PACED = "gpt-paced";
  static final String LARGE = "gpt-large";

  private static final int LARGE_BYTES = 50 << 20;
  private static final byte[] PIECE = "x".repeat(64 << 10).getBytes(StandardCharsets.US_ASCII);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpServer server;
  private final int streamSeconds;

  private LoadUpstream(HttpServer server, int streamSeconds) {
    this.server = server;
    this.streamSeconds = streamSeconds;
  }

  /** Starts on a free port. */
  static LoadUpstream start(int streamSeconds) throws IOException {
    System.setProperty("sun.net.httpserver.nodelay", "true");
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4096);
    LoadUpstream upstream = new LoadUpstream(server, streamSeconds);
    server.createContext("/", upstream::answer);
    server.setExecutor(
        Executors.newCachedThreadPool(
            work -> {
              Thread thread = new Thread(null, work, "upstream", 128 << 10);
              thread.setDaemon(true);
              return thread;
            }));
    server.start();
    return upstream;
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      JsonNode body = JSON.readTree(exchange.getRequestBody().readAllBytes());
      String model = body.path("model").asText();
      if (model.equals(PACED)) {
        stream(exchange);
      } else if (model.equals(LARGE)) {
        large(exchange);
      } else {
        byte[] reply =
            CannedReplies.reply(exchange.getRequestURI().getPath(), body, "Very well.")
                .json()
                .getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, reply.length);
        exchange.getResponseBody().write(reply);
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private void stream(HttpExchange exchange) throws IOException, InterruptedException {
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    OutputStream out = exchange.getResponseBody();
    for (int i = 0; i < streamSeconds; i++) {
      event(
          out,
          "{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":"
              + "[{\"index\":0,\"delta\":{\"content\":\"word \"},\"finish_reason\":null}]}");
      Thread.sleep(1000);
    }
    event(
        out,
        "{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":"
            + "[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}");
    event(out, "[DONE]");
  }

  private static void event(OutputStream out, String data) throws IOException {
    out.write(("data: " + data + "\n\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private static void large(HttpExchange exchange) throws IOException {
    byte[] before =
        ("{\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,"
                + "\"finish_reason\":\"stop\",\"message\":{\"role\":\"assistant\",\"content\":\"")
            .getBytes(StandardCharsets.UTF_8);
    byte[] after = "\"}}]}".getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, before.length + (long) LARGE_BYTES + after.length);
    OutputStream out = exchange.getResponseBody();
    out.write(before);
    for (int sent = 0; sent < LARGE_BYTES; sent += PIECE.length) {
      out.write(PIECE);
    }
    out.write(after);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
