package io.memorygateway.bench;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * What memory adds to a proxied call: the same call plain, plain with the messages of a whole
 * thread, as an agent without memory sends them, and with a thread of 40 messages, in turns. Then
 * turns with recall beside turns without it, and turns of 16 clients, and of one, beside those of
 * {@link HandWrittenTurns}. Started by {@code ops/bench/turns}.
 *
 * <p>Environment: {@code BENCH_PORT}, {@code BENCH_HAND_WRITTEN_PORT}, {@code BENCH_ADMIN}, {@code
 * BENCH_KEY}, {@code BENCH_AWAIT_OBSERVERS}, {@code BENCH_SECONDS}, {@code BENCH_ROUNDS}, {@code
 * BENCH_PROCESSES}: {@code name:pid …}, whose processor time is told.
 */
final class TurnBench {
  private static final List<String> PARTS = List.of("plain", "recall", "hand-written");

  private static final int CONNECTIONS = 64;
  private static final int MESSAGES = 30;

  /**
   * Each turn adds two messages, so a thread has 30 to 50; then the connection goes on with
   * another.
   */
  private static final int TURNS_A_THREAD = 10;

  /** Beside the service written by hand. */
  private static final int CLIENTS = 16;

  private static final int THREADS = 64;

  private static final String QUESTION =
      "{\"role\":\"user\",\"content\":\"What is the capital of France?\"}";

  private static final String TURN =
      QUESTION
          + ",{\"role\":\"assistant\",\"content\":\"Of course. The capital of France is Paris, on the Seine.\"},";

  /** Threads with recall, and as many without. */
  private static final int RECALLING_THREADS = 8;

  private static final int RECALLED_MESSAGES = 600;

  /** Different words of the messages that are recalled, and of what is asked. */
  private static final int VOCABULARY = 2_000;

  private static final int PACED_PER_SECOND = 300;

  /** A little longer than the gateway takes to look how much waits to be observed. */
  private static final int MEASURED_EVERY_MILLIS = 6000;

  private static final String[] PROCESSES =
      System.getenv().getOrDefault("BENCH_PROCESSES", "").split(" ", -1);

  private final int port = Integer.parseInt(System.getenv("BENCH_PORT"));
  private final int handWrittenPort = Integer.parseInt(System.getenv("BENCH_HAND_WRITTEN_PORT"));
  private final String key = System.getenv("BENCH_KEY");
  private final int seconds = Integer.parseInt(System.getenv().getOrDefault("BENCH_SECONDS", "6"));
  private final int rounds = Integer.parseInt(System.getenv().getOrDefault("BENCH_ROUNDS", "5"));
  private final int warmUpSeconds =
      Integer.parseInt(System.getenv().getOrDefault("BENCH_WARM_UP", "30"));
  private final AtomicInteger unused = new AtomicInteger();
  private final AtomicInteger made = new AtomicInteger();

  private TurnBench() {}

  /** What is called. */
  private enum Kind {
    PLAIN("plain"),
    WHOLE("plain with the messages of a thread"),
    MEMORY("with memory");

    private final String words;

    Kind(String words) {
      this.words = words;
    }
  }

  public static void main(String[] args) throws Exception {
    TurnBench bench = new TurnBench();
    List<String> parts = args.length == 0 ? PARTS : List.of(args);
    if (!PARTS.containsAll(parts)) {
      throw new IllegalArgumentException("the parts are " + PARTS);
    }
    if (parts.contains("plain")) {
      bench.besidePlainCalls();
    }
    if (parts.contains("recall")) {
      bench.withRecall();
    }
    if (parts.contains("hand-written")) {
      bench.besideHandWritten();
    }
  }

