package io.memorygateway.faults;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.NetworkLink;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Two gateways on one database under a mixed load, while the network between them, to their
 * upstream and to their clients fails in one way after the other; then looks whether a promise was
 * broken, an answer took longer than its timeout, or something is still held that the fault made.
 * Started by {@code ops/faults/network}.
 *
 * <p>Arguments: the gateway's jar, a folder for logs, seconds of each fault, the JDBC URL of a
 * database, and which faults: all, if none is named.
 */
final class NetworkFaults implements AutoCloseable {
  private static final int CLIENTS = 8;
  private static final int WINDOW_SECONDS = 2;
  private static final int WINDOW_LIMIT = 40;
  private static final int UPSTREAM_SECONDS = 3;
  private static final Duration TIMEOUT = Duration.ofSeconds(40);

  /** Of clients whose own connection is at fault. */
  private static final Duration SHORT_PATIENCE = Duration.ofSeconds(5);

  /** The database is waited for, and a new connection to it. */
  private static final double DATABASE_SECONDS = 12;

  /** The first byte of an answer is waited for, and then the next one. */
  private static final double PROVIDER_SECONDS = 2 * UPSTREAM_SECONDS;

  /** Of a machine that has other work. */
  private static final double SLACK_SECONDS = 3;

  /** Pools grow and shrink, and so do the threads of the JVM itself. */
  private static final JarGateway.Held SLACK = new JarGateway.Held(24, 12, 24);

  private static final long SERVER_SLACK = 12;
  private static final Duration SETTLING = Duration.ofSeconds(90);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  private final List<JarGateway> gateways = new ArrayList<>();
  private final List<NetworkLink> toDatabase = new ArrayList<>();
  private final List<NetworkLink> toUpstream = new ArrayList<>();
  private final List<NetworkLink> toGateways = new ArrayList<>();
  private final FakeUpstream upstream = FakeUpstream.start().answer(AcknowledgedWrites::echo);
  private final Connection server;
  private String writersKey = "";
  private String readersKey = "";
  private boolean broken;

  private NetworkFaults(Connection server) {
    this.server = server;
  }

