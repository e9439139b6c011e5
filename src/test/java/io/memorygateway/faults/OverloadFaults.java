package io.memorygateway.faults;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A gateway with 1 GiB of heap under more load than it can carry, of several kinds, and under a
 * usual load for long, while a few callers go on at a slow pace: their calls show what overload
 * costs those who are let in. Started by {@code ops/faults/overload}.
 *
 * <p>Arguments: the gateway's jar, a folder for logs, the JDBC URL of a database, seconds of each
 * load, minutes of the last one (0: none), the beginning of the names of the loads to run ("":
 * all).
 */
final class OverloadFaults implements AutoCloseable {
  /** The least number of rounds in which the capacity is measured. */
  private static final int WARM_UP_ROUNDS = 6;

  private static final int STREAMS = 2_000;
  private static final int STREAM_SECONDS = 20;
  private static final int IDLE = 5_000;
  private static final int SLOW = 200;
  private static final int LARGE = 8;
  private static final int PROBES_A_SECOND = 20;
  private static final double SLOWER = 5;

  /** Less than this is not felt, whatever it is compared with. */
  private static final double UNFELT_MILLIS = 50;

  private static final long HEAP_SLACK = 128 << 20;
  private static final JarGateway.Held SLACK = new JarGateway.Held(64, 48, 64);
  private static final Duration SETTLING = Duration.ofMinutes(2);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> RULES =
      List.of("global", "llm_proxy", "llm_burst", "memory_read", "memory_write");

  private final LoadUpstream upstream;
  private final JarGateway gateway;
  private final int seconds;
  private final String only;
  private String key = "";
  private double normalMillis;
  private State before = new State(new JarGateway.Held(0, 0, 0), 0);
  private boolean broken;

  /**
   * What the gateway holds.
   *
   * @param heap bytes in use after a collection
   */
  private record State(JarGateway.Held held, long heap) {
    boolean isWithin(State before) {
      return held.threads() <= before.held.threads() + SLACK.threads()
          && held.connections() <= before.held.connections() + SLACK.connections()
          && held.descriptors() <= before.held.descriptors() + SLACK.descriptors()
          && heap <= before.heap + HEAP_SLACK;
    }
  }

  /** A load beside the slow callers; says what became of it. */
  private interface Load {
    Outcome run() throws Exception;
  }

  /** What became of a load; failed: neither served nor refused as overload is to be. */
  private record Outcome(long answered, long refused, long failed) {
    static final Outcome NOTHING = new Outcome(0, 0, 0);

    static Outcome of(PacedCalls calls) {
      return new Outcome(calls.answered(), calls.refused(), calls.failed());
    }
  }

  private OverloadFaults(LoadUpstream upstream, JarGateway gateway, int seconds, String only) {
    this.upstream = upstream;
    this.gateway = gateway;
    this.seconds = seconds;
    this.only = only;
  }

  public static void main(String[] args) throws Exception {
    LoadUpstream upstream = LoadUpstream.start(STREAM_SECONDS);
    JarGateway gateway =
        new JarGateway(
            args[0],
            "config.yml",
            List.of("-Xmx1g"),
            Path.of(args[1]),
            Map.of(
                "DATABASE_URL",
                args[2],
                "OPENAI_API_KEY",
                "faults",
                "OPENAI_BASE_URL",
                upstream.url() + "/v1"));
    try (OverloadFaults all =
        new OverloadFaults(upstream, gateway, Integer.parseInt(args[3]), args[5])) {
      gateway.start();
      gateway.awaitHealthy();
      all.key = all.issueKey("free", 2_000_000_000L);
      all.run(Integer.parseInt(args[4]));
      if (all.broken) {
        System.exit(1);
      }
    }
  }

  /** A key with one limit for all rules. */
  private String issueKey(String name, long limit) throws Exception {
    JsonNode issued = JSON.readTree(gateway.task("key-issue?project=overload&name=" + name));
    for (String rule : RULES) {
      gateway.task(
          "key-limits?limit=" + limit + "&rule=" + rule + "&id=" + issued.path("id").asText());
    }
    return issued.path("key").asText();
  }