  private void besidePlainCalls() throws Exception {
    prepare(2000);
    saturated(Kind.MEMORY, 12);
    saturated(Kind.PLAIN, 8);
    List<Double> ratios = new ArrayList<>();
    List<Double> ratiosToWhole = new ArrayList<>();
    List<Double> added = new ArrayList<>();
    List<Double> addedToWhole = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      double plain = saturated(Kind.PLAIN, seconds);
      double whole = saturated(Kind.WHOLE, seconds);
      prepare((int) (plain * seconds / TURNS_A_THREAD));
      double memory = saturated(Kind.MEMORY, seconds);
      prepare(PACED_PER_SECOND * seconds / TURNS_A_THREAD + CONNECTIONS);
      double[] plainMillis = paced(Kind.PLAIN);
      double[] wholeMillis = paced(Kind.WHOLE);
      double[] before = held();
      double[] memoryMillis = paced(Kind.MEMORY);
      double[] after = held();
      ratios.add(memory / plain);
      ratiosToWhole.add(memory / whole);
      added.add(memoryMillis[0] - plainMillis[0]);
      addedToWhole.add(memoryMillis[0] - wholeMillis[0]);
      System.out.printf(
          Locale.ROOT,
          "plain %,.0f/s, the whole thread %,.0f/s, with memory %,.0f/s (%.2f and %.2f); at %d/s %s, %s, %s (%+.2f and %+.2f at p50), %.1f %% of the ends held back for at most 5 ms%n",
          plain,
          whole,
          memory,
          memory / plain,
          memory / whole,
          PACED_PER_SECOND,
          times("plain", plainMillis),
          times("the whole thread", wholeMillis),
          times("with memory", memoryMillis),
          memoryMillis[0] - plainMillis[0],
          memoryMillis[0] - wholeMillis[0],
          100 * (after[0] - before[0]) / (after[1] - before[1]));
    }
    System.out.printf(
        Locale.ROOT,
        "medians: with memory %.2f of the plain rate, %+.2f ms at p50; %.2f and %+.2f ms beside plain calls with the messages of a thread%n",
        median(ratios),
        median(added),
        median(ratiosToWhole),
        median(addedToWhole));
  }

  /**
   * Turns of one client over threads that recall old messages, and over threads that do not, call
   * by call in turns. Messages and questions are of the same words, so that every turn quotes as
   * much as it may.
   */
  private void withRecall() throws Exception {
    List<String> threads =
        List.of("recall-%d".formatted(made.get()), "plain-%d".formatted(made.get()));
    SplittableRandom random = new SplittableRandom(11);
    try (BenchClient client = new BenchClient(port)) {
      for (int each = 0; each < RECALLING_THREADS; each++) {
        for (String name : threads) {
          importThread(client, name + "-" + each, name.startsWith("recall") ? 2000 : 0, random);
        }
      }
      for (int round = 0; round <= rounds; round++) {
        ApiLatencies with = new ApiLatencies();
        ApiLatencies without = new ApiLatencies();
        long[] before = processorTimes();
        long end = System.nanoTime() + 3L * seconds * 1_000_000_000L;
        for (int call = 0; System.nanoTime() < end; call++) {
          String thread = threads.get(call % 2) + "-" + call / 2 % RECALLING_THREADS;
          byte[] request = turn(thread, BenchData.text(random, VOCABULARY, 10));
          long begun = System.nanoTime();
          client.call(request);
          (call % 2 == 0 ? with : without).add(System.nanoTime() - begun);
        }
        printProcessorTimes("either", before, processorTimes(), with.count() + without.count());
        System.out.printf(
            Locale.ROOT,
            "recall%s: one client, p50 %.2f p99 %.2f ms with it, %.2f and %.2f without (%+.2f at p50)%n",
            round == 0 ? ", warm-up" : "",
            with.at(0.5),
            with.at(0.99),
            without.at(0.5),
            without.at(0.99),
            with.at(0.5) - without.at(0.5));
      }
    }
  }

  private void importThread(
      BenchClient client, String thread, int recallTokens, SplittableRandom random)
      throws Exception {
    String path = "/v1/memory/threads";
    client.call(
        BenchClient.post(key, path, "", "{\"id\":\"%s\",\"resourceId\":\"u\"}".formatted(thread)));
    path += "/" + thread;
    client.call(
        BenchClient.request(
            "PATCH",
            key,
            path + "/observations/config",
            "",
            "{\"messageTokens\":4000,\"observationTokens\":6000,\"recallTokens\":%d}"
                .formatted(recallTokens)));
    for (int i = 0; i < RECALLED_MESSAGES / MESSAGES; i++) {
      String messages = messages(() -> BenchData.text(random, VOCABULARY, 8 + random.nextInt(100)));
      client.call(
          BenchClient.post(key, path + "/messages", "", "{\"messages\":[" + messages + "]}"));
    }
  }

  /**
   * Turns of the gateway and of the service written by hand, in turns, over threads that begin
   * empty.
   */
  private void besideHandWritten() throws Exception {
    for (int warmed = 0; warmed < warmUpSeconds; warmed += seconds) {
      turns(handWrittenPort, CLIENTS, "warm-" + warmed);
      turns(port, CLIENTS, "warm-" + warmed);
    }
    List<Double> rates = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      String threads = "beside-" + round;
      long[] before = processorTimes();
      Rate ours = turns(port, CLIENTS, threads);
      long[] between = processorTimes();
      Rate handWritten = turns(handWrittenPort, CLIENTS, threads);
      printProcessorTimes("a turn", before, between, ours.perSecond * seconds);
      printProcessorTimes(
          "written by hand", between, processorTimes(), handWritten.perSecond * seconds);
      Rate ourOne = turns(port, 1, threads + "-one");
      Rate handWrittenOne = turns(handWrittenPort, 1, threads + "-one");
      rates.add(ours.perSecond / handWritten.perSecond);
      System.out.printf(
          Locale.ROOT,
          "%d clients over %d threads: %s; written by hand %s; one client: %s; written by hand %s%n",
          CLIENTS,
          THREADS,
          ours,
          handWritten,
          ourOne,
          handWrittenOne);
    }
    System.out.printf(
        Locale.ROOT, "median: %.2f of the rate of the service written by hand%n", median(rates));
  }

  /** Rate and times, in milliseconds, of turns. */
  private record Rate(double perSecond, double p50, double p99) {
    @Override
    public String toString() {
      return String.format(Locale.ROOT, "%,.0f/s p50 %.2f p99 %.2f ms", perSecond, p50, p99);
    }
  }

  private Rate turns(int port, int clients, String threads) throws Exception {
    ApiLatencies latencies = new ApiLatencies();
    long end = System.nanoTime() + seconds * 1_000_000_000L;
    each(
        port,
        clients,
        (client, number) -> {
          for (int i = number; System.nanoTime() < end; i += clients) {
            byte[] request = turn(threads + "-" + i % THREADS, "What is the capital of France?");
            long begun = System.nanoTime();
            client.call(request);
            latencies.add(System.nanoTime() - begun);
          }
        });
    return new Rate(latencies.count() / (double) seconds, latencies.at(0.5), latencies.at(0.99));
  }

  private byte[] turn(String thread, String question) {
    return BenchClient.post(
        key,
        "/v1/chat/completions",
        "x-thread-id: %s\r\nx-resource-id: u\r\n".formatted(thread),
        "{\"model\":\"openai/gpt-5-mini\",\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}"
            .formatted(question));
  }

  private static String times(String name, double[] millis) {
    return String.format(Locale.ROOT, "%s p50 %.2f p99 %.2f ms", name, millis[0], millis[1]);
  }

  private static double median(List<Double> figures) {
    return figures.stream().sorted().toList().get(figures.size() / 2);
  }

  /** How many ends of answers were held back for at most 5 ms up to now, and how many in all. */
  private static double[] held() throws Exception {
    String metrics = metrics();
    String name = "memory_gateway_turn_seconds_bucket{step=\"commit\",le=";
    return new double[] {value(metrics, name + "\"0.005\"}"), value(metrics, name + "\"+Inf\"}")};
  }

  private static double value(String metrics, String name) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
        .sum();
  }

  private static String metrics() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(System.getenv("BENCH_ADMIN") + "/metrics")).build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  /** Makes threads of 30 messages, until so many are unused. */
  private void prepare(int threads) throws Exception {
    int target = unused.get() + threads;
    String body = "{\"messages\":[" + messages() + "]}";
    each(
        16,
        (client, number) -> {
          for (int i = made.getAndIncrement(); i < target; i = made.getAndIncrement()) {
            client.call(
                BenchClient.post(
                    key,
                    "/v1/memory/threads",
                    "",
                    "{\"id\":\"turn-%d\",\"resourceId\":\"u\"}".formatted(i)));
            client.call(
                BenchClient.post(key, "/v1/memory/threads/turn-" + i + "/messages", "", body));
          }
        });
    made.set(target);
    awaitObservers();
  }

  /** Those that a thread begins with. */
  private static String messages() {
    SplittableRandom random = new SplittableRandom(7);
    return messages(() -> BenchData.text(random));
  }

  private static String messages(Supplier<String> text) {
    StringBuilder messages = new StringBuilder();
    for (int i = 0; i < MESSAGES; i++) {
      messages
          .append(i == 0 ? "" : ",")
          .append("{\"role\":\"")
          .append(i % 2 == 0 ? "user" : "assistant")
          .append("\",\"content\":\"")
          .append(text.get())
          .append("\"}");
    }
    return messages.toString();
  }

  /**
   * So many threads at once are more than the observers see in a day; they are not measured. Only
   * where observers run.
   */
  private static void awaitObservers() throws Exception {
    if (System.getenv("BENCH_AWAIT_OBSERVERS") == null) {
      return;
    }
    do {
      Thread.sleep(MEASURED_EVERY_MILLIS);
    } while (!metrics().contains("memory_gateway_observation_lag_seconds 0.0\n"));
  }

  private double saturated(Kind kind, int duration) throws Exception {
    AtomicInteger calls = new AtomicInteger();
    long[] before = processorTimes();
    long end = System.nanoTime() + duration * 1_000_000_000L;
    each(
        CONNECTIONS,
        (client, number) -> {
          int own = 0;
          byte[] request = request(kind);
          while (System.nanoTime() < end) {
            client.call(request);
            own++;
            if (kind == Kind.MEMORY && own % TURNS_A_THREAD == 0) {
              request = request(kind);
            }
          }
          calls.addAndGet(own);
        });
    printProcessorTimes(kind.words, before, processorTimes(), calls.get());
    return calls.get() / (double) duration;
  }

  private static void printProcessorTimes(String what, long[] before, long[] after, double calls) {
    for (int i = 0; i < before.length; i++) {
      System.out.printf(
          Locale.ROOT,
          "  %s: %s took %.0f us of processor time a call%n",
          what,
          PROCESSES[i].replaceAll(":.*", ""),
          (after[i] - before[i]) * 1e4 / calls);
    }
  }

  /** What each process used up to now, in hundredths of a second. */
  private static long[] processorTimes() throws Exception {
    long[] times = new long[PROCESSES.length];
    for (int i = 0; i < times.length; i++) {
      String stat = Files.readString(Path.of("/proc", PROCESSES[i].replaceAll(".*:", ""), "stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      times[i] = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }
    return times;
  }

  /** Median and 99th percentile in milliseconds. */
  private double[] paced(Kind kind) throws Exception {
    ApiLatencies latencies = new ApiLatencies();
    int callers = 16;
    long start = System.nanoTime() + 100_000_000L;
    long total = (long) PACED_PER_SECOND * seconds;
    each(
        callers,
        (client, number) -> {
          byte[] request = request(kind);
          int own = 0;
          for (long i = number; i < total; i += callers) {
            long due = start + i * 1_000_000_000L / PACED_PER_SECOND;
            BenchClient.sleepUntil(due);
            client.call(request);
            latencies.add(System.nanoTime() - due);
            if (kind == Kind.MEMORY && ++own % TURNS_A_THREAD == 0) {
              request = request(kind);
            }
          }
        });
    return new double[] {latencies.at(0.5), latencies.at(0.99)};
  }

  private byte[] request(Kind kind) {
    String headers =
        kind == Kind.MEMORY
            ? "x-thread-id: turn-%d\r\nx-resource-id: u\r\n".formatted(unused.getAndIncrement())
            : "";
    String before = kind == Kind.WHOLE ? messages() + "," + TURN.repeat(TURNS_A_THREAD / 2) : "";
    return BenchClient.post(
        key,
        "/v1/chat/completions",
        headers,
        "{\"model\":\"openai/gpt-5-mini\",\"messages\":[" + before + QUESTION + "]}");
  }

  /** What a connection does. */
  private interface Work {
    void with(BenchClient client, int number) throws Exception;
  }

  private void each(int connections, Work work) throws Exception {
    each(port, connections, work);
  }

  private static void each(int port, int connections, Work work) throws Exception {
    List<Thread> threads = new ArrayList<>();
    List<Exception> failures = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      int number = i;
      threads.add(
          new Thread(
              () -> {
                try (BenchClient client = new BenchClient(port)) {
                  work.with(client, number);
                } catch (Exception e) {
                  synchronized (failures) {
                    failures.add(e);
                  }
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    if (!failures.isEmpty()) {
      throw failures.get(0);
    }
  }
}
