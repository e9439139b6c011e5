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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** What translation costs: the gateway's processor time for native and for translated calls. */
final class TranslationBench {
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final int CLIENTS = 4;

  private static final Map<String, String> PATHS =
      Map.of(
          "chat", "/v1/chat/completions",
          "messages", "/v1/messages",
          "responses", "/v1/responses");

  private static final List<String> FORMATS = List.of("chat", "messages", "responses");

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
    TranslationBench.run(arguments, Integer.parseInt(arguments[5]));
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
    return Answer.sse(CannedReplies.reply(request.path(), request.json(), text).events());
  }

  private static void run(String[] arguments, int calls) throws Exception {
    int rounds = Integer.parseInt(arguments[7]);
    System.out.printf(
        "%-24s %14s %14s %14s %14s%n",
        "called -> target", "ms a call", "of native", "ms a stream", "of native");
    for (String called : FORMATS) {
      measure(called, called, false, calls, arguments);
      measure(called, called, true, calls / 50, arguments);
    }
    for (String called : FORMATS) {
      double[] natively = new double[2];
      for (String target : ordered(called)) {
        double[] took = new double[2];
        for (int kind = 0; kind < 2; kind++) {
          List<Double> all = new ArrayList<>();
          for (int round = 0; round < rounds; round++) {
            all.add(measure(called, target, kind == 1, kind == 1 ? calls / 50 : calls, arguments));
          }
          all.sort(null);
          took[kind] = all.get(all.size() / 2);
        }
        if (target.equals(called)) {
          natively = took;
        }
        System.out.printf(
            Locale.ROOT,
            "%-24s %14.3f %14.2f %14.2f %14.2f%n",
            called + " -> " + target,
            took[0],
            took[0] / natively[0],
            took[1],
            took[1] / natively[1]);
      }
    }
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
    HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    String messages =
        called.equals("responses")
            ? "\"input\":\"Hello\""
            : "\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]";
    String limit = called.equals("messages") ? "\"max_tokens\":50," : "";
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(arguments[2] + PATHS.get(called)))
            .header("Authorization", "Bearer " + arguments[3])
            .header("Content-Type", "application/json")
            .timeout(Duration.ofMinutes(1))
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"model\":\"only-%s/m\",%s\"stream\":%s,%s}"
                        .formatted(target, limit, stream, messages)))
            .build();
    long before = processorMillis(arguments[4]);
    ExecutorService pool = Executors.newFixedThreadPool(CLIENTS);
    List<Callable<Void>> work = new ArrayList<>();
    for (int client = 0; client < CLIENTS; client++) {
      work.add(
          () -> {
            for (int i = 0; i < calls / CLIENTS; i++) {
              HttpResponse<String> answer =
                  http.send(request, HttpResponse.BodyHandlers.ofString());
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

  private static long processorMillis(String pid) {
    return ProcessHandle.of(Long.parseLong(pid))
        .flatMap(process -> process.info().totalCpuDuration())
        .orElseThrow()
        .toMillis();
  }
}
