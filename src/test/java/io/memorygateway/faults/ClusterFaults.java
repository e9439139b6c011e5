package io.memorygateway.faults;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RecordedRequest;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Three gateways on a cluster of the database, under a mixed load, while database nodes and
 * gateways are killed with -9 in turn; then looks at what is remembered: every write that a client
 * saw acknowledged is there once and in its client's order, and nothing was observed twice. Started
 * by {@code ops/faults/cluster}.
 *
 * <p>Arguments: the gateway's jar, a command that kills and starts database nodes ({@code kill N},
 * {@code start N}), seconds of load, seconds between two kills of a database node (0: none), the
 * same for gateways, a JDBC URL for each gateway.
 */
final class ClusterFaults {
  private static final int CLIENTS = 12;
  private static final String SHARED = "shared";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String jar;
  private final String nodes;
  private final List<Gateway> gateways = new ArrayList<>();
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private final FakeUpstream upstream = FakeUpstream.start().answer(ClusterFaults::echo);
  private final List<ConcurrentLinkedQueue<Write>> acknowledged = new ArrayList<>();
  private final AtomicLong longestNanos = new AtomicLong();
  private final AtomicLong refusals = new AtomicLong();
  private String key = "";
  private volatile boolean over;

  /** A gateway of three. */
  private static final class Gateway {
    private final String url;
    private final int port;
    private final int adminPort;
    private volatile Process process;

    Gateway(String url) throws IOException {
      this.url = url;
      this.port = freePort();
      this.adminPort = freePort();
    }

    private static int freePort() throws IOException {
      try (ServerSocket socket = new ServerSocket(0)) {
        return socket.getLocalPort();
      }
    }
  }

  /**
   * A write that a client repeats until it is acknowledged.
   *
   * @param turn whether it is a proxied call, which is stored with its answer
   */
  private record Write(String thread, String text, boolean turn) {}

  private ClusterFaults(String jar, String nodes) {
    this.jar = jar;
    this.nodes = nodes;
    for (int client = 0; client < CLIENTS; client++) {
      acknowledged.add(new ConcurrentLinkedQueue<>());
    }
  }

  public static void main(String[] args) throws Exception {
    ClusterFaults faults = new ClusterFaults(args[0], args[1]);
    try {
      for (String url : List.of(args).subList(5, args.length)) {
        faults.gateways.add(new Gateway(url));
      }
      faults.run(Integer.parseInt(args[2]), Integer.parseInt(args[3]), Integer.parseInt(args[4]));
    } finally {
      for (Gateway gateway : faults.gateways) {
        if (gateway.process != null) {
          gateway.process.destroyForcibly().waitFor();
        }
      }
      faults.upstream.close();
    }
  }

  private static Answer echo(RecordedRequest request) {
    JsonNode body = request.json();
    CannedReplies.Reply reply =
        CannedReplies.reply(request.path(), body, answerTo(CannedReplies.lastUserText(body)));
    return reply.isStream() ? Answer.sse(reply.events()) : Answer.json(reply.json());
  }

  private static String answerTo(String question) {
    return "Answer to " + question;
  }

  private void run(int seconds, int nodeEvery, int gatewayEvery) throws Exception {
    for (Gateway gateway : gateways) {
      launch(gateway);
    }
    for (Gateway gateway : gateways) {
      awaitHealthy(gateway);
    }
    prepare();
    List<Thread> clients = new ArrayList<>();
    for (int client = 0; client < CLIENTS; client++) {
      int number = client;
      clients.add(new Thread(() -> write(number), "client-" + client));
    }
    Thread nodeKiller = new Thread(() -> killNodes(nodeEvery), "node-killer");
    Thread gatewayKiller = new Thread(() -> killGateways(gatewayEvery), "gateway-killer");
    clients.forEach(Thread::start);
    nodeKiller.start();
    gatewayKiller.start();
    Thread.sleep(Duration.ofSeconds(seconds).toMillis());
    over = true;
    nodeKiller.join();
    gatewayKiller.join();
    for (Thread client : clients) {
      client.join();
    }
    for (Gateway gateway : gateways) {
      awaitHealthy(gateway);
    }
    check();
  }

