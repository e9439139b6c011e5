import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Calls and streams without pause, until a file appears, and whether each of them came back whole.
 *
 *   java RollingLoad.java upstream PORT            a provider whose streams take some seconds
 *   java RollingLoad.java load URL KEY STOP_FILE   prints a line of JSON; status 1 if anything failed
 */
public final class RollingLoad {
  private static final int CALLERS = 8;
  private static final int STREAMERS = 8;
  private static final int EVENTS = 30;
  private static final long MILLIS_BETWEEN = 100;
  private static final String END = "data: [DONE]\n\n";

  private static final AtomicLong calls = new AtomicLong();
  private static final AtomicLong streams = new AtomicLong();
  private static final List<String> failures = new ArrayList<>();

  public static void main(String[] args) throws Exception {
    if (args[0].equals("upstream")) {
      upstream(Integer.parseInt(args[1]));
    } else {
      load(args[1], args[2], Path.of(args[3]));
    }
  }

  private static void upstream(int port) throws Exception {
    System.setProperty("sun.net.httpserver.nodelay", "true");
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1024);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/", RollingLoad::answer);
    server.start();
  }

  private static void answer(HttpExchange exchange) {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      if (!body.contains("\"stream\":true")) {
        byte[] whole = "{\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}".getBytes();
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, whole.length);
        exchange.getResponseBody().write(whole);
        return;
      }
      exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
      exchange.sendResponseHeaders(200, 0);
      OutputStream out = exchange.getResponseBody();
      for (int i = 0; i < EVENTS; i++) {
        out.write(("data: {\"choices\":[{\"delta\":{\"content\":\"" + i + "\"}}]}\n\n").getBytes());
        out.flush();
        Thread.sleep(MILLIS_BETWEEN);
      }
      out.write(END.getBytes());
    } catch (Exception e) {
      System.err.println("upstream: " + e);
    }
  }

  private static void load(String url, String key, Path stop) throws Exception {
    HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < CALLERS + STREAMERS; i++) {
      boolean stream = i >= CALLERS;
      Thread thread =
          new Thread(
              () -> {
                while (!Files.exists(stop)) {
                  one(http, url, key, stream);
                }
              });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    System.out.printf(
        "{\"calls\":%d,\"streams\":%d,\"failed\":%d}%n", calls.get(), streams.get(), failures.size());
    failures.stream().limit(10).forEach(System.err::println);
    System.exit(failures.isEmpty() ? 0 : 1);
  }

  private static void one(HttpClient http, String url, String key, boolean stream) {
    String body = "{\"model\":\"gpt-5\",\"stream\":" + stream + ",\"messages\":[]}";
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + "/v1/chat/completions"))
            .timeout(Duration.ofSeconds(60))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    String failure = null;
    try {
      HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
      boolean whole = !stream || (answer.body().endsWith(END) && events(answer.body()) == EVENTS + 1);
      if (answer.statusCode() != 200 || !whole) {
        failure = answer.statusCode() + " " + answer.body();
      } else if (!stream) {
        // About the pace of real callers; a restart is to be met by many connections, not by few.
        Thread.sleep(5);
      }
    } catch (Exception e) {
      failure = e.toString();
    }
    (stream ? streams : calls).incrementAndGet();
    if (failure != null) {
      synchronized (failures) {
        failures.add((stream ? "stream: " : "call: ") + failure);
      }
    }
  }

  private static long events(String body) {
    return body.lines().filter(line -> line.startsWith("data: ")).count();
  }
}
