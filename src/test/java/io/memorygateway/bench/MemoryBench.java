package io.memorygateway.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * How the memory API holds at size: 1,000,000 messages in 10,000 threads, one of them with 200,000.
 * Started by {@code ops/bench/memory}; prints its figures and the plans of the statements that
 * pages are made with.
 *
 * <p>Environment: {@code BENCH_PORT}, {@code BENCH_KEY}, {@code BENCH_SECONDS}, {@code
 * BENCH_WARM_SECONDS}, {@code DATABASE_URL}, {@code DATABASE_USER}, {@code DATABASE_PASSWORD}.
 */
final class MemoryBench {
  /** The JVM's compilers take more than a minute to be done. */
  private static final int PACED_ROUNDS = 6;

  private static final int CONNECTIONS = 64;
  private static final String LARGE = "/v1/memory/threads/thread-0/messages";

  private final int port = Integer.parseInt(System.getenv("BENCH_PORT"));
  private final String key = System.getenv("BENCH_KEY");
  private final int seconds = Integer.parseInt(System.getenv().getOrDefault("BENCH_SECONDS", "15"));
  private final int warmSeconds =
      Integer.parseInt(System.getenv().getOrDefault("BENCH_WARM_SECONDS", "" + seconds));

  private MemoryBench() {}

  public static void main(String[] args) throws Exception {
    try (Connection database =
        DriverManager.getConnection(
            System.getenv("DATABASE_URL"),
            System.getenv().getOrDefault("DATABASE_USER", "root"),
            System.getenv().getOrDefault("DATABASE_PASSWORD", ""))) {
      BenchData data = new BenchData(database);
      data.fill();
      new MemoryBench().run();
      data.printPlans();
    }
  }

  private void run() throws Exception {
    System.out.println("warming up");
    // A JVM that has just started would let callers wait longer than the pool lets them.
    saturated("warm-up, all kinds", 4, seconds, this::mixed);
    saturated("warm-up, all kinds", CONNECTIONS, warmSeconds, this::mixed);
    System.out.println(
        "\n300 requests/s: 45 % first pages of 50, 45 % appends, 10 % lists of threads");
    for (int round = 0; round < PACED_ROUNDS; round++) {
      paced(300);
    }
    System.out.println("\none page after the other, first and deep in turns");
    compare("messages", LARGE + "?offset=0", LARGE + "?offset=190000");
    compare("messages, newest first", LARGE + "?order=desc", LARGE + "?order=desc&offset=190000");
    compare("threads", "/v1/memory/threads?offset=0", "/v1/memory/threads?offset=9000");
    compare("threads, the middle", "/v1/memory/threads?offset=0", "/v1/memory/threads?offset=5000");
    System.out.println("\nsaturated, " + CONNECTIONS + " connections");
    saturated("appends", CONNECTIONS, seconds, this::append);
    saturated("appends with Idempotency-Key", CONNECTIONS, seconds, this::idempotentAppend);
    saturated("first pages of 50", CONNECTIONS, seconds, this::firstPage);
    saturated("appends", CONNECTIONS, seconds, this::append);
    saturated("first pages of 50", CONNECTIONS, seconds, this::firstPage);
  }

  /** Makes a request. */
  private interface Request {
    byte[] make(SplittableRandom random);
  }

  private byte[] mixed(SplittableRandom random) {
    int kind = random.nextInt(100);
    return kind < 45 ? firstPage(random) : kind < 90 ? append(random) : threads();
  }

  private byte[] firstPage(SplittableRandom random) {
    return BenchClient.get(key, "/v1/memory/threads/" + anyThread(random) + "/messages");
  }

  private byte[] threads() {
    return BenchClient.get(key, "/v1/memory/threads");
  }

  private byte[] append(SplittableRandom random) {
    return append(random, "");
  }

  private byte[] idempotentAppend(SplittableRandom random) {
    return append(random, "Idempotency-Key: " + random.nextLong() + "\r\n");
  }

