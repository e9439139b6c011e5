package io.memorygateway.faults;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RecordedRequest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Kills the gateway with -9 under load, again and again, and looks at what it remembers: every turn
 * whose end a client saw is there, whole and once, also where it was asked for again, with its
 * Idempotency-Key, with an SDK's count of retries or as it was, and nothing that is half a turn is
 * without its mark. Started by {@code ops/faults/kill-turns}.
 *
 * <p>Arguments: the gateway's jar, the port to serve on, the admin port, how many kills, the seed.
 */
final class KillTurns {
  private static final int CLIENTS = 12;
  private static final String RETRY_COUNT = "x-stainless-retry-count";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final String jar;
  private final int port;
  private final int adminPort;
  private final Random random;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final FakeUpstream upstream = FakeUpstream.start().answer(KillTurns::echo);
  private final List<List<String>> seen = new ArrayList<>();
  private final List<Queue<Question>> unanswered = new ArrayList<>();
  private final Map<Again, AtomicInteger> replayed = new EnumMap<>(Again.class);
  private final Map<String, Again> asked = new ConcurrentHashMap<>();
  private String key = "";

  private KillTurns(String jar, int port, int adminPort, long seed) {
    this.jar = jar;
    this.port = port;
    this.adminPort = adminPort;
    this.random = new Random(seed);
    for (int client = 0; client < CLIENTS; client++) {
      seen.add(Collections.synchronizedList(new ArrayList<>()));
      unanswered.add(new ConcurrentLinkedQueue<>());
    }
    for (Again again : Again.values()) {
      replayed.put(again, new AtomicInteger());
    }
  }

  public static void main(String[] args) throws Exception {
    int kills = Integer.parseInt(args[3]);
    KillTurns faults =
        new KillTurns(
            args[0], Integer.parseInt(args[1]), Integer.parseInt(args[2]), Long.parseLong(args[4]));
    try {
      faults.run(kills);
    } finally {
      faults.upstream.close();
    }
  }

  /** Says back what the last message of the user said, word for word, in many events. */
  private static Answer echo(RecordedRequest request) {
    JsonNode body = request.json();
    CannedReplies.Reply reply =
        CannedReplies.reply(request.path(), body, answerTo(CannedReplies.lastUserText(body)));
    return reply.isStream() ? Answer.sse(reply.events()) : Answer.json(reply.json());
  }

  private static String answerTo(String question) {
    return "You said " + question + ", and this is the whole of the answer to it.";
  }

  private void run(int kills) throws Exception {
    for (int kill = 0; kill <= kills; kill++) {
      Process gateway = start();
      try {
        if (key.isEmpty()) {
          issueKey();
        }
        if (kill < kills) {
          loadUntilKilled(gateway, kill);
        } else {
          askAgain();
          check(kills);
        }
      } finally {
        gateway.destroyForcibly().waitFor();
      }
    }
  }

