package io.memorygateway.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RecordedRequest;
import java.io.File;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * What routes cost and what they are worth: calls of many clients at once through routes of which a
 * target fails, stalls, is slow or has more weight.
 */
final class RouteBench {
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  /** By name: the groups of a route, targets as model*weight. */
  private static final Map<String, List<String>> ROUTES =
      new TreeMap<>(
          Map.of(
              "1-one-good-target", List.of("good-a"),
              "2-one-of-two-fails", List.of("fails good-b"),
              "3-one-of-two-stalls", List.of("stalls good-c"),
              "4-weights-2-to-1", List.of("good-d*2 good-e"),
              "5-one-three-times-slower", List.of("good-f slow-f")));

  private static final long GOOD_MILLIS = 100;
  private static final long SLOW_MILLIS = 300;

  private RouteBench() {}

  /**
   * {@code config FILE PORT} prints a configuration for a provider at this port; {@code run PORT
   * GATEWAY KEY SECONDS CLIENTS} starts the provider and prints the figures.
   */
  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("config")) {
      System.out.println(YAML.writeValueAsString(config(arguments[1], arguments[2])));
      return;
    }
    Semaphore never = new Semaphore(0);
    FakeUpstream.start(Integer.parseInt(arguments[1])).answer(request -> answer(request, never));
    int seconds = Integer.parseInt(arguments[4]);
    int clients = Integer.parseInt(arguments[5]);
    System.out.printf(
        "%-26s %9s %7s %8s %8s %8s %8s  %s%n",
        "route", "calls", "failed", "p50 ms", "p99 ms", "max ms", "mean ms", "answered by");
    run("gpt-warm-up", Math.min(seconds, 10), clients, arguments);
    run("bench/good-direct", seconds, clients, arguments);
    for (String route : ROUTES.keySet()) {
      run(route, seconds, clients, arguments);
    }
    run("bench/good-direct", seconds, clients, arguments);
    System.exit(0);
  }

  private static ObjectNode config(String file, String port) throws Exception {
    ObjectNode config = (ObjectNode) YAML.readTree(new File(file));
    ObjectNode provider = provider(config, "bench", port);
    provider.putArray("unprefixedModels").add("gpt-warm-up");
    // Only where nothing else is waited for: on a busy machine a good answer may take as long.
    provider(config, "impatient", port).put("firstByteTimeout", "500ms");
    config.withObject("/providers/openai").putArray("unprefixedModels");
    for (String rule : List.of("global", "llm_proxy", "llm_burst")) {
      config.withObject("/rateLimits/rules/" + rule).put("limit", 100_000_000);
    }
    ROUTES.forEach(
        (name, groups) -> {
          ArrayNode all = config.withObject("/routes").putObject(name).putArray("groups");
          for (String group : groups) {
            ArrayNode targets = all.addArray();
            for (String target : group.split(" ", -1)) {
              String[] parts = target.split("\\*", -1);
              targets
                  .addObject()
                  .put("to", (parts[0].equals("stalls") ? "impatient/" : "bench/") + parts[0])
                  .put("weight", parts.length > 1 ? Integer.parseInt(parts[1]) : 1);
            }
          }
        });
    return config;
  }

  private static ObjectNode provider(ObjectNode config, String name, String port) {
    ObjectNode provider = config.withObject("/providers").putObject(name);
    provider.put("baseUrl", "http://127.0.0.1:" + port + "/v1").put("needsKey", false);
    provider.putArray("endpoints").add("chat");
    return provider;
  }

  private static Answer answer(RecordedRequest request, Semaphore never) {
    String model = request.json().path("model").asText();
    if (model.equals("fails")) {
      return Answer.error(503, "server_error", "no");
    }
    if (model.equals("stalls")) {
      return Answer.hang();
    }
    long millis = model.startsWith("slow") ? SLOW_MILLIS : GOOD_MILLIS;
    Answer good = CannedReplies.answer(request);
    return exchange -> {
      try {
        boolean unused = never.tryAcquire(millis, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      good.write(exchange);
    };
  }

  private static void run(String model, int seconds, int clients, String[] arguments)
      throws Exception {
    HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(arguments[2] + "/v1/chat/completions"))
            .header("Authorization", "Bearer " + arguments[3])
            .header("Content-Type", "application/json")
            .timeout(Duration.ofMinutes(1))
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"model\":\"%s\",\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}"
                        .formatted(model)))
            .build();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    Map<String, LongAdder> answered = new ConcurrentHashMap<>();
    LongAdder failed = new LongAdder();
    ExecutorService pool = Executors.newFixedThreadPool(clients);
    List<Callable<long[]>> work = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      work.add(
          () -> {
            long[] times = new long[1 << 16];
            int count = 0;
            while (System.nanoTime() < end && count < times.length) {
              long start = System.nanoTime();
              HttpResponse<String> answer =
                  http.send(request, HttpResponse.BodyHandlers.ofString());
              times[count++] = System.nanoTime() - start;
              if (answer.statusCode() == 200) {
                String target = answer.headers().firstValue("X-Gateway-Target").orElse("?");
                answered.computeIfAbsent(target, unseen -> new LongAdder()).increment();
              } else {
                failed.increment();
                if (failed.sum() == 1) {
                  System.out.println(model + ": " + answer.statusCode() + " " + answer.body());
                }
              }
            }
            return Arrays.copyOf(times, count);
          });
    }
    List<Long> all = new ArrayList<>();
    for (Future<long[]> times : pool.invokeAll(work)) {
      Arrays.stream(times.get()).forEach(all::add);
    }
    pool.shutdown();
    all.sort(null);
    double sum = all.stream().mapToLong(Long::longValue).sum();
    System.out.printf(
        Locale.ROOT,
        "%-26s %9d %7d %8.1f %8.1f %8.1f %8.1f  %s%n",
        model,
        all.size(),
        failed.sum(),
        all.get(all.size() / 2) / 1e6,
        all.get((int) (all.size() * 0.99)) / 1e6,
        all.get(all.size() - 1) / 1e6,
        sum / all.size() / 1e6,
        new TreeMap<>(answered));
  }
}
