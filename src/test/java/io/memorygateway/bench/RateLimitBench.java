package io.memorygateway.bench;

import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.http.api.RequestKind;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.tomcat.jdbc.pool.DataSource;

/**
 * Decisions per second and latency of ways to keep rate limits in MySQL, alternating in one run:
 * one hot key and 1,000 keys, 64 callers in a closed loop; half LLM calls, a quarter memory reads,
 * a quarter writes. Limits are lifted, so that every request is counted.
 */
final class RateLimitBench {
  static final int MANY_KEYS = 1_000;
  private static final int CALLERS = 64;
  private static final int CONNECTIONS = 32;
  private static final RequestKind[] MIX = {
    RequestKind.LLM, RequestKind.LLM, RequestKind.MEMORY_READ, RequestKind.MEMORY_WRITE
  };

  private record Result(double perSecond, Latencies latencies) {}

  private RateLimitBench() {}

  /**
   * Runs all contenders.
   *
   * @param args JDBC URL of a migrated schema, user, password, seconds of each slice, rounds
   */
  public static void main(String[] args) throws Exception {
    int seconds = Integer.parseInt(args[3]);
    int rounds = Integer.parseInt(args[4]);
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    DataSource pool = pool(args[0], args[1], args[2]);
    List<Contender> contenders =
        List.of(
            new Coalescing(new DatabaseAddress(args[0], args[1], args[2], Map.of())),
            new Naive(pool),
            new OneStatement(pool),
            new Bucket4j(pool, false),
            new Bucket4j(pool, true));
    Map<String, List<Result>> results = new LinkedHashMap<>();
    for (int round = 0; round <= rounds; round++) {
      for (int keys : new int[] {1, MANY_KEYS}) {
        for (Contender contender : contenders) {
          Result result = measure(contender, keys, seconds);
          // The first round only warms up.
          if (round > 0) {
            results.computeIfAbsent(cell(contender, keys), cell -> new ArrayList<>()).add(result);
          }
        }
      }
    }
    out.println(
        "| decisions/s, median (best) of the slices; p50 / p99 ms of the best | 1 key | 1,000 keys |");
    out.println("|---|---|---|");
    for (Contender contender : contenders) {
      out.printf(
          "| %s | %s | %s |%n",
          contender.name(),
          shown(results.get(cell(contender, 1))),
          shown(results.get(cell(contender, MANY_KEYS))));
      contender.close();
    }
    pool.close();
  }

  private static String cell(Contender contender, int keys) {
    return contender.name() + " " + keys;
  }

  private static String shown(List<Result> results) {
    List<Result> sorted =
        results.stream().sorted(Comparator.comparingDouble(Result::perSecond)).toList();
    Result best = sorted.get(sorted.size() - 1);
    return "%,.0f (%,.0f); %.2f / %.1f"
        .formatted(
            sorted.get(sorted.size() / 2).perSecond(),
            best.perSecond(),
            best.latencies().percentile(0.5),
            best.latencies().percentile(0.99));
  }

  private static Result measure(Contender contender, int keys, int seconds) throws Exception {
    Latencies[] latencies = new Latencies[CALLERS];
    Thread[] threads = new Thread[CALLERS];
    CountDownLatch go = new CountDownLatch(1);
    AtomicLong end = new AtomicLong();
    for (int i = 0; i < CALLERS; i++) {
      Latencies own = new Latencies();
      latencies[i] = own;
      SplittableRandom random = new SplittableRandom(i);
      threads[i] =
          new Thread(
              () -> {
                await(go);
                while (System.nanoTime() < end.get()) {
                  one(contender, 1 + random.nextInt(keys), MIX[random.nextInt(4)], own);
                }
              });
      threads[i].start();
    }
    long begin = System.nanoTime();
    end.set(begin + seconds * 1_000_000_000L);
    go.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    double took = (System.nanoTime() - begin) / 1e9;
    Latencies all = new Latencies();
    Arrays.stream(latencies).forEach(all::add);
    return new Result(all.total() / took, all);
  }

  private static void one(Contender contender, long key, RequestKind kind, Latencies latencies) {
    long before = System.nanoTime();
    while (true) {
      try {
        if (!contender.admit(key, kind)) {
          throw new IllegalStateException("refused below the limit");
        }
        latencies.record(System.nanoTime() - before);
        return;
      } catch (Exception e) {
        if (!isDeadlock(e)) {
          throw new IllegalStateException(contender.name(), e);
        }
      }
    }
  }

  /** A deadlock costs its time and is tried again, whoever it hits. */
  private static boolean isDeadlock(Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof java.sql.SQLException sql
          && (sql.getErrorCode() == 1213 || sql.getErrorCode() == 1205)) {
        return true;
      }
    }
    return false;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static DataSource pool(String url, String user, String password) {
    DataSource pool = new DataSource();
    pool.setDriverClassName("com.mysql.cj.jdbc.Driver");
    pool.setUrl(url);
    pool.setUsername(user);
    pool.setPassword(password);
    pool.setConnectionProperties(
        "cachePrepStmts=true;useServerPrepStmts=true;useLocalSessionState=true");
    pool.setMaxActive(CONNECTIONS);
    pool.setMaxIdle(CONNECTIONS);
    pool.setInitialSize(CONNECTIONS);
    pool.setDefaultAutoCommit(true);
    pool.setJdbcInterceptors("ConnectionState");
    return pool;
  }
}
