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
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * What translation costs: the gateway's processor time for native and for translated calls, and how
 * long after its event the first content of a stream comes, while a hundred run at a pace.
 */
final class TranslationBench {
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final int CLIENTS = 4;
  private static final int PACED = 100;
  private static final long PACE_MILLIS = 100;

  /** Models of paced streams begin so; what such a stream says first. */
  private static final String PACED_MODEL = "paced-";

  private static final String FIRST = "first";

  private static final Map<String, String> PATHS =
      Map.of(
          "chat", "/v1/chat/completions",
          "messages", "/v1/messages",
          "responses", "/v1/responses");

  private static final List<String> FORMATS = List.of("chat", "messages", "responses");

  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** When the upstream sent the first content of a stream, by its model. */
  private static final Map<String, Long> SENT = new ConcurrentHashMap<>();

  private TranslationBench() {}

  /**
   * {@code config FILE PORT} prints a configuration for providers at this port; {@code run PORT
   * GATEWAY KEY PID CALLS EVENTS ROUNDS} starts them and prints the figures.
   */
  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("config")) {
      System.out.println(YAML.writeValueAsString(config(arguments[1], arguments[2])));
      return;
    }
    String text = "word ".repeat(Integer.parseInt(arguments[6])).strip();
    FakeUpstream.start(Integer.parseInt(arguments[1])).answer(request -> answer(request, text));
    run(arguments, Integer.parseInt(arguments[5]));
    first(arguments, Integer.parseInt(arguments[7]));
    System.exit(0);
  }

  private static ObjectNode config(String file, String port) throws Exception {
    ObjectNode config = (ObjectNode) YAML.readTree(new File(file));
    for (String format : FORMATS) {
      ObjectNode provider = config.withObject("/providers").putObject("only-" + format);
      provider.put("baseUrl", "http://127.0.0.1:" + port + "/v1").put("needsKey", false);
      provider.putArray("endpoints").add(format);
      ArrayNode translate = provider.putArray("translate");
      FORMATS.forEach(translate::add);
    }
    for (String rule : List.of("global", "llm_proxy", "llm_burst")) {
      config.withObject("/rateLimits/rules/" + rule).put("limit", 100_000_000);
    }
    return config;
  }

  private static Answer answer(RecordedRequest request, String text) {
    if (!request.json().path("stream").asBoolean()) {
      return CannedReplies.answer(request);
    }
    String model = request.json().path("model").asText();
    return model.startsWith(PACED_MODEL)
        ? paced(
            CannedReplies.reply(request.path(), request.json(), FIRST + " word".repeat(15)), model)
        : Answer.sse(CannedReplies.reply(request.path(), request.json(), text).events());
  }

  /** A stream at a pace, which notes when it sent its first content. */
  private static Answer paced(CannedReplies.Reply reply, String model) {
    return Answer.sseThen(
        List.of(),
        exchange -> {
          for (String event : reply.events()) {
            if (event.contains('"' + FIRST + '"')) {
              SENT.put(model, System.nanoTime());
            }
            exchange.chunk(event);
            pause(PACE_MILLIS);
          }
          exchange.lastChunk();
        });
  }

  private static void pause(long millis) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  /** How long after its event the first content of paced streams came. */
  private static void first(String[] arguments, int rounds) throws Exception {
    System.out.printf("%n%-24s %14s %14s%n", "first content", "p50 ms", "p99 ms");
    ExecutorService pool = Executors.newFixedThreadPool(PACED);
    for (String called : FORMATS) {
      for (String target : ordered(called)) {
        List<Double> millis = new ArrayList<>();
        for (int round = 0; round <= rounds; round++) {
          List<Callable<Double>> streams = new ArrayList<>();
          for (int i = 0; i < PACED; i++) {
            String model = PACED_MODEL + called + target + round + "-" + i;
            long wait = i * 1000L / PACED;
            streams.add(
                () -> {
                  pause(wait);
                  return millisToFirst(request(called, target, model, true, arguments), model);
                });
          }
          for (Future<Double> stream : pool.invokeAll(streams)) {
            if (round > 0) {
              millis.add(stream.get());
            }
          }
        }
        millis.sort(null);
        System.out.printf(
            Locale.ROOT,
            "%-24s %14.3f %14.3f%n",
            called + " -> " + target,
            millis.get(millis.size() / 2),
            millis.get(millis.size() * 99 / 100));
      }
    }
    pool.shutdown();
  }

  private static double millisToFirst(HttpRequest request, String model) throws Exception {
    HttpResponse<Stream<String>> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofLines());
    long[] came = new long[1];
    answer
        .body()
        .forEach(
            line -> {
              if (came[0] == 0 && line.contains('"' + FIRST + '"')) {
                came[0] = System.nanoTime();
              }
            });
    return (came[0] - SENT.remove(model)) / 1e6;
  }

  private static void run(String[] arguments, int calls) throws Exception {
    int rounds = Integer.parseInt(arguments[7]);
    System.out.printf(
        "%-24s %14s %14s %14s %14s%n",
        "called -> target", "ms a call", "of native", "ms a stream", "of native");
    // The first round counts for nothing: until the gateway is compiled, for each pair alike.
    Map<String, List<List<Double>>> all = new HashMap<>();
    for (int round = 0; round <= rounds; round++) {
      for (String called : FORMATS) {
        for (String target : FORMATS) {
          List<List<Double>> of =
              all.computeIfAbsent(
                  called + target, pair -> List.of(new ArrayList<>(), new ArrayList<>()));
          double call = measure(called, target, false, calls, arguments);
          double stream = measure(called, target, true, calls / 10, arguments);
          if (round > 0) {
            of.get(0).add(call);
            of.get(1).add(stream);
          }
        }
      }
    }
    for (String called : FORMATS) {
      List<List<Double>> natively = all.get(called + called);
      for (String target : ordered(called)) {
        List<List<Double>> took = all.get(called + target);
        System.out.printf(
            Locale.ROOT,
            "%-24s %14.3f %14.2f %14.2f %14.2f%n",
            called + " -> " + target,
            median(took.get(0)),
            median(took.get(0)) / median(natively.get(0)),
            median(took.get(1)),
            median(took.get(1)) / median(natively.get(1)));
      }
    }
  }

  private static double median(List<Double> figures) {
    return figures.stream().sorted().toList().get(figures.size() / 2);
  }

  /** The formats, this one first. */
  private static List<String> ordered(String first) {
    List<String> all = new ArrayList<>(FORMATS);
    all.remove(first);
    all.add(0, first);
    return all;
  }

  /** Milliseconds of the gateway's processor time for a call. */
  private static double measure(
      String called, String target, boolean stream, int calls, String[] arguments)
      throws Exception {
    HttpRequest request = request(called, target, "m", stream, arguments);
    long before = processorMillis(arguments[4]);
    ExecutorService pool = Executors.newFixedThreadPool(CLIENTS);
    List<Callable<Void>> work = new ArrayList<>();
    for (int client = 0; client < CLIENTS; client++) {
      work.add(
          () -> {
            for (int i = 0; i < calls / CLIENTS; i++) {
              HttpResponse<String> answer =
                  HTTP.send(request, HttpResponse.BodyHandlers.ofString());
              if (answer.statusCode() != 200) {
                throw new IllegalStateException(answer.statusCode() + " " + answer.body());
              }
            }
            return null;
          });
    }
    for (Future<Void> each : pool.invokeAll(work)) {
      each.get();
    }
    pool.shutdown();
    return (double) (processorMillis(arguments[4]) - before) / (calls / CLIENTS * CLIENTS);
  }

  private static HttpRequest request(
      String called, String target, String model, boolean stream, String[] arguments) {
    String messages =
        called.equals("responses")
            ? "\"input\":\"Hello\""
            : "\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]";
    String limit = called.equals("messages") ? "\"max_tokens\":50," : "";
    return HttpRequest.newBuilder(URI.create(arguments[2] + PATHS.get(called)))
        .header("Authorization", "Bearer " + arguments[3])
        .header("Content-Type", "application/json")
        .timeout(Duration.ofMinutes(1))
        .POST(
            HttpRequest.BodyPublishers.ofString(
                "{\"model\":\"only-%s/%s\",%s\"stream\":%s,%s}"
                    .formatted(target, model, limit, stream, messages)))
        .build();
  }

  private static long processorMillis(String pid) {
    return ProcessHandle.of(Long.parseLong(pid))
        .flatMap(process -> process.info().totalCpuDuration())
        .orElseThrow()
        .toMillis();
  }
}
