package io.memorygateway.http;

import java.time.Clock;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The id under which one request is found in responses and logs (contract §3). */
public final class RequestId {
  public static final String HEADER = "X-Request-Id";

  /** Request attribute, and MDC key, that holds the id as a string. */
  public static final String ATTRIBUTE = "request_id";

  public static final int MAX_LENGTH = 128;

  private static final Pattern ACCEPTED = Pattern.compile("[A-Za-z0-9._:-]{1," + MAX_LENGTH + "}");

  /** A key of the gateway anywhere, or of a known provider at the start. */
  private static final Pattern KEY =
      Pattern.compile("ms[ka]_|^(sk[-_]|gsk_|xai-|AIza)", Pattern.CASE_INSENSITIVE);

  private RequestId() {}

  /**
   * Returns the caller's id if it is 1 to 128 of {@code A-Za-z0-9._:-} and does not look like a
   * key; else a new one.
   */
  public static String of(@Nullable String fromCaller) {
    return fromCaller != null
            && ACCEPTED.matcher(fromCaller).matches()
            && !KEY.matcher(fromCaller).find()
        ? fromCaller
        : create();
  }

  /**
   * Creates an id that sorts by time, so that it is added at the end of the request log's index and
   * not anywhere in it; no secret, so the fast generator suffices.
   */
  private static String create() {
    return Uuids.version7(Clock.systemUTC(), ThreadLocalRandom.current()).toString();
  }
}