  public static void main(String[] args) throws Exception {
    String url = args[3];
    List<NetworkFault> faults =
        args.length == 4
            ? List.of(NetworkFault.values())
            : List.of(args).subList(4, args.length).stream()
                .map(name -> NetworkFault.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_')))
                .toList();
    try (Connection server = DriverManager.getConnection(url, user(), password());
        NetworkFaults all = new NetworkFaults(server)) {
      all.start(args[0], Path.of(args[1]), url);
      all.run(faults, Integer.parseInt(args[2]));
      if (all.broken) {
        System.exit(1);
      }
    }
  }

  private static String user() {
    return System.getenv().getOrDefault("DATABASE_USER", "root");
  }

  private static String password() {
    return System.getenv().getOrDefault("DATABASE_PASSWORD", "");
  }

  private void start(String jar, Path folder, String url) throws Exception {
    URI address = URI.create(url.substring("jdbc:".length()));
    toUpstream.add(NetworkLink.to(upstream.port()));
    Path config = folder.resolve("network.yml");
    YAML.writeValue(config.toFile(), configuration());
    for (int i = 0; i < 2; i++) {
      NetworkLink link = NetworkLink.to(address.getPort());
      toDatabase.add(link);
      gateways.add(
          new JarGateway(
              jar,
              config.toString(),
              JarGateway.SMALL,
              folder,
              Map.of(
                  "DATABASE_URL",
                  url.replace(":" + address.getPort() + "/", ":" + link.port() + "/"),
                  "OPENAI_API_KEY",
                  "faults",
                  "OPENAI_BASE_URL",
                  "http://127.0.0.1:" + toUpstream.get(0).port() + "/v1")));
    }
    for (JarGateway gateway : gateways) {
      gateway.start();
    }
    for (JarGateway gateway : gateways) {
      gateway.awaitHealthy();
      toGateways.add(NetworkLink.to(gateway.port()));
    }
    JsonNode writers = JSON.readTree(gateways.get(0).task("key-issue?project=network&name=w"));
    writersKey = writers.path("key").asText();
    for (String rule : List.of("global", "llm_proxy", "llm_burst", "memory_read", "memory_write")) {
      gateways
          .get(0)
          .task("key-limits?limit=1000000&rule=" + rule + "&id=" + writers.path("id").asText());
    }
    readersKey =
        JSON.readTree(gateways.get(0).task("key-issue?project=network&name=r"))
            .path("key")
            .asText();
  }

  /** The shipped one, but for what is measured here. */
  private static ObjectNode configuration() throws Exception {
    ObjectNode config = (ObjectNode) YAML.readTree(new File("config.yml"));
    ObjectNode limits = config.withObject("/rateLimits");
    // Otherwise a gateway without its database counts alone, as it should.
    limits.put("onStorageFailure", "deny");
    limits
        .withObject("/rules/memory_read")
        .put("limit", WINDOW_LIMIT)
        .put("window", WINDOW_SECONDS + "s");
    config
        .withObject("/observation")
        .put("model", "openai/" + AcknowledgedWrites.OBSERVER)
        .put("messageTokens", 100)
        .put("minShare", 1);
    config
        .withObject("/providers/openai")
        .put("connectTimeout", UPSTREAM_SECONDS + "s")
        .put("firstByteTimeout", UPSTREAM_SECONDS + "s")
        .put("idleTimeout", UPSTREAM_SECONDS + "s");
    // Connections of clients that have vanished are held for so long.
    ((ObjectNode) config.at("/server/applicationConnectors/0")).put("idleTimeout", "10 seconds");
    return config;
  }

  private void run(List<NetworkFault> faults, int seconds) throws Exception {
    System.out.printf("database connections: %s%n", isEncrypted() ? "TLS" : "not encrypted");
    // Threads are made, classes loaded and pools filled: what is held before is that of a node at
    // work.
    Row warm = row(NetworkFault.NONE, "warm-", seconds);
    Held before = held();
    System.out.println(HEAD);
    for (NetworkFault fault : faults) {
      Row row = row(fault, fault.name().toLowerCase(Locale.ROOT) + "-", seconds);
      Held after = settled(before);
      System.out.println(row.line(before, after));
      broken |= row.isBroken() || !after.isWithin(before);
    }
    broken |= warm.isBroken();
  }

  private static final String HEAD =
      "fault                   writes refused lost doubled disorder twice/seen over/full  most"
          + " longest/limit  threads    connections descriptors database";

  /** What the gateways hold, and the database for them. */
  private record Held(JarGateway.Held gateways, long server) {
    boolean isWithin(Held before) {
      return gateways.threads() <= before.gateways.threads() + SLACK.threads()
          && gateways.connections() <= before.gateways.connections() + SLACK.connections()
          && gateways.descriptors() <= before.gateways.descriptors() + SLACK.descriptors()
          && server <= before.server + SERVER_SLACK;
    }
  }

  private record Row(
      NetworkFault fault,
      AcknowledgedWrites.Findings found,
      AcknowledgedWrites writes,
      AdmittedReads reads) {
    double longest() {
      return Math.max(writes.times().longestSeconds(), reads.longestCallSeconds());
    }

    /** 0 where clients themselves are cut off. */
    double limit() {
      return switch (fault.place()) {
        case DATABASE -> DATABASE_SECONDS;
        case UPSTREAM -> PROVIDER_SECONDS;
        case CLIENTS -> 0;
      };
    }

    boolean isBroken() {
      return found.faults() > 0
          || found.writes() == 0
          || reads.over(WINDOW_LIMIT) > 0
          || (limit() > 0 && longest() > limit() + SLACK_SECONDS);
    }

    String line(Held before, Held after) {
      return String.format(
          Locale.ROOT,
          "%-23s %6d %7d %4d %7d %8d %5d/%-4d %4d/%-4d %4d %7.1f/%-5.0f  %4d → %-4d %4d → %-4d %4d → %-4d %3d → %d%s",
          fault.name().toLowerCase(Locale.ROOT).replace('_', '-'),
          found.writes(),
          writes.refusals(),
          found.lost(),
          found.doubled(),
          found.disordered(),
          found.observedTwice(),
          found.observed(),
          reads.over(WINDOW_LIMIT),
          reads.full(),
          reads.most(),
          longest(),
          limit(),
          before.gateways.threads(),
          after.gateways.threads(),
          before.gateways.connections(),
          after.gateways.connections(),
          before.gateways.descriptors(),
          after.gateways.descriptors(),
          before.server,
          after.server,
          isBroken() || !after.isWithin(before) ? "  BROKEN" : "");
    }
  }

  private Row row(NetworkFault fault, String name, int seconds) throws Exception {
    List<NetworkLink> links =
        switch (fault.place()) {
          case DATABASE -> toDatabase;
          case UPSTREAM -> toUpstream;
          case CLIENTS -> toGateways;
        };
    Duration timeout = fault.place() == NetworkFault.Place.CLIENTS ? SHORT_PATIENCE : TIMEOUT;
    List<String> addresses =
        toGateways.stream().map(link -> "http://127.0.0.1:" + link.port()).toList();
    AcknowledgedWrites writes =
        new AcknowledgedWrites(addresses, writersKey, name, CLIENTS, timeout);
    AdmittedReads reads =
        new AdmittedReads(addresses, readersKey, Duration.ofSeconds(WINDOW_SECONDS), timeout);
    writes.createThreads();
    writes.start(0);
    reads.start();
    for (int tick = 0; tick < seconds * 1000 / NetworkFault.TICK_MILLIS; tick++) {
      fault.tick(links, tick);
      Thread.sleep(NetworkFault.TICK_MILLIS);
    }
    links.forEach(NetworkLink::heal);
    writes.finish();
    reads.finish();
    for (JarGateway gateway : gateways) {
      if (!gateway.isAlive()) {
        throw new IllegalStateException("a gateway has ended");
      }
      gateway.awaitHealthy();
    }
    return new Row(fault, writes.check(gateways.get(1).url()), writes, reads);
  }

  /** What is held once it is what was held before, or as long after the fault as it may take. */
  private Held settled(Held before) throws Exception {
    Held now = held();
    for (long end = System.nanoTime() + SETTLING.toNanos();
        !now.isWithin(before) && System.nanoTime() < end;
        now = held()) {
      Thread.sleep(1000);
    }
    return now;
  }

  private Held held() throws Exception {
    JarGateway.Held sum = new JarGateway.Held(0, 0, 0);
    for (JarGateway gateway : gateways) {
      sum = JarGateway.Held.sum(sum, gateway.held());
    }
    return new Held(sum, Long.parseLong(status("Threads_connected")));
  }

  private String status(String name) throws Exception {
    try (Statement statement = server.createStatement();
        ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE '" + name + "'")) {
      row.next();
      return row.getString(2);
    }
  }

  private boolean isEncrypted() throws Exception {
    try (Statement statement = server.createStatement();
        ResultSet row = statement.executeQuery("SHOW STATUS LIKE 'Ssl_cipher'")) {
      return row.next() && !row.getString(2).isEmpty();
    }
  }

  @Override
  public void close() throws IOException {
    for (JarGateway gateway : gateways) {
      gateway.close();
    }
    for (List<NetworkLink> links : List.of(toDatabase, toUpstream, toGateways)) {
      for (NetworkLink link : links) {
        link.close();
      }
    }
    upstream.close();
  }
}
