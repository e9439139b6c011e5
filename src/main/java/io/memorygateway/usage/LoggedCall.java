package io.memorygateway.usage;

import io.memorygateway.budget.Charge;
import io.memorygateway.budget.Covered;
import io.memorygateway.figures.CallFigures;
import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.json.Sha256;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Row of {@code request_log}: one attempt of a proxied call; most calls have only one.
 *
 * @param id random; unique together with the time
 * @param targetEndpoint that it was translated for; null if it was not
 * @param alias by which it asked for its model; null if it named a target or a route
 * @param covered by budgets, which are settled with the row; null if it is not
 * @param threadHash of the thread that the call belongs to, see {@link #hash}
 */
public record LoggedCall(
    Instant startedAt,
    long id,
    long projectId,
    long keyId,
    String requestId,
    @Nullable String threadHash,
    String endpoint,
    @Nullable String targetEndpoint,
    @Nullable String alias,
    CallFigures figures,
    @Nullable Covered covered) {

  public LoggedCall {
    // In the precision of the column, so that the row is found again and counts in the right five
    // minutes.
    startedAt = startedAt.truncatedTo(ChronoUnit.MILLIS);
  }

  public LoggedCall with(CallFigures other) {
    return new LoggedCall(
        startedAt,
        id,
        projectId,
        keyId,
        requestId,
        threadHash,
        endpoint,
        targetEndpoint,
        alias,
        other,
        covered);
  }

  /** What its budgets are charged with; null if none covers it. */
  @Nullable Charge charge() {
    if (covered == null) {
      return null;
    }
    Charge.Pass used = used(covered.target(), figures.values());
    return new Charge(covered, used.tokens(), used.cost(), passes(figures.values()));
  }

  /** What passes beside the answer did use, whose models are named as targets are. */
  public static List<Charge.Pass> passes(Figures figures) {
    return figures.passes().stream().map(pass -> used(String.valueOf(pass.model()), pass)).toList();
  }

  public static Charge.Pass used(String target, Figures figures) {
    long input = Math.max(0, figures.get(Figure.INPUT_TOKENS));
    long output = Math.max(0, figures.get(Figure.OUTPUT_TOKENS));
    return new Charge.Pass(target, input + output, Math.max(0, figures.get(Figure.COST)));
  }

  /** Of the first half of the digest. */
  private static final int HASH_BYTES = 16;

  /**
   * Hash of a thread's id, lower-case hex: somebody who knows the id finds its calls, but the id
   * cannot be read from the log, which outlives the thread.
   */
  public static String hash(long projectId, String threadId) {
    return HexFormat.of().formatHex(Sha256.of(projectId + "/" + threadId), 0, HASH_BYTES);
  }
}