  private void run(int soakMinutes) throws Exception {
    double capacity = capacity();
    System.out.printf(Locale.ROOT, "capacity: %.0f calls/s%n", capacity);
    PacedCalls half = new PacedCalls(gateway.url(), key, 32, capacity / 2, "half").start();
    PacedCalls normal = probes("normal").start();
    Thread.sleep(seconds * 1000L);
    normalMillis = normal.finish().percentile(0.5);
    half.finish();
    System.out.printf(Locale.ROOT, "p50 at half of it: %.1f ms%n", normalMillis);
    before = settled(new State(new JarGateway.Held(0, 0, 0), 0), 0);
    System.out.printf(
        Locale.ROOT,
        "%-22s %9s %8s %8s %7s %9s %9s %7s  %-13s %-13s %-13s %s%n",
        "load",
        "answered",
        "a second",
        "refused",
        "failed",
        "p50 ms",
        "p99 ms",
        "p50 ×",
        "heap MiB",
        "threads",
        "connections",
        "descriptors");
    row("none", () -> pause());
    String limited = issueKey("limited", (long) (capacity * 10));
    row("three-times", () -> paced(limited, 3 * capacity, "three"));
    String unlimited = issueKey("unlimited", 2_000_000_000L);
    row("three-times-no-limit", () -> paced(unlimited, 3 * capacity, "unlimited"));
    row("streams-" + STREAMS, () -> many(STREAMS, LoadUpstream.PACED, true, STREAM_SECONDS + 40));
    row("idle-" + IDLE, this::idle);
    row("slow-readers-" + SLOW, this::slowReaders);
    row("slow-writers-" + SLOW, this::slowWriters);
    row("answers-of-50-MB", () -> many(LARGE, LoadUpstream.LARGE, false, 120));
    if (soakMinutes > 0) {
      row("soak-" + soakMinutes + "-min", () -> soak(soakMinutes, capacity / 3));
    }
  }

  private PacedCalls probes(String name) {
    return new PacedCalls(gateway.url(), key, 4, PROBES_A_SECOND, "probe-" + name);
  }

  /** Calls a second of callers who do not wait, once the JVM has compiled most of it. */
  private double capacity() throws Exception {
    double last = 0;
    double now = 0;
    for (int round = 0; round < WARM_UP_ROUNDS || now > 1.1 * last; round++) {
      last = now;
      long begun = System.nanoTime();
      Outcome calls = calls(32, key, 0, "capacity-" + round);
      now = calls.answered / ((System.nanoTime() - begun) / 1e9);
    }
    return now;
  }

  private Outcome pause() throws InterruptedException {
    Thread.sleep(seconds * 1000L);
    return Outcome.NOTHING;
  }

  private Outcome paced(String withKey, double perSecond, String name) throws Exception {
    return calls(256, withKey, perSecond, name);
  }

