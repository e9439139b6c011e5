package io.memorygateway.ratelimit;

import io.memorygateway.database.DatabaseAddress;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A node in a process of its own, to be killed. Says "ready", waits for a line, then writes a line
 * with the window's end for every request that it admitted, until its input ends.
 */
final class LimiterNode {
  static final long KEY = 4_711;
  static final String ADMITTED = "admitted ";

  private LimiterNode() {}

  /**
   * Runs the node.
   *
   * @param args JDBC URL, user, password, limit, window in seconds, callers
   */
  public static void main(String[] args) throws Exception {
    DatabaseAddress database = new DatabaseAddress(args[0], args[1], args[2], Map.of());
    var rule = Limits.rule(AppliesTo.LLM, Long.parseLong(args[3]), Integer.parseInt(args[4]));
    RateLimiter limiter = Limits.limiter(Limits.patient(Map.of("only", rule)), database);
    limiter.start();
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    out.println("ready");
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    in.readLine();
    Crowd crowd =
        Crowd.of(
            Integer.parseInt(args[5]),
            limiter,
            Limits.caller(KEY),
            decision -> out.println(ADMITTED + Crowd.window().applyAsLong(decision)));
    in.lines().forEach(ignored -> {});
    crowd.disperse();
    limiter.stop();
  }
}
