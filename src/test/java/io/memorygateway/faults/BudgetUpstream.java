package io.memorygateway.faults;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * An upstream of Chat that says of each call how many tokens it used: any number up to the call's
 * limit, in up to twelve seconds, or at once if its model is the fast one. Of a call without a
 * limit it says nothing, and its text is long.
 */
final class BudgetUpstream implements AutoCloseable {
  /** Tokens of a prompt above which another price applies. */
  static final int TIER = 50;

  private static final int EVENTS = 10;
  private static final long LONGEST_MILLIS = 12_000;
  private static final String WORDS = "one two three four five six seven eight nine ten ";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpServer server;

  private BudgetUpstream(HttpServer server) {
    this.server = server;
  }

  /** Starts on a free port. */
  static BudgetUpstream start() throws IOException {
    System.setProperty("sun.net.httpserver.nodelay", "true");
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 256);
    server.createContext("/", BudgetUpstream::answer);
    server.setExecutor(
        Executors.newCachedThreadPool(
            work -> {
              Thread thread = new Thread(work, "upstream");
              thread.setDaemon(true);
              return thread;
            }));
    server.start();
    return new BudgetUpstream(server);
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private static void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      Random random = ThreadLocalRandom.current();
      JsonNode call = JSON.readTree(exchange.getRequestBody().readAllBytes());
      int limit =
          Math.max(call.path("max_tokens").asInt(), call.path("max_completion_tokens").asInt());
      boolean isLong = call.toString().length() > 400;
      String usage = limit > 0 ? usage(random, limit, isLong) : "";
      String text = limit > 0 ? "Well." : WORDS.repeat(1 + random.nextInt(40));
      // Small answers are fast.
      long millis =
          call.path("model").asText().equals("fast")
              ? random.nextInt(50)
              : Math.min(LONGEST_MILLIS, 200 + random.nextInt(2000) + limit / 4);
      if (call.path("stream").asBoolean()) {
        stream(exchange, text, usage, millis);
      } else {
        TimeUnit.MILLISECONDS.sleep(millis);
        byte[] whole =
            ("{\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,"
                    + "\"message\":{\"role\":\"assistant\",\"content\":\""
                    + text
                    + "\"},\"finish_reason\":\"stop\"}]"
                    + (usage.isEmpty() ? "" : "," + usage)
                    + "}")
                .getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, whole.length);
        exchange.getResponseBody().write(whole);
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  /**
   * Less than the gateway counts of the prompt; a part of it cached, a part of the output thought.
   */
  private static String usage(Random random, int limit, boolean isLong) {
    int input = isLong ? TIER + 20 : 3;
    int output = 1 + random.nextInt(limit);
    return ("\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d,\"total_tokens\":%d,"
            + "\"prompt_tokens_details\":{\"cached_tokens\":%d},"
            + "\"completion_tokens_details\":{\"reasoning_tokens\":%d}}")
        .formatted(input, output, input + output, random.nextInt(input), random.nextInt(output));
  }

  private static void stream(HttpExchange exchange, String text, String usage, long millis)
      throws IOException, InterruptedException {
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    OutputStream out = exchange.getResponseBody();
    for (int i = 0; i < EVENTS; i++) {
      TimeUnit.MILLISECONDS.sleep(millis / EVENTS);
      // All of a long text, piece by piece; of a short one, one word.
      String piece = usage.isEmpty() ? text : i == 0 ? text : "";
      chunk(out, "[{\"index\":0,\"delta\":{\"content\":\"" + piece + "\"}}]", "");
    }
    chunk(out, "[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]", "");
    if (!usage.isEmpty()) {
      chunk(out, "[]", "," + usage);
    }
    out.write("data: [DONE]\n\n".getBytes(StandardCharsets.US_ASCII));
  }

  private static void chunk(OutputStream out, String choices, String more) throws IOException {
    String data =
        "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":"
            + choices
            + more
            + "}\n\n";
    out.write(data.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