  private void launch(Gateway gateway) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-Xmx512m",
            "-jar",
            jar,
            "server",
            "config.yml");
    Map<String, String> environment = builder.environment();
    environment.put("DATABASE_URL", gateway.url);
    environment.put("GATEWAY_PORT", String.valueOf(gateway.port));
    environment.put("GATEWAY_ADMIN_PORT", String.valueOf(gateway.adminPort));
    environment.put("OPENAI_API_KEY", "faults");
    environment.put("OPENAI_BASE_URL", upstream.url() + "/v1");
    gateway.process =
        builder
            .redirectErrorStream(true)
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(
                    Path.of(System.getenv("CLUSTER_LOGS"), "gateway-" + gateway.port + ".log")
                        .toFile()))
            .start();
  }

  private void awaitHealthy(Gateway gateway) throws Exception {
    for (long end = System.nanoTime() + Duration.ofMinutes(2).toNanos(); ; ) {
      try {
        HttpRequest health =
            HttpRequest.newBuilder(
                    URI.create("http://127.0.0.1:" + gateway.adminPort + "/healthcheck"))
                .timeout(Duration.ofSeconds(5))
                .build();
        if (http.send(health, HttpResponse.BodyHandlers.discarding()).statusCode() == 200) {
          return;
        }
      } catch (IOException e) {
        // Not up yet.
      }
      if (!gateway.process.isAlive()) {
        launch(gateway); // its database was away as it started
      }
      if (System.nanoTime() > end) {
        throw new IllegalStateException("a gateway does not come up");
      }
      Thread.sleep(200);
    }
  }

  private void prepare() throws Exception {
    String tasks = "http://127.0.0.1:" + gateways.get(0).adminPort + "/tasks/";
    JsonNode issued = JSON.readTree(post(tasks + "key-issue?project=cluster&name=faults", null));
    key = issued.path("key").asText();
    for (String rule : List.of("global", "llm_proxy", "llm_burst", "memory_read", "memory_write")) {
      post(
          tasks + "key-limits?limit=1000000&rule=" + rule + "&id=" + issued.path("id").asText(),
          null);
    }
    List<String> threads = new ArrayList<>(List.of(SHARED));
    for (int client = 0; client < CLIENTS; client++) {
      threads.add("own-" + client);
    }
    for (String thread : threads) {
      String memory = "http://127.0.0.1:" + gateways.get(0).port + "/v1/memory/threads";
      post(memory, "{\"id\":\"" + thread + "\",\"resourceId\":\"cluster\"}");
    }
  }

  private String post(String uri, String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(uri))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .POST(
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body))
            .build();
    return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  private void killNodes(int every) {
    Random random = new Random(1);
    while (every > 0 && waited(every)) {
      String node = String.valueOf(1 + random.nextInt(gateways.size()));
      node("kill", node);
      waitedAtLeast(2);
      node("start", node);
    }
  }

  private void node(String action, String node) {
    try {
      Process process =
          new ProcessBuilder(nodes, action, node)
              .redirectErrorStream(true)
              .redirectOutput(
                  ProcessBuilder.Redirect.appendTo(
                      Path.of(System.getenv("CLUSTER_LOGS"), "nodes.log").toFile()))
              .start();
      if (process.waitFor() != 0) {
        System.out.println("FAULT: the database node " + node + " could not be told to " + action);
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void killGateways(int every) {
    Random random = new Random(2);
    try {
      while (every > 0 && waited(every)) {
        Gateway gateway = gateways.get(random.nextInt(gateways.size()));
        gateway.process.destroyForcibly().waitFor();
        launch(gateway);
        awaitHealthy(gateway);
      }
    } catch (Exception e) {
      System.out.println("FAULT: a gateway could not be started again: " + e);
    }
  }

  /** False once the load is over. */
  private boolean waited(int seconds) {
    for (int i = 0; i < seconds * 10 && !over; i++) {
      waitedAtLeast(0.1);
    }
    return !over;
  }

  private static void waitedAtLeast(double seconds) {
    try {
      Thread.sleep((long) (seconds * 1000));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** One write after the other, each repeated until it is acknowledged. */
  private void write(int client) {
    for (int number = 0; !over; number++) {
      String thread = number % 10 == 9 ? SHARED : "own-" + client;
      Write write =
          new Write(thread, "fact %d of client %d.".formatted(number, client), number % 4 >= 2);
      long failing = 0;
      for (int attempt = 0; ; attempt++) {
        if (acknowledged(client, number, attempt, write)) {
          break;
        }
        refusals.incrementAndGet();
        failing = failing == 0 ? System.nanoTime() : failing;
        if (over && System.nanoTime() - failing > Duration.ofMinutes(3).toNanos()) {
          System.out.println("FAULT: never acknowledged: " + write);
          return;
        }
        waitedAtLeast(0.1);
      }
      if (failing > 0) {
        longestNanos.accumulateAndGet(System.nanoTime() - failing, Math::max);
      }
      acknowledged.get(client).add(write);
    }
  }

  private boolean acknowledged(int client, int number, int attempt, Write write) {
    int port = gateways.get((client + number + attempt) % gateways.size()).port;
    boolean stream = number % 4 == 3;
    String path =
        write.turn()
            ? "/v1/chat/completions"
            : "/v1/memory/threads/" + write.thread() + "/messages";
    String message = "\"role\":\"user\",\"content\":\"" + write.text() + "\"";
    String id = number % 4 == 1 ? "\"id\":\"m-" + client + "-" + number + "\"," : "";
    String body =
        write.turn()
            ? "{\"model\":\"gpt-5\",\"stream\":" + stream + ",\"messages\":[{" + message + "}]}"
            : "{\"messages\":[{" + id + message + "}]}";
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .timeout(Duration.ofSeconds(40))
            .POST(HttpRequest.BodyPublishers.ofString(body));
    if (id.isEmpty()) {
      request.header("Idempotency-Key", "k-" + client + "-" + number);
    }
    if (write.turn()) {
      request.header("x-thread-id", write.thread()).header("x-resource-id", "cluster");
    }
    try {
      HttpResponse<String> answer =
          http.send(request.build(), HttpResponse.BodyHandlers.ofString());
      return answer.statusCode() / 100 == 2 && (!stream || answer.body().contains("data: [DONE]"));
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void check() throws Exception {
    int faults = 0;
    int writes = 0;
    Map<String, List<String>> stored = new HashMap<>();
    for (int client = 0; client < CLIENTS; client++) {
      String own = "own-" + client;
      stored.put(own, texts(own));
      faults += order(client, stored.get(own));
    }
    stored.put(SHARED, texts(SHARED));
    for (int client = 0; client < CLIENTS; client++) {
      for (Write write : acknowledged.get(client)) {
        writes++;
        List<String> texts = stored.get(write.thread());
        long times = texts.stream().filter(write.text()::equals).count();
        if (times != 1) {
          faults += tell("acknowledged, but stored " + times + " times: " + write);
        }
        int at = texts.indexOf(write.text());
        if (write.turn()
            && (at + 1 >= texts.size() || !texts.get(at + 1).equals(answerTo(write.text())))) {
          faults += tell("a turn without its answer: " + write);
        }
      }
    }
    for (String thread : stored.keySet()) {
      faults += observedTwice(thread);
    }
    System.out.printf(
        "writes=%d refusals=%d longest_errors=%.1fs faults=%d%n",
        writes, refusals.get(), longestNanos.get() / 1e9, faults);
    if (faults > 0 || writes == 0) {
      System.exit(1);
    }
  }

  /** A client's own writes stand in its order. */
  private static int order(int client, List<String> texts) {
    int faults = 0;
    int last = -1;
    for (String text : texts) {
      if (!text.startsWith("fact ")) {
        continue;
      }
      int number = Integer.parseInt(text.split(" ", -1)[1]);
      if (number <= last) {
        faults += tell("out of order in own-" + client + ": " + number + " after " + last);
      }
      last = number;
    }
    return faults;
  }

  private int observedTwice(String thread) throws Exception {
    String log =
        JSON.readTree(get("/v1/memory/threads/" + thread + "/observations"))
            .path("record")
            .path("observations")
            .asText();
    Map<String, Integer> times = new HashMap<>();
    var facts =
        java.util.regex.Pattern.compile("(?<!Answer to )fact \\d+ of client \\d+").matcher(log);
    while (facts.find()) {
      times.merge(facts.group(), 1, Integer::sum);
    }
    int faults = 0;
    for (Map.Entry<String, Integer> fact : times.entrySet()) {
      if (fact.getValue() > 1) {
        faults += tell("observed " + fact.getValue() + " times: " + fact.getKey());
      }
    }
    return faults;
  }

  private static int tell(String fault) {
    System.out.println("FAULT: " + fault);
    return 1;
  }

  private String get(String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateways.get(0).port + path))
            .header("Authorization", "Bearer " + key)
            .build();
    return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  private List<String> texts(String thread) throws Exception {
    List<String> texts = new ArrayList<>();
    int read = 0;
    while (true) {
      JsonNode page =
          JSON.readTree(
              get("/v1/memory/threads/%s/messages?limit=200&offset=%d".formatted(thread, read)));
      for (JsonNode row : page.path("messages")) {
        read++;
        if (!row.path("incomplete").asBoolean() && !row.path("superseded").asBoolean()) {
          texts.add(text(row.path("content")));
        }
      }
      if (read >= page.path("total").asInt()) {
        return texts;
      }
    }
  }

  private static String text(JsonNode content) {
    if (content.isTextual()) {
      return content.asText();
    }
    JsonNode parts = content.has("content") ? content.path("content") : content;
    return parts.isTextual() ? parts.asText() : parts.path(0).path("text").asText();
  }
}