  /**
   * Calls of another process, which leaves the processors to the gateway and its database: in life
   * callers have their own.
   */
  private Outcome calls(int callers, String withKey, double perSecond, String name)
      throws Exception {
    Process process =
        new ProcessBuilder(
                "nice",
                "-n",
                "15",
                ProcessHandle.current().info().command().orElse("java"),
                "-Xss512k",
                "-cp",
                System.getProperty("java.class.path"),
                PacedCalls.class.getName(),
                gateway.url(),
                withKey,
                String.valueOf(callers),
                String.valueOf(perSecond),
                name)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      Thread.sleep(seconds * 1000L);
      process.getOutputStream().close();
      String[] counts =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
              .strip()
              .split(" ", -1);
      return new Outcome(
          Long.parseLong(counts[0]), Long.parseLong(counts[1]), Long.parseLong(counts[2]));
    } finally {
      process.destroy();
    }
  }

  private byte[] request(String model, boolean stream, int padding) {
    String body =
        "{\"model\":\""
            + model
            + "\",\"stream\":"
            + stream
            + ",\"messages\":[{\"role\":\"user\",\"content\":\"Hello"
            + ".".repeat(padding)
            + "\"}]}";
    return ("POST /v1/chat/completions HTTP/1.1\r\nHost: load\r\nContent-Type: application/json\r\n"
            + "Authorization: Bearer "
            + key
            + "\r\nContent-Length: "
            + body.length()
            + "\r\n\r\n"
            + body)
        .getBytes(StandardCharsets.US_ASCII);
  }

  private Outcome many(int count, String model, boolean stream, int atMost) throws Exception {
    try (ManyConnections all =
        ManyConnections.open(count, gateway.port(), request(model, stream, 0), 1 << 20, 1 << 30)) {
      all.run(atMost);
      ManyConnections.Outcomes found = all.outcomes();
      return new Outcome(
          found.answered(), found.refused(), found.timedOut() + found.cut() + found.other());
    }
  }

  private Outcome idle() throws Exception {
    try (ManyConnections all =
        ManyConnections.open(IDLE, gateway.port(), new byte[0], 1, 1 << 20)) {
      all.run(seconds);
      return new Outcome(all.open(), 0, IDLE - all.open());
    }
  }

  /** Of answers of 50 MB at 4 KiB/s, who leave before the end. */
  private Outcome slowReaders() throws Exception {
    try (ManyConnections all =
        ManyConnections.open(
            SLOW, gateway.port(), request(LoadUpstream.LARGE, false, 0), 1 << 20, 4 << 10)) {
      all.run(seconds);
      ManyConnections.Outcomes found = all.outcomes();
      return new Outcome(found.answered() + found.cut(), found.refused(), found.other());
    }
  }

  /** Of 1 MB at 1 KiB/s: they are given up with 408. */
  private Outcome slowWriters() throws Exception {
    try (ManyConnections all =
        ManyConnections.open(
            SLOW, gateway.port(), request(LoadUpstream.SHORT, false, 1 << 20), 1 << 10, 1 << 20)) {
      all.run(60);
      ManyConnections.Outcomes found = all.outcomes();
      return new Outcome(
          found.answered(), found.timedOut() + found.refused(), found.cut() + found.other());
    }
  }

  /**
   * A third of what it can carry; what it holds at the end is what it held after the first part.
   */
  private Outcome soak(int minutes, double perSecond) throws Exception {
    PacedCalls calls = new PacedCalls(gateway.url(), key, 64, perSecond, "soak").start();
    State first = new State(new JarGateway.Held(0, 0, 0), 0);
    State last = first;
    long begun = System.nanoTime();
    for (int minute = 1; minute <= minutes; minute++) {
      try (ManyConnections streams =
          ManyConnections.open(
              50, gateway.port(), request(LoadUpstream.PACED, true, 0), 1 << 20, 1 << 20)) {
        streams.run(60);
      }
      Thread.sleep(
          Math.max(0, minute * 60_000L - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun)));
      last = state();
      first = minute <= Math.max(1, minutes / 4) ? last : first;
      System.out.println("  minute " + minute + ": " + last);
    }
    broken |= !last.isWithin(first);
    return Outcome.of(calls.finish());
  }

  private void row(String name, Load load) throws Exception {
    if (!name.startsWith(only)) {
      return;
    }
    long begun = System.nanoTime();
    PacedCalls probes = probes(name).start();
    Outcome outcome = load.run();
    probes.finish();
    double loaded = (System.nanoTime() - begun) / 1e9;
    long answered = outcome.answered + probes.answered();
    State after = settled(before, SETTLING.toNanos());
    double times = probes.percentile(0.5) / normalMillis;
    boolean slow = times > SLOWER && probes.percentile(0.5) > UNFELT_MILLIS;
    boolean wrong = slow || outcome.failed + probes.failed() > 0 || !after.isWithin(before);
    System.out.printf(
        Locale.ROOT,
        "%-22s %9d %8.0f %8d %7d %9.1f %9.1f %7.1f  %5d → %-5d %5d → %-5d %5d → %-5d %5d → %d%s%n",
        name,
        answered,
        answered / loaded,
        outcome.refused + probes.refused(),
        outcome.failed + probes.failed(),
        probes.percentile(0.5),
        probes.percentile(0.99),
        times,
        before.heap >> 20,
        after.heap >> 20,
        before.held.threads(),
        after.held.threads(),
        before.held.connections(),
        after.held.connections(),
        before.held.descriptors(),
        after.held.descriptors(),
        wrong ? "  BROKEN" : "");
    broken |= wrong;
  }

  private State state() throws Exception {
    long heap = JSON.readTree(gateway.task("gc")).path("heapBytesInUse").asLong();
    return new State(gateway.held(), heap);
  }

  /** What is held once it is what was held before, or as long after the load as it may take. */
  private State settled(State wanted, long nanos) throws Exception {
    State now = state();
    for (long end = System.nanoTime() + nanos;
        !now.isWithin(wanted) && System.nanoTime() < end;
        now = state()) {
      Thread.sleep(2000);
    }
    return now;
  }

  @Override
  public void close() {
    gateway.close();
    upstream.close();
  }
}
