package io.memorygateway.http;

import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** The id under which one request is found in responses and logs (contract §3). */
public final class RequestId {
  public static final String HEADER = "X-Request-Id";

  /** Request attribute, and MDC key, that holds the id as a string. */
  public static final String ATTRIBUTE = "request_id";

  public static final int LONGEST = 128;

  private RequestId() {}

  /** The caller's id if it is 1 to 128 printable ASCII characters; else a new one. */
  public static String of(@Nullable String fromCaller) {
    return fromCaller != null && isAcceptable(fromCaller) ? fromCaller : create();
  }

  private static boolean isAcceptable(String id) {
    if (id.isBlank() || id.length() > LONGEST) {
      return false;
    }
    for (int i = 0; i < id.length(); i++) {
      char c = id.charAt(i);
      if (c < ' ' || c > '~') {
        return false;
      }
    }
    return true;
  }

  /** Unique enough to find a request by; no secret, so the fast generator will do. */
  private static String create() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return new UUID(random.nextLong(), random.nextLong()).toString();
  }
}
