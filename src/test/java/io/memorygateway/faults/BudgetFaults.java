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
 * overrun, beside 32 clients whose calls come so fast that the gateways hold ahead for them of a
 * budget that is a hundred times as large; while a gateway is killed with -9 again and again.
 * Started by {@code ops/faults/budgets}.
 *
 * <p>Arguments: the gateway's jar, a folder for logs, the database's URL, tokens or usd, seconds of
 * load with kills.
 */
final class BudgetFaults {
  private static final int CLIENTS = 96;
  private static final int FAST_CLIENTS = 32;
  private static final int NODES = 3;
  private static final long KILL_EVERY_SECONDS = 10;
  private static final long TURN_SECONDS = 5;

  /**
   * From the end of the kills until the budget is used up and the dead nodes' calls are settled.
   */
  private static final long REST_SECONDS = 130;

  private static final double USABLE = 0.95;
  private static final long PICO_DOLLARS = 1_000_000_000_000L;
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String AHEAD =
      "SELECT COUNT(*) FROM budget_calls WHERE request_id = 'ahead'";

  private final List<JarGateway> nodes = new ArrayList<>();
  private final Map<String, LongAdder> outcomes = new ConcurrentSkipListMap<>();
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(2))
          .build();
  private final boolean isMoney;
  private final String database;
  private final List<Spent> budgets = new ArrayList<>();
  private volatile boolean ends;
  private final AtomicLong samples = new AtomicLong();

  /** The most amounts that were held ahead at a time. */
  private volatile long ahead;

  private BudgetFaults(String database, boolean isMoney) {
    this.database = database;
    this.isMoney = isMoney;
  }

  /** A key and its budget. */
  private static final class Spent {
    private final String key;

    /** In the database. */
    private final long keyId;

    private final String model;
    private final long limit;

    /** The most that was seen settled and held. */
    private volatile long most;

    private Spent(String key, long keyId, String model, long limit) {
      this.key = key;
      this.keyId = keyId;
      this.model = model;
      this.limit = limit;
    }
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
    budgets.add(issue("only-chat/m", isMoney ? 15 : 1_000_000));
    budgets.add(issue("only-chat/fast", isMoney ? 1500 : 100_000_000));
    // Other nodes follow within five seconds: until then, calls there are not covered.
    TimeUnit.SECONDS.sleep(6);
    long began = System.nanoTime();
    Thread sampler = new Thread(this::sample);
    sampler.start();
    List<Thread> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS + FAST_CLIENTS; i++) {
      Random random = new Random(i);
      Spent budget = budgets.get(i < CLIENTS ? 0 : 1);
      clients.add(new Thread(() -> talk(random, budget)));
    }
    clients.forEach(Thread::start);
    int kills = kill(new Random(1), seconds);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(REST_SECONDS);
    while (System.nanoTime() < end
        && read("settled", budgets.get(0)) < USABLE * budgets.get(0).limit) {
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
        "%d kills in %d s; %s; up to %d amounts held ahead%n",
        kills,
        TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began),
        outcomes,
        ahead);
    return check();
  }

  /** A key with a budget of so many tokens or dollars. */
  private Spent issue(String model, long limit) throws Exception {
    JsonNode issued = JSON.readTree(nodes.get(0).task("key-issue?project=faults&name=budgets"));
    String id = issued.path("id").asText();
    String unused =
        nodes
            .get(0)
            .task(
                "key-budget?id=%s&name=b&unit=%s&limit=%d&window=total"
                    .formatted(id, isMoney ? "usd" : "tokens", limit));
    long keyId = number("SELECT id FROM api_keys WHERE public_id = '" + id + "'");
    return new Spent(
        issued.path("key").asText(), keyId, model, isMoney ? limit * PICO_DOLLARS : limit);
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
    for (String model : List.of("m", "fast")) {
      ObjectNode price = config.withObject("/prices").putObject("only-chat/" + model);
      price.put("input", 3).put("output", 15).put("cacheRead", 0.3).put("reasoning", 20);
      price
          .putArray("tiers")
          .addObject()
          .put("above", BudgetUpstream.TIER)
          .put("input", 6)
          .put("output", 30)
          .put("reasoning", 40);
    }
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
        for (Spent budget : budgets) {
          budget.most = Math.max(budget.most, number(statement, sum("settled + held", budget)));
        }
        ahead = Math.max(ahead, number(statement, AHEAD));
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

  private void talk(Random random, Spent budget) {
    while (!ends) {
      boolean isRefused = false;
      try {
        isRefused = call(random, budget) == 402;
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
  private int call(Random random, Spent budget)
      throws IOException, ExecutionException, InterruptedException {
    boolean isFast = budget == budgets.get(1);
    // As many of ten tokens as of thousands.
    long size = Math.round(10 * Math.pow(isFast ? 500 : 5000, random.nextDouble()));
    boolean stream = random.nextBoolean();
    int format = isFast ? 0 : random.nextInt(3);
    String limit = List.of("max_tokens", "max_tokens", "max_output_tokens").get(format);
    boolean isLimited = isFast || format == 1 || random.nextInt(8) > 0;
    String text = random.nextBoolean() ? "Go on." : "Go on, and on. ".repeat(30);
    String body =
        "{\"model\":\"%s\",\"stream\":%s%s,\"%s\":[{\"role\":\"user\",\"content\":\"%s\"}]}"
            .formatted(
                budget.model,
                stream,
                isLimited ? ",\"%s\":%d".formatted(limit, Math.max(16, size)) : "",
                format == 2 ? "input" : "messages",
                text);
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(
                    nodes.get(isFast ? turn() : random.nextInt(NODES)).url()
                        + List.of("/v1/chat/completions", "/v1/messages", "/v1/responses")
                            .get(format)))
            .header("Authorization", "Bearer " + budget.key)
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

  /**
   * The node that fast calls go to now: it is one, so that they are enough for it to hold ahead.
   */
  private static int turn() {
    return (int) (TimeUnit.NANOSECONDS.toSeconds(System.nanoTime()) / TURN_SECONDS % NODES);
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
    for (Spent budget : budgets) {
      check(budget, promises);
    }
    promises.put("at least 95 % of the smaller one usable", isUsed(budgets.get(0)));
    promises.put(
        "no call is left",
        number("SELECT (SELECT COUNT(*) FROM budget_calls) + (SELECT COUNT(*) FROM budget_holds)")
            == 0);
    promises.put("samples were taken", samples.get() > 100);
    promises.put("amounts were held ahead", ahead > 0);
    promises.forEach(
        (promise, kept) -> System.out.println((kept ? "kept:   " : "FAULT:  ") + promise));
    return !promises.containsValue(false);
  }

  private void check(Spent budget, Map<String, Boolean> promises) throws SQLException {
    long settled = read("settled", budget);
    String used =
        isMoney ? "COALESCE(cost, 0)" : "COALESCE(input_tokens, 0) + COALESCE(output_tokens, 0)";
    String log =
        "SELECT COALESCE(SUM(%s), 0) FROM request_log WHERE key_id = %d"
            .formatted(used, budget.keyId);
    String presumed = " AND counted = 'presumed'";
    System.out.printf(
        Locale.ROOT,
        "%s: limit %d, settled %d (%.2f %%), log %d, most settled + held %d in %d samples,"
            + " %d rows, %d presumed for %d, the largest %d%n",
        budget.model,
        budget.limit,
        settled,
        100.0 * settled / budget.limit,
        number(log),
        budget.most,
        samples.get(),
        number(log.replace("SUM(" + used + ")", "COUNT(*)")),
        number(log.replace("SUM(" + used + ")", "COUNT(*)") + presumed),
        number(log + presumed),
        number(log.replace("SUM(", "MAX(") + presumed));
    promises.merge(
        "settled and held never above the limit",
        budget.most <= budget.limit && settled <= budget.limit,
        Boolean::logicalAnd);
    promises.merge("the log's sum is what is settled", number(log) == settled, Boolean::logicalAnd);
    promises.merge(
        "nothing is held in the end",
        read("held", budget) == 0 && read("reserved", budget) == 0,
        Boolean::logicalAnd);
  }

  private boolean isUsed(Spent budget) throws SQLException {
    return read("settled", budget) >= USABLE * budget.limit;
  }

  private long read(String column, Spent budget) throws SQLException {
    return number(sum(column, budget));
  }

  private static String sum(String what, Spent budget) {
    return "SELECT COALESCE(SUM(%s), 0) FROM budget_windows WHERE owner = 'key' AND owner_id = %d"
        .formatted(what, budget.keyId);
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
