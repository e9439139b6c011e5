package io.memorygateway.faults;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Three gateways on one database, 96 clients with one key, and a budget that all of them try to
 * overrun, while a gateway is killed with -9 again and again. Started by {@code
 * ops/faults/budgets}.
 *
 * <p>Arguments: the gateway's jar, a folder for logs, the database's URL, tokens or usd, seconds of
 * load with kills.
 */
final class BudgetFaults {
  private static final int CLIENTS = 96;
  private static final int NODES = 3;
  private static final long KILL_EVERY_SECONDS = 10;

  /**
   * From the end of the kills until the budget is used up and the dead nodes' calls are settled.
   */
  private static final long REST_SECONDS = 130;

  private static final double USABLE = 0.95;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final List<JarGateway> nodes = new ArrayList<>();
  private final Map<String, LongAdder> outcomes = new ConcurrentSkipListMap<>();
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(2))
          .build();
  private final boolean isMoney;
  private final String database;
  private final long amount;
  private volatile boolean ends;
  private volatile long most;
  private final AtomicLong samples = new AtomicLong();
  private String key = "";

  private BudgetFaults(String database, boolean isMoney) {
    this.database = database;
    this.isMoney = isMoney;
    this.amount = isMoney ? 15_000_000_000_000L : 1_000_000;
  }

  public static void main(String[] args) throws Exception {
    BudgetFaults faults = new BudgetFaults(args[2], args[3].equals("usd"));
    boolean good;
    try (BudgetUpstream upstream = BudgetUpstream.start()) {
      good = faults.run(args[0], Path.of(args[1]), upstream, Integer.parseInt(args[4]));
    } finally {
      faults.nodes.forEach(JarGateway::close);
    }
    System.exit(good ? 0 : 1);
  }

  private boolean run(String jar, Path work, BudgetUpstream upstream, int seconds)
      throws Exception {
    Path config = work.resolve("config.yml");
    new ObjectMapper(new YAMLFactory()).writeValue(config.toFile(), config(upstream));
    for (int i = 0; i < NODES; i++) {
      nodes.add(
          new JarGateway(
              jar,
              config.toString(),
              JarGateway.SMALL,
              work,
              Map.of(
                  "DATABASE_URL", database,
                  "DATABASE_USER", System.getenv("DATABASE_USER"),
                  "DATABASE_PASSWORD", System.getenv("DATABASE_PASSWORD"))));
      nodes.get(i).start();
    }
    for (JarGateway node : nodes) {
      node.awaitHealthy();
    }
    JsonNode issued = JSON.readTree(nodes.get(0).task("key-issue?project=faults&name=budgets"));
    key = issued.path("key").asText();
    String set =
        nodes
            .get(0)
            .task(
                "key-budget?id=%s&name=b&unit=%s&limit=%s&window=total"
                    .formatted(
                        issued.path("id").asText(),
                        isMoney ? "usd" : "tokens",
                        isMoney ? "15" : "1000000"));
    // Other nodes follow within five seconds: until then, calls there are not covered.
    TimeUnit.SECONDS.sleep(6);
    long began = System.nanoTime();
    Thread sampler = new Thread(this::sample);
    sampler.start();
    List<Thread> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      Random random = new Random(i);
      clients.add(new Thread(() -> talk(random)));
    }
    clients.forEach(Thread::start);
    int kills = kill(new Random(1), seconds);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(REST_SECONDS);
    while (System.nanoTime() < end && read("settled") < USABLE * amount) {
      TimeUnit.MILLISECONDS.sleep(200);
    }
    ends = true;
    for (Thread client : clients) {
      client.join();
    }
    while (System.nanoTime() < end && number("SELECT COUNT(*) FROM budget_calls") > 0) {
      TimeUnit.MILLISECONDS.sleep(200);
    }
    sampler.join();
    System.out.printf(
        Locale.ROOT,
        "%d kills in %d s; %s; set: %s%n",
        kills,
        TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began),
        outcomes,
        set.isBlank() ? "nothing" : "done");
    return check();
  }

  private ObjectNode config(BudgetUpstream upstream) throws IOException {
    ObjectNode config =
        (ObjectNode) new ObjectMapper(new YAMLFactory()).readTree(new File("config.yml"));
    ObjectNode provider = config.withObject("/providers").putObject("only-chat");
    provider.put("baseUrl", upstream.url() + "/v1").put("needsKey", false);
    provider.putArray("endpoints").add("chat");
    provider.putArray("translate").add("messages").add("responses");
    for (String rule : List.of("global", "llm_proxy", "llm_burst")) {
      config.withObject("/rateLimits/rules/" + rule).put("limit", 100_000_000);
    }
    ObjectNode price = config.withObject("/prices").putObject("only-chat/m");
    price.put("input", 3).put("output", 15).put("cacheRead", 0.3).put("reasoning", 20);
    price
        .putArray("tiers")
        .addObject()
        .put("above", BudgetUpstream.TIER)
        .put("input", 6)
        .put("output", 30)
        .put("reasoning", 40);
    config.withObject("/budgets").put("assumedOutput", 1000);
    return config;
  }

  private int kill(Random random, int seconds) throws Exception {
    int kills = 0;
    for (long from = System.nanoTime();
        System.nanoTime() - from < TimeUnit.SECONDS.toNanos(seconds);
        kills++) {
      TimeUnit.SECONDS.sleep(KILL_EVERY_SECONDS);
      JarGateway node = nodes.get(random.nextInt(NODES));
      node.kill();
      node.start();
    }
    return kills;
  }

  /** Looks, as often as the database lets it, for more than the limit. */
  private void sample() {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      while (!ends || holds(statement) > 0) {
        most = Math.max(most, number(statement, "SELECT SUM(settled + held) FROM budget_windows"));
        samples.incrementAndGet();
        if (ends && nodes.stream().noneMatch(JarGateway::isAlive)) {
          return;
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long holds(Statement statement) throws SQLException {
    return number(statement, "SELECT COUNT(*) FROM budget_holds");
  }

  private void talk(Random random) {
    while (!ends) {
      boolean isRefused = false;
      try {
        isRefused = call(random) == 402;
      } catch (IOException | ExecutionException e) {
        count("broken off");
        isRefused = true; // the node is down
      } catch (InterruptedException e) {
        return;
      }
      try {
        TimeUnit.MILLISECONDS.sleep(isRefused ? 100 + random.nextInt(400) : 0);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Makes a call; a fifth of the callers leave before its end. Returns 0 for them. */
  private int call(Random random) throws IOException, ExecutionException, InterruptedException {
    // As many of ten tokens as of thousands.
    long size = Math.round(10 * Math.pow(5000, random.nextDouble()));
    boolean stream = random.nextBoolean();
    int format = random.nextInt(3);
    String limit = List.of("max_tokens", "max_tokens", "max_output_tokens").get(format);
    boolean isLimited = format == 1 || random.nextInt(8) > 0;
    String text = random.nextBoolean() ? "Go on." : "Go on, and on. ".repeat(30);
    String body =
        "{\"model\":\"only-chat/m\",\"stream\":%s%s,\"%s\":[{\"role\":\"user\",\"content\":\"%s\"}]}"
            .formatted(
                stream,
                isLimited ? ",\"%s\":%d".formatted(limit, Math.max(16, size)) : "",
                format == 2 ? "input" : "messages",
                text);
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(
                    nodes.get(random.nextInt(NODES)).url()
                        + List.of("/v1/chat/completions", "/v1/messages", "/v1/responses")
                            .get(format)))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .timeout(Duration.ofSeconds(60))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    CompletableFuture<HttpResponse<String>> answer =
        http.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    if (random.nextInt(5) == 0) {
      try {
        count(answer.get(100 + random.nextInt(3000), TimeUnit.MILLISECONDS));
      } catch (TimeoutException e) {
        answer.cancel(true);
        count("left");
      }
      return 0;
    }
    return count(answer.get());
  }

  private int count(HttpResponse<String> answer) {
    boolean isCut =
        answer.body().contains("\"length\"")
            || answer.body().contains("\"max_tokens\"")
            || answer.body().contains("response.incomplete");
    count(answer.statusCode() + (isCut ? " ended at its length" : ""));
    return answer.statusCode();
  }

  private void count(String outcome) {
    outcomes.computeIfAbsent(outcome, name -> new LongAdder()).increment();
  }

  private boolean check() throws SQLException {
    Map<String, Boolean> promises = new TreeMap<>();
    long settled = read("settled");
    long log =
        number(
            isMoney
                ? "SELECT SUM(cost) FROM request_log"
                : "SELECT SUM(COALESCE(input_tokens, 0) + COALESCE(output_tokens, 0)) FROM request_log");
    long presumed = number("SELECT COUNT(*) FROM request_log WHERE counted = 'presumed'");
    System.out.printf(
        Locale.ROOT,
        "limit %d, settled %d (%.2f %%), log %d, most settled + held %d in %d samples, %d presumed%n",
        amount,
        settled,
        100.0 * settled / amount,
        log,
        most,
        samples.get(),
        presumed);
    promises.put("settled and held never above the limit", most <= amount && settled <= amount);
    promises.put("at least 95 % usable", settled >= USABLE * amount);
    promises.put("the log's sum is what is settled", log == settled);
    promises.put("nothing is held in the end", read("held") == 0 && read("reserved") == 0);
    promises.put(
        "no call is left",
        number("SELECT (SELECT COUNT(*) FROM budget_calls) + (SELECT COUNT(*) FROM budget_holds)")
            == 0);
    promises.put("samples were taken", samples.get() > 100);
    promises.forEach(
        (promise, kept) -> System.out.println((kept ? "kept:   " : "FAULT:  ") + promise));
    return !promises.containsValue(false);
  }

  private long read(String column) throws SQLException {
    return number("SELECT SUM(" + column + ") FROM budget_windows");
  }

  private long number(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      return number(statement, sql);
    }
  }

  private static long number(Statement statement, String sql) throws SQLException {
    try (ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(
        database, System.getenv("DATABASE_USER"), System.getenv("DATABASE_PASSWORD"));
  }
}
