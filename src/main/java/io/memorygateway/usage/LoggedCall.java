package io.memorygateway.usage;

import io.memorygateway.json.Sha256;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Row of {@code request_log}: one attempt of a proxied call; most calls have only one. Unknown
 * values are null.
 *
 * @param id random; unique together with the time
 * @param threadHash of the thread that the call belongs to, see {@link #hash}
 * @param status that the client received, 499 if it left; for an attempt that another one followed,
 *     its own
 * @param durationMillis of the call; for an attempt that another one followed, its own
 */
public record LoggedCall(
    Instant startedAt,
    long id,
    long projectId,
    long keyId,
    String requestId,
    @Nullable String threadHash,
    String endpoint,
    String provider,
    String model,
    int status,
    boolean stream,
    @Nullable Long inputTokens,
    @Nullable Long outputTokens,
    @Nullable Long cachedTokens,
    long durationMillis,
    @Nullable Long upstreamMillis,
    @Nullable Long firstByteMillis,
    @Nullable String errorType,
    Attempt attempt) {

  public LoggedCall {
    // In the precision of the column, so that the row is found again and counts in the right five
    // minutes.
    startedAt = startedAt.truncatedTo(ChronoUnit.MILLIS);
  }

  /** Outcome of the attempt whose answer or error was sent to the client. */
  public static final String ANSWERED = "answered";

  /** Outcome of an attempt that failed and was followed by another one. */
  public static final String FAILED_OVER = "failed_over";

  /**
   * What is of the attempt and not of its call.
   *
   * @param number in the call, from 1
   * @param outcome {@link #ANSWERED} or {@link #FAILED_OVER}
   * @param status its own: if all attempts failed, the client may have received that of another
   */
  public record Attempt(int number, String outcome, int status, long durationMillis) {}

  private static final int HASH_BYTES = 16;

  /** The same call with another name of its model. */
  LoggedCall withModel(String name) {
    return new LoggedCall(
        startedAt,
        id,
        projectId,
        keyId,
        requestId,
        threadHash,
        endpoint,
        provider,
        name,
        status,
        stream,
        inputTokens,
        outputTokens,
        cachedTokens,
        durationMillis,
        upstreamMillis,
        firstByteMillis,
        errorType,
        attempt);
  }

  /**
   * Hash of a thread's id, lower-case hex: somebody who knows the id finds its calls, but the id
   * cannot be read from the log, which outlives the thread.
   */
  public static String hash(long projectId, String threadId) {
    return HexFormat.of().formatHex(Sha256.of(projectId + "/" + threadId), 0, HASH_BYTES);
  }
}
