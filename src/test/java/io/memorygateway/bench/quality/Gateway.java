package io.memorygateway.bench.quality;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The gateway that is measured, as its callers see it. Where it is: {@code BENCH_PORT}, {@code
 * BENCH_ADMIN}, {@code BENCH_KEY} of the environment.
 */
final class Gateway {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MEASURED_EVERY_MILLIS = 6000;
  private static final int SETTLED_AFTER_MILLIS = 400;

  private final HttpClient http = HttpClient.newHttpClient();
  private final String api = "http://127.0.0.1:" + System.getenv("BENCH_PORT");
  private final String admin = System.getenv("BENCH_ADMIN");
  private final String key = System.getenv("BENCH_KEY");
  private final String run = Long.toString(System.currentTimeMillis(), 36);

  /** Thresholds of a thread. */
  record Thresholds(int messages, int observations) {
    @Override
    public String toString() {
      return String.format(Locale.ROOT, "%,d/%,d", messages, observations);
    }
  }

  /** Creates a thread without recall; gives its id. */
  String create(String name, Thresholds thresholds) throws Exception {
    String thread = name + "-" + thresholds.messages + "-" + thresholds.observations + "-" + run;
    ObjectNode create = JSON.createObjectNode().put("id", thread).put("resourceId", "bench");
    send("POST", "/v1/memory/threads", create, Map.of());
    ObjectNode config =
        JSON.createObjectNode()
            .put("messageTokens", thresholds.messages)
            .put("observationTokens", thresholds.observations);
    configure(thread, config);
    setRecall(thread, 0);
    return thread;
  }

  /** Sets the tokens of old messages that are quoted in a call. */
  void setRecall(String thread, int tokens) throws Exception {
    configure(thread, JSON.createObjectNode().put("recallTokens", tokens));
  }

  private void configure(String thread, ObjectNode config) throws Exception {
    send("PATCH", "/v1/memory/threads/" + thread + "/observations/config", config, Map.of());
  }

  void post(String thread, List<Conversation.Utterance> said) throws Exception {
    ArrayNode messages = JSON.createArrayNode();
    for (Conversation.Utterance utterance : said) {
      messages
          .addObject()
          .put("role", utterance.role())
          .put("content", utterance.text())
          .put("createdAt", utterance.time().toString());
    }
    ObjectNode body = JSON.createObjectNode();
    body.set("messages", messages);
    send("POST", "/v1/memory/threads/" + thread + "/messages", body, Map.of());
  }

  /** Makes a proxied call of a thread, which sees that thread alone. */
  void ask(String thread, String text) throws Exception {
    ask(thread, text, Map.of("x-resource-id", "bench", "x-memory-scope", "thread"));
  }

  /** Makes the first call of a new thread of a resource. */
  String askAnew(String resource, String text) throws Exception {
    String thread = resource + "-anew";
    ask(thread, text, Map.of("x-resource-id", resource));
    return thread;
  }

  /** Creates a thread of a resource, by the name of the conversation; gives its id. */
  String createSession(String resource, String title) throws Exception {
    String thread = resource + "-" + title.replace(' ', '-');
    ObjectNode create =
        JSON.createObjectNode().put("id", thread).put("resourceId", resource).put("title", title);
    send("POST", "/v1/memory/threads", create, Map.of());
    return thread;
  }

  /** A name that no other run has. */
  String unique(String name) {
    return name + "-" + run;
  }

  private void ask(String thread, String text, Map<String, String> headers) throws Exception {
    ObjectNode body = JSON.createObjectNode().put("model", "openai/" + model(thread));
    body.set(
        "messages",
        JSON.createArrayNode()
            .add(JSON.createObjectNode().put("role", "user").put("content", text)));
    Map<String, String> all = new HashMap<>(headers);
    all.put("x-thread-id", thread);
    send("POST", "/v1/chat/completions", body, all);
  }

  /** Each thread has a model of its own, by which the upstream knows it. */
  static String model(String thread) {
    return "m-" + thread;
  }

  String copy(String thread) throws Exception {
    return send(
            "POST", "/v1/memory/threads/" + thread + "/clone", JSON.createObjectNode(), Map.of())
        .path("thread")
        .path("id")
        .asText();
  }

  void delete(String thread) throws Exception {
    send("DELETE", "/v1/memory/threads/" + thread, null, Map.of());
  }

  /**
   * What a search finds.
   *
   * @param times of the messages, best first
   * @param hybrid whether they are ranked by meaning as well as by words
   */
  record Found(List<Instant> times, boolean hybrid) {}

  Found search(String thread, String query, int limit) throws Exception {
    ObjectNode body =
        JSON.createObjectNode().put("query", query).put("threadId", thread).put("limit", limit);
    JsonNode answer = send("POST", "/v1/memory/search", body, Map.of());
    List<Instant> times = new ArrayList<>();
    for (JsonNode hit : answer.path("hits")) {
      times.add(Instant.parse(hit.path("message").path("createdAt").asText()));
    }
    return new Found(times, answer.path("ranking").asText().equals("hybrid"));
  }

  String observations(String thread) throws Exception {
    return send("GET", "/v1/memory/threads/" + thread + "/observations", null, Map.of())
        .path("observations")
        .asText("");
  }

  /** Waits until the record of a thread has not changed for a while; gives the record. */
  JsonNode awaitObserver(String thread) throws Exception {
    JsonNode before;
    JsonNode now = JSON.nullNode();
    do {
      Thread.sleep(SETTLED_AFTER_MILLIS);
      before = now;
      now =
          send("GET", "/v1/memory/threads/" + thread + "/observations/record", null, Map.of())
              .path("record");
    } while (!now.equals(before) || isInWork(now));
    return now;
  }

  private static boolean isInWork(JsonNode record) {
    return Stream.of(
            "isObserving", "isReflecting", "isBufferingObservation", "isBufferingReflection")
        .anyMatch(name -> record.path(name).asBoolean());
  }

  /** Waits until no thread waits for an observer. */
  void awaitObservers() throws Exception {
    do {
      Thread.sleep(MEASURED_EVERY_MILLIS);
    } while (metric("memory_gateway_observation_lag_seconds") > 0);
  }

  /** Waits until messages have vectors, and no more of them get one. */
  void awaitEmbeddings() throws Exception {
    double before;
    double now = 0;
    do {
      Thread.sleep(MEASURED_EVERY_MILLIS);
      before = now;
      now = metric("memory_gateway_embedded_messages_total");
    } while (now == 0 || now > before || metric("memory_gateway_embedding_pending_threads") > 0);
  }

  private double metric(String name) throws Exception {
    URI metrics = URI.create(admin + "/metrics");
    return http.send(HttpRequest.newBuilder(metrics).build(), HttpResponse.BodyHandlers.ofString())
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .sum();
  }

  private JsonNode send(String method, String path, JsonNode body, Map<String, String> headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(api + path))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body.toString()));
    headers.forEach(request::header);
    HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() >= 300) {
      throw new IllegalStateException(method + " " + path + ": " + answer.body());
    }
    return JSON.readTree(answer.body());
  }
}