  private Process start() throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-jar",
            jar,
            "server",
            "config.yml");
    builder.environment().put("GATEWAY_PORT", String.valueOf(port));
    builder.environment().put("GATEWAY_ADMIN_PORT", String.valueOf(adminPort));
    for (String provider : List.of("OPENAI", "ANTHROPIC")) {
      builder.environment().put(provider + "_API_KEY", "faults");
    }
    builder.environment().put("OPENAI_BASE_URL", upstream.url() + "/v1");
    builder.environment().put("ANTHROPIC_BASE_URL", upstream.url());
    Process gateway =
        builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    for (long end = System.nanoTime() + Duration.ofMinutes(2).toNanos(); ; ) {
      try {
        HttpRequest health =
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + adminPort + "/healthcheck"))
                .timeout(Duration.ofSeconds(5))
                .build();
        if (http.send(health, HttpResponse.BodyHandlers.discarding()).statusCode() == 200) {
          return gateway;
        }
      } catch (IOException e) {
        // Not up yet.
      }
      if (!gateway.isAlive() || System.nanoTime() > end) {
        gateway.destroyForcibly();
        throw new IllegalStateException("the gateway does not come up");
      }
      Thread.sleep(50);
    }
  }

  private void issueKey() throws Exception {
    String admin = "http://127.0.0.1:" + adminPort + "/tasks/";
    JsonNode issued = post(admin + "key-issue?project=kill-turns&name=faults");
    key = issued.path("key").asText();
    for (String rule : List.of("global", "llm_proxy", "llm_burst", "memory_read")) {
      post(
          admin + "key-limits?limit=1000000000&rule=" + rule + "&id=" + issued.path("id").asText());
    }
  }

  private JsonNode post(String uri) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(uri)).POST(HttpRequest.BodyPublishers.noBody()).build();
    return JSON.readTree(http.send(request, HttpResponse.BodyHandlers.ofString()).body());
  }

  private void loadUntilKilled(Process gateway, int kill) throws Exception {
    AtomicBoolean killed = new AtomicBoolean();
    CountDownLatch serving = new CountDownLatch(1);
    List<Thread> clients = new ArrayList<>();
    for (int client = 0; client < CLIENTS; client++) {
      int number = client;
      clients.add(new Thread(() -> talk(number, kill, killed, serving)));
    }
    clients.forEach(Thread::start);
    // The first calls of a cold process may take seconds where the machine is slow.
    if (!serving.await(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException("no call is answered");
    }
    Thread.sleep(random.nextInt(2500));
    gateway.destroyForcibly();
    killed.set(true);
    for (Thread client : clients) {
      client.join();
    }
  }

  /**
   * One question after the other, until the gateway is gone. Of every four, one is never asked
   * twice, and three are asked again until the end of their answer is seen, each in its way.
   */
  private void talk(int client, int kill, AtomicBoolean killed, CountDownLatch serving) {
    for (int number = 0; !killed.get(); number++) {
      Question question = unanswered.get(client).poll();
      if (question == null) {
        String text = "question %d of client %d before kill %d".formatted(number, client, kill);
        question =
            new Question(
                text, (number + client) % 3, number / 4 % 2 == 0, Again.values()[number % 4], 0);
      }
      if (answered(client, question)) {
        serving.countDown();
      } else if (killed.get() || question.again() == Again.NEVER) {
        return;
      }
    }
  }

  /**
   * What a client asks.
   *
   * @param again how it is asked again
   * @param before how often it was asked before
   */
  private record Question(String text, int endpoint, boolean stream, Again again, int before) {}

  /** How a question is asked again whose end was not seen. */
  private enum Again {
    NEVER,
    WITH_KEY,
    WITH_RETRY_COUNT,
    AS_IT_WAS
  }

  /** Whether the end of the answer was seen; if not, the question may be asked again. */
  private boolean answered(int client, Question question) {
    try {
      if (ask(client, question)) {
        seen.get(client).add(question.text());
        return true;
      }
    } catch (IOException e) {
      // The gateway is gone.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (question.again() != Again.NEVER) {
      unanswered
          .get(client)
          .add(
              new Question(
                  question.text(),
                  question.endpoint(),
                  question.stream(),
                  question.again(),
                  question.before() + 1));
    }
    return false;
  }

  /** Asks what was not answered until it is: the leases of nodes that were killed run out. */
  private void askAgain() throws InterruptedException {
    long end = System.nanoTime() + Duration.ofMinutes(3).toNanos();
    for (int client = 0; client < CLIENTS; client++) {
      for (Question next = unanswered.get(client).poll();
          next != null;
          next = unanswered.get(client).poll()) {
        if (!answered(client, next)) {
          if (System.nanoTime() > end) {
            throw new IllegalStateException("never answered: " + next);
          }
          Thread.sleep(500);
        }
      }
    }
  }

  /** Returns whether the end of the answer was seen. */
  private boolean ask(int client, Question question) throws IOException, InterruptedException {
    int endpoint = question.endpoint();
    boolean stream = question.stream();
    String path = List.of("/v1/chat/completions", "/v1/messages", "/v1/responses").get(endpoint);
    String body =
        "{\"model\":\"%s\",\"max_tokens\":99,\"stream\":%s,\"%s\":[{\"role\":\"user\",\"content\":\"%s\"}]}"
            .formatted(
                endpoint == 1 ? "claude-x" : "gpt-5",
                stream,
                endpoint == 2 ? "input" : "messages",
                question.text());
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .header("x-thread-id", "thread-" + client)
            .header("x-resource-id", "faults")
            .timeout(Duration.ofSeconds(30))
            .POST(HttpRequest.BodyPublishers.ofString(body));
    asked.put(question.text(), question.again());
    if (question.again() == Again.WITH_KEY) {
      request.header("Idempotency-Key", question.text());
    } else if (question.again() == Again.WITH_RETRY_COUNT) {
      request.header(RETRY_COUNT, String.valueOf(question.before()));
    }
    String end =
        List.of("data: [DONE]", "event: message_stop", "event: response.completed").get(endpoint);
    boolean[] ended = new boolean[1];
    HttpResponse<java.util.stream.Stream<String>> answer =
        http.send(request.build(), HttpResponse.BodyHandlers.ofLines());
    if (answer.headers().firstValue("Idempotent-Replayed").isPresent()) {
      replayed.get(question.again()).incrementAndGet();
    }
    try (var lines = answer.body()) {
      lines.forEach(line -> ended[0] |= line.equals(end));
    } catch (RuntimeException e) {
      if (!ended[0]) {
        throw new IOException(e);
      }
    }
    return answer.statusCode() == 200 && (ended[0] || !stream);
  }

  private void check(int kills) throws Exception {
    int faults = 0;
    int turns = 0;
    int incomplete = 0;
    Map<Again, Integer> second = new EnumMap<>(Again.class);
    for (int client = 0; client < CLIENTS; client++) {
      Map<String, Integer> whole = new HashMap<>();
      List<JsonNode> rows = rows(client);
      for (int i = 0; i < rows.size(); i++) {
        JsonNode row = rows.get(i);
        if (row.path("incomplete").asBoolean()) {
          incomplete++;
          continue;
        }
        if (!row.path("role").asText().equals("user")) {
          faults += tell("an answer without its question", row);
          continue;
        }
        String question = text(row.path("content"));
        JsonNode next = i + 1 < rows.size() ? rows.get(i + 1) : JSON.createObjectNode();
        if (text(next.path("content")).equals(answerTo(question))
            && !next.path("incomplete").asBoolean()) {
          whole.merge(question, 1, Integer::sum);
          i++;
        } else {
          faults += tell("a question without its answer, and not marked", row);
        }
      }
      for (String question : seen.get(client)) {
        turns++;
        int times = whole.getOrDefault(question, 0);
        if (times != 1) {
          faults += tell("seen by the client, but stored " + times + " times: " + question, null);
        }
      }
      for (Map.Entry<String, Integer> stored : whole.entrySet()) {
        if (stored.getValue() != 1) {
          faults += tell("stored " + stored.getValue() + " times: " + stored.getKey(), null);
          second.merge(asked.get(stored.getKey()), stored.getValue() - 1, Integer::sum);
        }
      }
    }
    System.out.printf(
        "%d kills, %d turns whose end a client saw, %d messages marked incomplete, %d faults%n",
        kills, turns, incomplete, faults);
    for (Again again : Again.values()) {
      System.out.printf(
          "asked again %s: %d answered from what was stored, %d second turns%n",
          again, replayed.get(again).get(), second.getOrDefault(again, 0));
    }
    if (faults > 0 || turns == 0) {
      System.exit(1);
    }
  }

  private static int tell(String fault, JsonNode row) {
    System.out.println("FAULT: " + fault + (row == null ? "" : ": " + row));
    return 1;
  }

  private static String text(JsonNode content) {
    if (content.isTextual()) {
      return content.asText();
    }
    JsonNode parts = content.has("content") ? content.path("content") : content;
    return parts.isTextual() ? parts.asText() : parts.path(0).path("text").asText();
  }

  private List<JsonNode> rows(int client) throws Exception {
    List<JsonNode> rows = new ArrayList<>();
    while (true) {
      HttpRequest request =
          HttpRequest.newBuilder(
                  URI.create(
                      "http://127.0.0.1:%d/v1/memory/threads/thread-%d/messages?limit=200&offset=%d"
                          .formatted(port, client, rows.size())))
              .header("Authorization", "Bearer " + key)
              .build();
      JsonNode page =
          JSON.readTree(http.send(request, HttpResponse.BodyHandlers.ofString()).body());
      page.path("messages").forEach(rows::add);
      if (rows.size() >= page.path("total").asInt()) {
        return rows;
      }
    }
  }
}
