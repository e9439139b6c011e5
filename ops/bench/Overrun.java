import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * By how much a gateway lets a key overrun its budget: 64 clients call it until it refuses, and an
 * upstream adds up what it answers. A call asks for 500 tokens of output, and has 500; it takes 50
 * to 250 ms.
 *
 * <p>Arguments: port of the upstream, URL of the gateway's Chat, key, model, limit in dollars,
 * dollars for a million tokens of output (input costs nothing), seconds at most.
 */
final class Overrun {
  private static final int CLIENTS = 64;
  private static final int TOKENS = 500;

  /** After so many refusals a client ends. */
  private static final int REFUSALS = 5;

  public static void main(String[] args) throws Exception {
    AtomicLong answered = new AtomicLong();
    HttpServer upstream = upstream(Integer.parseInt(args[0]), answered);
    double limit = Double.parseDouble(args[4]);
    double each = TOKENS * Double.parseDouble(args[5]) / 1e6;
    long most = (long) (10 * limit / each); // never more, whatever the gateway does
    long end = System.nanoTime() + Duration.ofSeconds(Long.parseLong(args[6])).toNanos();
    HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(args[1]))
            .header("Authorization", "Bearer " + args[2])
            .header("Content-Type", "application/json")
            .timeout(Duration.ofSeconds(60))
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"model\":\"%s\",\"max_tokens\":%d,\"messages\":[{\"role\":\"user\",\"content\":\"Go.\"}]}"
                        .formatted(args[3], TOKENS)))
            .build();
    Map<Integer, LongAdder> statuses = new ConcurrentHashMap<>();
    List<Thread> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(
          new Thread(
              () -> {
                try {
                  int refused = 0;
                  while (refused < REFUSALS && answered.get() < most && System.nanoTime() < end) {
                    int status =
                        http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
                    statuses.computeIfAbsent(status, unused -> new LongAdder()).increment();
                    refused += status == 200 ? 0 : 1;
                  }
                } catch (java.io.IOException | InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              }));
    }
    long began = System.nanoTime();
    clients.forEach(Thread::start);
    for (Thread client : clients) {
      client.join();
    }
    System.out.printf(
        Locale.ROOT,
        "limit %s, spent %.4f: overrun %.1f %%, %d calls in %.1f s, statuses %s%n",
        args[4],
        answered.get() * each,
        100 * (answered.get() * each / limit - 1),
        answered.get(),
        (System.nanoTime() - began) / 1e9,
        new TreeMap<>(statuses));
    upstream.stop(0);
    System.exit(0);
  }

  private static HttpServer upstream(int port, AtomicLong answered) throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 256);
    server.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          try {
            Thread.sleep(50 + ThreadLocalRandom.current().nextInt(200));
          } catch (InterruptedException e) {
            throw new java.io.IOException(e);
          }
          byte[] answer =
              """
              {"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":
              {"role":"assistant","content":"Well."},"finish_reason":"stop"}],
              "usage":{"prompt_tokens":2,"completion_tokens":%1$d,"total_tokens":%2$d}}
              """
                  .formatted(TOKENS, TOKENS + 2)
                  .getBytes(StandardCharsets.UTF_8);
          answered.incrementAndGet();
          exchange.getResponseHeaders().set("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.setExecutor(Executors.newCachedThreadPool());
    server.start();
    return server;
  }
}
