package io.memorygateway.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Times of the pages of the admin API over a large request log, and of calls meanwhile. Started by
 * {@code ops/bench/console}, which says what it needs; fails if a page's 95th percentile is over
 * 200 ms, a statement took 2 s, or a call failed.
 */
final class ConsoleBench {
  private static final int TIMES = 60;
  private static final int WARM = 10;
  private static final long NANOS_BETWEEN_PAGES = 100_000_000;
  private static final int WARM_UP_SECONDS = 30;
  private static final int ALONE_SECONDS = 30;
  private static final double MAX_MILLIS = 200;
  private static final double MAX_STATEMENT_SECONDS = 2;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String admin;
  private final SteadyLoad calls;

  private ConsoleBench(String admin, SteadyLoad calls) {
    this.admin = admin;
    this.calls = calls;
  }

  /** Takes the URL of the admin port, the gateway's port, a key, and calls a second. */
  public static void main(String[] arguments) throws Exception {
    ConsoleBench bench =
        new ConsoleBench(
            arguments[0],
            new SteadyLoad(
                Integer.parseInt(arguments[1]), arguments[2], Integer.parseInt(arguments[3])));
    if (!bench.run()) {
      System.exit(1);
    }
  }

  private boolean run() throws Exception {
    calls.during(() -> TimeUnit.SECONDS.sleep(WARM_UP_SECONDS));
    try (Connection database = ConsoleData.connect();
        Statement sql = database.createStatement()) {
      sql.execute("TRUNCATE TABLE performance_schema.events_statements_summary_by_digest");
      print("calls alone", calls.during(() -> TimeUnit.SECONDS.sleep(ALONE_SECONDS)));
      AtomicBoolean good = new AtomicBoolean();
      print("calls beside pages", calls.during(() -> good.set(runPages())));
      print("calls alone", calls.during(() -> TimeUnit.SECONDS.sleep(ALONE_SECONDS)));
      return printLongestStatement(sql) && good.get();
    }
  }

  private static void print(String title, Latencies latencies) {
    System.out.printf(
        "%-42s p50 %7.2f ms  p95 %7.2f ms  p99 %7.2f ms  (%,d)%n",
        title,
        latencies.percentile(0.5),
        latencies.percentile(0.95),
        latencies.percentile(0.99),
        latencies.total());
  }

  private static boolean printLongestStatement(Statement sql) throws SQLException {
    try (ResultSet found =
        sql.executeQuery(
            """
            SELECT max_timer_wait / 1e12, digest_text FROM performance_schema.events_statements_summary_by_digest
            WHERE schema_name = DATABASE() ORDER BY max_timer_wait DESC LIMIT 1
            """)) {
      found.next();
      double seconds = found.getDouble(1);
      System.out.printf("longest statement: %.3f s, %.160s%n", seconds, found.getString(2));
      return seconds < MAX_STATEMENT_SECONDS;
    }
  }

  private boolean runPages() throws Exception {
    boolean good = true;
    long due = System.nanoTime();
    for (Map.Entry<String, String> page : pages().entrySet()) {
      double[] millis = new double[TIMES];
      for (int i = -WARM; i < TIMES; i++) {
        due += NANOS_BETWEEN_PAGES;
        BenchClient.sleepUntil(due);
        long began = System.nanoTime();
        get(page.getValue());
        if (i >= 0) {
          millis[i] = (System.nanoTime() - began) / 1e6;
        }
      }
      Arrays.sort(millis);
      double p95 = millis[TIMES * 95 / 100];
      good &= p95 <= MAX_MILLIS;
      System.out.printf(
          "%-42s p50 %7.1f ms  p95 %7.1f ms  max %7.1f ms%s%n",
          page.getKey(),
          millis[TIMES / 2],
          p95,
          millis[TIMES - 1],
          p95 <= MAX_MILLIS ? "" : "  TOO SLOW");
    }
    return good;
  }

  private Map<String, String> pages() throws Exception {
    Instant now = Instant.now();
    String month = "from=" + now.minus(Duration.ofDays(31)) + "&to=" + now;
    JsonNode rows =
        new ObjectMapper().readTree(get("/requests?" + month + "&limit=200")).path("requests");
    JsonNode last = rows.get(rows.size() - 1);
    String middle = now.minus(Duration.ofDays(15)).toEpochMilli() + "-0";
    Map<String, String> pages = new LinkedHashMap<>();
    pages.put("overview, last hour", "/overview");
    pages.put("overview, 24 hours", "/overview?from=" + now.minus(Duration.ofHours(24)));
    pages.put(
        "overview, 7 days", "/overview?from=" + now.minus(Duration.ofDays(7)).plusSeconds(60));
    pages.put("overview, 30 days", "/overview?" + month);
    pages.put("requests, last hour", "/requests");
    pages.put("requests, 30 days", "/requests?" + month);
    pages.put("requests, in the middle", "/requests?" + month + "&after=" + middle);
    pages.put("requests of a busy key", "/requests?" + month + "&key=bench-key-0");
    pages.put("requests of a rare key", "/requests?" + month + "&key=bench-key-199");
    pages.put("requests of a key that has none", "/requests?" + month + "&key=bench-key-180");
    pages.put("requests of a project", "/requests?" + month + "&project=bench-3");
    pages.put("requests of a model", "/requests?" + month + "&model=gpt-5");
    pages.put("requests of a rare model", "/requests?" + month + "&model=rare-model");
    pages.put("requests of an unknown model", "/requests?" + month + "&model=zebra");
    pages.put("requests, status 5xx", "/requests?" + month + "&status=5xx");
    pages.put("requests, status 504, long ago", "/requests?" + month + "&status=504");
    pages.put("requests, status 403, none", "/requests?" + month + "&status=403");
    pages.put("requests of a key, 5xx", "/requests?" + month + "&key=bench-key-0&status=5xx");
    pages.put(
        "requests of a key, another model",
        "/requests?" + month + "&key=bench-key-3&model=model-3");
    pages.put("requests of a provider", "/requests?" + month + "&provider=anthropic");
    pages.put(
        "request by its X-Request-Id",
        "/requests?" + month + "&requestId=" + last.path("requestId").asText());
    pages.put("request, detail", "/requests/" + last.path("id").asText());
    pages.put("usage by day, 30 days", "/usage");
    pages.put("usage by day and model", "/usage?by=day,model");
    pages.put("usage by day and key", "/usage?by=day,key");
    pages.put("usage of a key", "/usage?key=bench-key-0&by=day,model");
    pages.put("keys", "/keys");
    pages.put("projects", "/projects");
    pages.put("providers", "/providers");
    pages.put("limits of a key", "/limits/bench-key-0");
    pages.put("audit", "/audit");
    return pages;
  }

  private String get(String path) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        client.send(
            HttpRequest.newBuilder(URI.create(admin + "/admin/api" + path)).build(),
            BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IOException(path + ": " + answer.statusCode() + " " + answer.body());
    }
    return answer.body();
  }
}
