package io.memorygateway.bench.quality;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A provider of chat completions that answers with a given text and records what it is sent, for
 * each model name by itself, so that several threads may use it at once.
 */
final class RecordingUpstream implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpServer server;
  private final ExecutorService threads = Executors.newFixedThreadPool(4);
  private final Map<String, String> answers = new ConcurrentHashMap<>();
  private final Map<String, JsonNode> received = new ConcurrentHashMap<>();

  RecordingUpstream(int port) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 50);
    server.createContext("/", this::serve);
    server.setExecutor(threads);
    server.start();
  }

  private void serve(HttpExchange exchange) throws IOException {
    JsonNode request = JSON.readTree(exchange.getRequestBody());
    String model = request.path("model").asText();
    received.put(model, request);
    byte[] body =
        JSON.createObjectNode()
            .put("id", "c")
            .put("object", "chat.completion")
            .put("model", "m")
            .set(
                "choices",
                JSON.createArrayNode()
                    .add(
                        JSON.createObjectNode()
                            .put("index", 0)
                            .put("finish_reason", "stop")
                            .set(
                                "message",
                                JSON.createObjectNode()
                                    .put("role", "assistant")
                                    .put("content", answers.getOrDefault(model, "Yes.")))))
            .toString()
            .getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  /** What a model answers from now on. */
  void answer(String model, String text) {
    answers.put(model, text);
  }

  /**
   * The texts of the messages of the last call of a model but its last message, a message after the
   * other.
   */
  String context(String model) {
    StringBuilder context = new StringBuilder();
    JsonNode messages = received.get(model).path("messages");
    for (int i = 0; i + 1 < messages.size(); i++) {
      JsonNode content = messages.get(i).path("content");
      if (content.isTextual()) {
        context.append(content.asText()).append('\n');
      }
      content.forEach(part -> context.append(part.path("text").asText()).append('\n'));
    }
    return context.toString();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdown();
  }
}
