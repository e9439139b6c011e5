package io.memorygateway.ratelimit;

import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import io.memorygateway.ratelimit.window.WindowLimiter;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A node in a process of its own, to be killed. Says "ready", waits for a line, then writes a line
 * with the window's end for every request that it admitted, and for every window in which it
 * refused one, until its input ends.
 */
final class LimiterNode {
  static final long KEY = 4_711;
  static final String ADMITTED = "admitted ";
  static final String FULL = "full ";

  private LimiterNode() {}

  /**
   * Runs the node.
   *
   * @param args JDBC URL, user, password, limit, window in seconds, callers
   */
  public static void main(String[] args) throws Exception {
    DatabaseAddress database = new DatabaseAddress(args[0], args[1], args[2], Map.of());
    var rule = Limits.rule(AppliesTo.LLM, Long.parseLong(args[3]), Integer.parseInt(args[4]));
    WindowLimiter limiter = Limits.limiter(Limits.patient(Map.of("only", rule)), database);
    Limits.start(limiter);
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    out.println("ready");
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    in.readLine();
    Set<Long> full = ConcurrentHashMap.newKeySet();
    Crowd crowd =
        Crowd.of(
            Integer.parseInt(args[5]),
            limiter,
            Limits.caller(KEY),
            decision -> out.println(ADMITTED + Crowd.window().applyAsLong(decision)),
            decision -> {
              long window = Crowd.window().applyAsLong(decision);
              if (full.add(window)) {
                out.println(FULL + window);
              }
            });
    in.lines().forEach(ignored -> {});
    crowd.disperse();
    limiter.stop();
  }
}
