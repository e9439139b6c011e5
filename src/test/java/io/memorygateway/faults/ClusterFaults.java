package io.memorygateway.faults;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RecordedRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Three gateways on a cluster of the database, under a mixed load, while database nodes and
 * gateways are killed with -9 in turn; then looks at what is remembered: see {@link
 * AcknowledgedWrites}. Started by {@code ops/faults/cluster}.
 *
 * <p>Arguments: the gateway's jar, a command that kills and starts database nodes ({@code kill N},
 * {@code start N}), seconds of load, seconds between two kills of a database node (0: none), the
 * same for gateways, a JDBC URL for each gateway. {@code CLUSTER_HOMES} are the homes of the
 * projects that are written to, one each; {@code CLUSTER_DURING} is what else to tell the command,
 * each as {@code WORD:N} and with the seconds of load after it, and {@code CLUSTER_AWAY} the home
 * that may refuse meanwhile.
 */
final class ClusterFaults {
  private static final int CLIENTS = Integer.parseInt(setting("CLIENTS", "12"));

  /** What a client waits between two writes. */
  private static final int PAUSE_MILLIS = Integer.parseInt(setting("PAUSE", "0"));

  private static final double ANSWER_SECONDS = Integer.parseInt(setting("ANSWER", "0")) / 1000.0;

  private static final Duration TIMEOUT = Duration.ofSeconds(40);

  private final String nodes;
  private final Path logs = Path.of(System.getenv("CLUSTER_LOGS"));
  private final List<JarGateway> gateways = new ArrayList<>();
  private volatile boolean over;

  private ClusterFaults(String nodes) {
    this.nodes = nodes;
  }

  private static String setting(String name, String otherwise) {
    return System.getenv().getOrDefault("CLUSTER_" + name, otherwise);
  }

  public static void main(String[] args) throws Exception {
    ClusterFaults faults = new ClusterFaults(args[1]);
    try (FakeUpstream upstream = FakeUpstream.start().answer(ClusterFaults::echo)) {
      for (String url : List.of(args).subList(5, args.length)) {
        Map<String, String> environment =
            Map.of(
                "DATABASE_URL",
                url,
                "OPENAI_API_KEY",
                "faults",
                "OPENAI_BASE_URL",
                upstream.url() + "/v1");
        faults.gateways.add(
            new JarGateway(args[0], "config.yml", JarGateway.SMALL, faults.logs, environment));
      }
      faults.run(Integer.parseInt(args[2]), Integer.parseInt(args[3]), Integer.parseInt(args[4]));
    } finally {
      for (JarGateway gateway : faults.gateways) {
        gateway.close();
      }
    }
  }

  private static Answer echo(RecordedRequest request) {
    return exchange -> {
      waitedAtLeast(ANSWER_SECONDS);
      AcknowledgedWrites.echo(request).write(exchange);
    };
  }

  private void run(int seconds, int nodeEvery, int gatewayEvery) throws Exception {
    for (JarGateway gateway : gateways) {
      gateway.start();
    }
    for (JarGateway gateway : gateways) {
      gateway.awaitHealthy();
    }
    List<String> urls = gateways.stream().map(JarGateway::url).toList();
    String[] homes = setting("HOMES", "0").split(" ", -1);
    List<AcknowledgedWrites> projects = new ArrayList<>();
    for (String home : homes) {
      AcknowledgedWrites writes =
          new AcknowledgedWrites(
              urls, issueKey(home, projects.size()), "", CLIENTS / homes.length, TIMEOUT);
      writes.createThreads();
      projects.add(writes);
    }
    Thread nodeKiller = new Thread(() -> killNodes(nodeEvery), "node-killer");
    Thread gatewayKiller = new Thread(() -> killGateways(gatewayEvery), "gateway-killer");
    projects.forEach(project -> project.start(PAUSE_MILLIS));
    long begun = System.nanoTime();
    nodeKiller.start();
    gatewayKiller.start();
    String[] during = setting("DURING", "").split(" ", -1);
    long[] times = new long[during.length + 1];
    boolean good = true;
    for (int i = 0; i < during.length; i++) {
      times[i] = System.nanoTime();
      String[] words = during[i].split(":", -1);
      good &= words.length < 2 || node(words[0], words[1]);
      Thread.sleep(Duration.ofSeconds(seconds).toMillis());
    }
    over = true;
    times[during.length] = System.nanoTime();
    nodeKiller.join();
    gatewayKiller.join();
    double took = (System.nanoTime() - begun) / 1e9;
    for (AcknowledgedWrites writes : projects) {
      writes.finish();
    }
    for (JarGateway gateway : gateways) {
      gateway.awaitHealthy();
    }
    for (int i = 0; i < homes.length; i++) {
      AcknowledgedWrites writes = projects.get(i);
      good &= tell(writes, took);
      for (int phase = 0; phase < during.length; phase++) {
        System.out.printf(
            "home=%s %s %s%n",
            homes[i], during[phase], writes.times().between(times[phase], times[phase + 1]));
      }
      if (writes.refusals() > 0 && !setting("AWAY", homes[i]).equals(homes[i])) {
        System.out.println("FAULT: refused, though its shard was there");
        good = false;
      }
    }
    if (!good) {
      System.exit(1);
    }
  }

  /** Prints what became of a project's writes; whether all is as it should be. */
  private boolean tell(AcknowledgedWrites writes, double seconds) throws Exception {
    AcknowledgedWrites.Findings found = writes.check(gateways.get(0).url());
    System.out.printf(
        "writes=%d in %.0fs refusals=%d longest_errors=%.1fs longest_call=%.1fs faults=%d%n",
        found.writes(),
        seconds,
        writes.refusals(),
        writes.longestErrorsSeconds(),
        writes.times().longestSeconds(),
        found.faults());
    writes.longestErrors().forEach((answer, times) -> System.out.println(times + " x " + answer));
    return found.faults() == 0 && found.writes() > 0;
  }

  /** A key without limits to speak of, of a new project. */
  private String issueKey(String home, int number) throws Exception {
    String project = "project=cluster" + number;
    gateways.get(0).task("project-create?" + project + "&home=" + home);
    JsonNode issued =
        new ObjectMapper().readTree(gateways.get(0).task("key-issue?name=faults&" + project));
    for (String rule : List.of("global", "llm_proxy", "llm_burst", "memory_read", "memory_write")) {
      gateways
          .get(0)
          .task("key-limits?limit=1000000&rule=" + rule + "&id=" + issued.path("id").asText());
    }
    return issued.path("key").asText();
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

  private boolean node(String action, String node) {
    try {
      Process process =
          new ProcessBuilder(nodes, action, node)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(logs.resolve("nodes.log").toFile()))
              .start();
      if (process.waitFor() == 0) {
        return true;
      }
      System.out.println("FAULT: the database node " + node + " could not be told to " + action);
      return false;
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void killGateways(int every) {
    Random random = new Random(2);
    try {
      while (every > 0 && waited(every)) {
        JarGateway gateway = gateways.get(random.nextInt(gateways.size()));
        gateway.kill();
        gateway.start();
        gateway.awaitHealthy();
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
}
