package io.memorygateway.bench.quality;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.observation.text.TokenCounter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * What the memory that is made without a model retains of long conversations, beside simple ways to
 * fill a context of the same size, and what search finds. Started by {@code
 * ops/bench/memory-quality}, which says what it needs.
 *
 * <p>Environment: {@code BENCH_PORT}, {@code BENCH_ADMIN}, {@code BENCH_KEY}, {@code
 * BENCH_UPSTREAM_PORT}: where the gateway's provider of chat completions is to be.
 */
final class MemoryQualityBench {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int RECALL = 2_000;
  private static final String LAST = "What did we talk about?";
  private static final int[] DEPTHS = {5, 10, 20};
  private static final int MEASURED_EVERY_MILLIS = 6000;
  private static final int AT_ONCE = 4;
  private static final int POSTED_AT_ONCE = 20;

  private final HttpClient http = HttpClient.newHttpClient();
  private final String api = "http://127.0.0.1:" + System.getenv("BENCH_PORT");
  private final String admin = System.getenv("BENCH_ADMIN");
  private final String key = System.getenv("BENCH_KEY");
  private final TokenCounter counter = new TokenCounter();
  private final Baselines baselines = new Baselines(counter);
  private final List<Conversation> conversations;
  private final RecordingUpstream upstream;
  private final String run = Long.toString(System.currentTimeMillis(), 36);

  private MemoryQualityBench(List<Conversation> conversations, RecordingUpstream upstream) {
    this.conversations = conversations;
    this.upstream = upstream;
  }

  /** How a conversation gets into a thread. */
  private enum Way {
    POST,
    PROXY
  }

  /** Thresholds of a thread. */
  private record Thresholds(int messages, int observations) {
    @Override
    public String toString() {
      return String.format(Locale.ROOT, "%,d/%,d", messages, observations);
    }
  }

  public static void main(String[] args) throws Exception {
    List<Conversation> conversations = Conversation.read(Path.of(args[0]));
    int port = Integer.parseInt(System.getenv("BENCH_UPSTREAM_PORT"));
    try (RecordingUpstream upstream = new RecordingUpstream(port)) {
      Set<Part> parts = EnumSet.noneOf(Part.class);
      for (String part : List.of(args).subList(1, args.length)) {
        parts.add(Part.valueOf(part.toUpperCase(Locale.ROOT)));
      }
      new MemoryQualityBench(conversations, upstream)
          .run(parts.isEmpty() ? EnumSet.allOf(Part.class) : parts);
    }
  }

  /** What is measured. */
  private enum Part {
    SEARCH,
    POST,
    PROXY,
    RECALL,
    REFLECTIONS
  }

  private void run(Set<Part> parts) throws Exception {
    Thresholds usual = new Thresholds(4_000, 6_000);
    if (parts.contains(Part.SEARCH)) {
      search();
    }
    System.out.println(Measures.header());
    if (parts.contains(Part.POST)) {
      measure(Way.POST, new Thresholds(8_000, 6_000));
      measure(Way.POST, usual);
      measure(Way.POST, new Thresholds(2_000, 6_000));
    }
    if (parts.contains(Part.PROXY)) {
      measure(Way.PROXY, usual);
    }
    if (parts.contains(Part.RECALL)) {
      recall(new Thresholds(1_000, 800));
    }
    if (parts.contains(Part.REFLECTIONS)) {
      reflections(new Thresholds(4_000, 2_000));
    }
  }

  private void measure(Way way, Thresholds thresholds) throws Exception {
    Map<Conversation, String> threads = feedAll(way, thresholds);
    Measures gateway = new Measures();
    Measures log = new Measures();
    Measures last = new Measures();
    Measures random = new Measures();
    Measures best = new Measures();
    for (Conversation conversation : conversations) {
      String thread = threads.get(conversation);
      ask(thread, LAST);
      String context = upstream.context(model(thread));
      String observations = observations(thread);
      long whole = tokens(conversation);
      long size = counter.count(context);
      Retained retained = new Retained(conversation).add(context);
      Retained ofLog = new Retained(conversation).add(observations);
      gateway.size((double) size / whole);
      log.size((double) counter.count(observations) / whole);
      for (Measures baseline : List.of(last, random, best)) {
        baseline.size((double) size / whole);
      }
      Retained newest = baselines.last(conversation, size);
      Retained drawn = baselines.random(conversation, size);
      for (Conversation.Question question : conversation.questions()) {
        gateway.add(retained, question);
        log.add(ofLog, question);
        last.add(newest, question);
        random.add(drawn, question);
        best.add(baselines.best(conversation, question, size), question);
      }
    }
    String name = thresholds + ", " + way.name().toLowerCase(Locale.ROOT);
    System.out.println(gateway.row("gateway " + name));
    System.out.println(log.row("  its observations alone"));
    System.out.println(last.row("  last messages"));
    System.out.println(random.row("  random sentences"));
    System.out.println(best.row("  BM25 by the question"));
  }