  private byte[] append(SplittableRandom random, String header) {
    return BenchClient.post(
        key,
        "/v1/memory/threads/" + anyThread(random) + "/messages",
        header,
        "{\"messages\":[{\"role\":\"user\",\"content\":\"" + BenchData.text(random) + "\"}]}");
  }

  private static String anyThread(SplittableRandom random) {
    return "thread-" + random.nextInt(BenchData.THREADS);
  }

  /** Requests leave at fixed times, whether or not earlier ones are answered; waiting counts. */
  private void paced(int perSecond) throws Exception {
    List<String> kinds = List.of("first page of 50", "append", "list of threads");
    List<ApiLatencies> latencies =
        List.of(new ApiLatencies(), new ApiLatencies(), new ApiLatencies());
    ApiLatencies late = new ApiLatencies();
    long interval = 1_000_000_000L / perSecond;
    int callers = 32;
    long start = System.nanoTime() + 100_000_000L;
    long total = (long) perSecond * seconds * 2;
    List<Thread> threads = new ArrayList<>();
    for (int caller = 0; caller < callers; caller++) {
      int first = caller;
      threads.add(
          new Thread(
              () -> {
                SplittableRandom random = new SplittableRandom(first);
                try (BenchClient client = new BenchClient(port)) {
                  for (long i = first; i < total; i += callers) {
                    long due = start + i * interval;
                    BenchClient.sleepUntil(due);
                    int roll = random.nextInt(100);
                    int kind = roll < 45 ? 0 : roll < 90 ? 1 : 2;
                    byte[] request =
                        kind == 0 ? firstPage(random) : kind == 1 ? append(random) : threads();
                    late.add(System.nanoTime() - due);
                    client.call(request);
                    latencies.get(kind).add(System.nanoTime() - due);
                  }
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    for (int kind = 0; kind < kinds.size(); kind++) {
      System.out.println(latencies.get(kind).line(kinds.get(kind)));
    }
    System.out.println(late.line("of which before the load sent them"));
  }

  private void compare(String name, String first, String deep) throws Exception {
    ApiLatencies atFirst = new ApiLatencies();
    ApiLatencies atDepth = new ApiLatencies();
    byte[] firstRequest = BenchClient.get(key, first);
    byte[] deepRequest = BenchClient.get(key, deep);
    try (BenchClient client = new BenchClient(port)) {
      for (int i = 0; i < 1500; i++) {
        long start = System.nanoTime();
        client.call(firstRequest);
        long between = System.nanoTime();
        client.call(deepRequest);
        if (i >= 300) {
          atFirst.add(between - start);
          atDepth.add(System.nanoTime() - between);
        }
      }
    }
    System.out.println(atFirst.line(name + ": " + first.replaceAll(".*\\?", "")));
    System.out.println(atDepth.line(name + ": " + deep.replaceAll(".*\\?", "")));
    System.out.printf(
        Locale.ROOT, "  deep / first: %.2f at the median%n", atDepth.at(0.5) / atFirst.at(0.5));
  }

  private void saturated(String name, int connections, int duration, Request request)
      throws Exception {
    ApiLatencies latencies = new ApiLatencies();
    long end = System.nanoTime() + duration * 1_000_000_000L;
    List<Thread> threads = new ArrayList<>();
    for (int connection = 0; connection < connections; connection++) {
      long seed = System.nanoTime() + connection;
      threads.add(
          new Thread(
              () -> {
                SplittableRandom random = new SplittableRandom(seed);
                try (BenchClient client = new BenchClient(port)) {
                  for (long now = System.nanoTime(); now < end; ) {
                    client.call(request.make(random));
                    long then = System.nanoTime();
                    latencies.add(then - now);
                    now = then;
                  }
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    System.out.printf(
        Locale.ROOT, "%s; %,.0f/s%n", latencies.line(name), latencies.count() / (double) duration);
  }
}