  /** Each question is the last message of a call of its own. */
  private void recall(Thresholds thresholds) throws Exception {
    Measures with = new Measures();
    Measures without = new Measures();
    Map<Conversation, String> threads = feedAll(Way.POST, thresholds);
    forAll(conversation -> recall(conversation, threads.get(conversation), with, without));
    System.out.println(without.row("gateway " + thresholds + ", one call"));
    System.out.println(with.row("  each question asked as the last message"));
  }

  private void recall(Conversation conversation, String thread, Measures with, Measures without)
      throws Exception {
    long whole = tokens(conversation);
    for (Conversation.Question question : conversation.questions()) {
      String copy = copy(thread);
      setRecall(copy, RECALL);
      ask(copy, question.text());
      String context = upstream.context(model(copy));
      Retained retained = new Retained(conversation).add(context);
      synchronized (with) {
        with.size((double) counter.count(context) / whole);
        with.add(retained, question);
      }
      send("DELETE", "/v1/memory/threads/" + copy, null, Map.of());
    }
    String copy = copy(thread);
    setRecall(copy, 0);
    ask(copy, LAST);
    String context = upstream.context(model(copy));
    Retained plain = new Retained(conversation).add(context);
    synchronized (without) {
      without.size((double) counter.count(context) / whole);
      conversation.questions().forEach(question -> without.add(plain, question));
    }
  }

  /** Something that is done with each conversation. */
  private interface Work {
    void with(Conversation conversation) throws Exception;
  }

  private void forAll(Work work) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(AT_ONCE);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (Conversation conversation : conversations) {
        all.add(
            executor.submit(
                () -> {
                  work.with(conversation);
                  return null;
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    } finally {
      executor.shutdownNow();
    }
  }

  private Map<Conversation, String> feedAll(Way way, Thresholds thresholds) throws Exception {
    Map<Conversation, String> threads = new ConcurrentHashMap<>();
    forAll(conversation -> threads.put(conversation, feed(conversation, way, thresholds)));
    awaitObservers();
    return threads;
  }

  /** What is stored is found whether it has been observed or not. */
  private void search() throws Exception {
    Map<Conversation, String> threads = new ConcurrentHashMap<>();
    forAll(
        conversation -> {
          String thread = conversation.name() + "-search-" + run;
          create(thread, new Thresholds(1_000_000, 40_000));
          threads.put(conversation, thread);
          List<Conversation.Utterance> all = conversation.utterances();
          for (int from = 0; from < all.size(); from += POSTED_AT_ONCE) {
            post(thread, all.subList(from, Math.min(from + POSTED_AT_ONCE, all.size())));
          }
        });
    int questions = 0;
    int[] any = new int[DEPTHS.length];
    List<Long> nanos = new ArrayList<>();
    for (Conversation conversation : conversations) {
      Map<String, Conversation.Utterance> byText = new HashMap<>();
      conversation.utterances().forEach(said -> byText.put(said.text(), said));
      for (Conversation.Question question : conversation.questions()) {
        ObjectNode query =
            JSON.createObjectNode()
                .put("query", question.text())
                .put("threadId", threads.get(conversation))
                .put("limit", DEPTHS[DEPTHS.length - 1]);
        long start = System.nanoTime();
        JsonNode hits = send("POST", "/v1/memory/search", query, Map.of()).path("hits");
        nanos.add(System.nanoTime() - start);
        Set<Conversation.Utterance> wanted = new HashSet<>(question.evidence());
        questions++;
        for (int i = 0; i < DEPTHS.length; i++) {
          boolean found = false;
          for (int hit = 0; hit < Math.min(DEPTHS[i], hits.size()); hit++) {
            String text = hits.get(hit).path("message").path("content").asText();
            found |= wanted.contains(byText.get(text));
          }
          any[i] += found ? 1 : 0;
        }
      }
    }
    nanos.sort(null);
    System.out.printf(
        Locale.ROOT,
        "search: recall@5 %.1f, @10 %.1f, @20 %.1f; p50 %.1f ms, p99 %.1f ms%n",
        100.0 * any[0] / questions,
        100.0 * any[1] / questions,
        100.0 * any[2] / questions,
        nanos.get(nanos.size() / 2) / 1e6,
        nanos.get(nanos.size() * 99 / 100) / 1e6);
  }

  /** All conversations in one thread: what many reflections leave of the oldest half. */
  private void reflections(Thresholds thresholds) throws Exception {
    String thread = null;
    for (Conversation conversation : conversations) {
      thread = feed(conversation, Way.POST, thresholds, thread);
      awaitObservers();
    }
    String log = observations(String.valueOf(thread));
    long generations =
        send("GET", "/v1/memory/threads/" + thread + "/observations/history", null, Map.of())
            .path("total")
            .asLong();
    double oldest = 0;
    double all = 0;
    int oldestQuestions = 0;
    int allQuestions = 0;
    for (int i = 0; i < conversations.size(); i++) {
      Retained retained = new Retained(conversations.get(i)).add(log);
      for (Conversation.Question question : conversations.get(i).questions()) {
        double evidence = retained.evidence(question);
        all += evidence;
        allQuestions++;
        if (i < conversations.size() / 2) {
          oldest += evidence;
          oldestQuestions++;
        }
      }
    }
    System.out.printf(
        Locale.ROOT,
        "one thread, %s, %d generations, %,d tokens: evidence %.2f, of the oldest half %.2f%n",
        thresholds,
        generations,
        counter.count(log),
        100 * all / allQuestions,
        100 * oldest / oldestQuestions);
  }

  private String feed(Conversation conversation, Way way, Thresholds thresholds) throws Exception {
    return feed(conversation, way, thresholds, null);
  }

  private String feed(Conversation conversation, Way way, Thresholds thresholds, String into)
      throws Exception {
    String thread = into;
    if (thread == null) {
      thread = conversation.name() + "-" + way + "-" + thresholds.messages + "-" + run;
      thread += "-" + thresholds.observations;
      create(thread, thresholds);
    }
    List<Conversation.Utterance> all = conversation.utterances();
    int from = 0;
    while (from < all.size()) {
      int to = from + 1;
      while (to < all.size()
          && all.get(to).session() == all.get(from).session()
          && to - from < POSTED_AT_ONCE) {
        to++;
      }
      if (way == Way.POST) {
        post(thread, all.subList(from, to));
      } else {
        talk(thread, all.subList(from, to));
      }
      if (to == all.size() || all.get(to).session() != all.get(from).session()) {
        awaitObserver(thread);
      }
      from = to;
    }
    return thread;
  }

  private void create(String thread, Thresholds thresholds) throws Exception {
    ObjectNode create = JSON.createObjectNode().put("id", thread).put("resourceId", "bench");
    send("POST", "/v1/memory/threads", create, Map.of());
    ObjectNode config =
        JSON.createObjectNode()
            .put("messageTokens", thresholds.messages)
            .put("observationTokens", thresholds.observations);
    configure(thread, config);
    setRecall(thread, 0);
  }

  /** The tokens of old messages that are quoted in a call. */
  private void setRecall(String thread, int tokens) throws Exception {
    configure(thread, JSON.createObjectNode().put("recallTokens", tokens));
  }

  private void configure(String thread, ObjectNode config) throws Exception {
    send("PATCH", "/v1/memory/threads/" + thread + "/observations/config", config, Map.of());
  }

  private void post(String thread, List<Conversation.Utterance> said) throws Exception {
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

  /** Each message of the first speaker is a call; what the second says next is its answer. */
  private void talk(String thread, List<Conversation.Utterance> said) throws Exception {
    int i = 0;
    while (i < said.size()) {
      List<String> asked = new ArrayList<>();
      while (i < said.size() && said.get(i).role().equals("user")) {
        asked.add(said.get(i++).text());
      }
      List<String> answered = new ArrayList<>();
      while (i < said.size() && said.get(i).role().equals("assistant")) {
        answered.add(said.get(i++).text());
      }
      upstream.answer(model(thread), answered.isEmpty() ? "Yes." : String.join("\n", answered));
      ask(thread, asked.isEmpty() ? "Hello." : String.join("\n", asked));
    }
  }

  private void ask(String thread, String text) throws Exception {
    ObjectNode body = JSON.createObjectNode().put("model", "openai/" + model(thread));
    body.set(
        "messages",
        JSON.createArrayNode()
            .add(JSON.createObjectNode().put("role", "user").put("content", text)));
    send(
        "POST",
        "/v1/chat/completions",
        body,
        Map.of("x-thread-id", thread, "x-resource-id", "bench"));
  }

  /** Each thread has a model of its own, by which the upstream knows it. */
  private static String model(String thread) {
    return "m-" + thread;
  }

  private String copy(String thread) throws Exception {
    return send(
            "POST", "/v1/memory/threads/" + thread + "/clone", JSON.createObjectNode(), Map.of())
        .path("thread")
        .path("id")
        .asText();
  }

  private String observations(String thread) throws Exception {
    return send("GET", "/v1/memory/threads/" + thread + "/observations", null, Map.of())
        .path("observations")
        .asText("");
  }

  private long tokens(Conversation conversation) {
    return conversation.utterances().stream().mapToLong(said -> counter.count(said.text())).sum();
  }

  /** Waits until the record of a thread has not changed for a while. */
  private void awaitObserver(String thread) throws Exception {
    String before = null;
    String now = "";
    while (!now.equals(before)) {
      Thread.sleep(400);
      before = now;
      now =
          send("GET", "/v1/memory/threads/" + thread + "/observations/record", null, Map.of())
              .toString();
    }
  }

  private void awaitObservers() throws Exception {
    String metrics;
    do {
      Thread.sleep(MEASURED_EVERY_MILLIS);
      metrics = get(admin + "/metrics");
    } while (!metrics.contains("memory_gateway_observation_lag_seconds 0.0\n"));
  }

  private String get(String url) throws Exception {
    return http.send(
            HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString())
        .body();
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
