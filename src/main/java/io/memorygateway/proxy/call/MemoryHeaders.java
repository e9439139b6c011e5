package io.memorygateway.proxy.call;

import io.memorygateway.http.api.RequestNotes;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.memory.replay.IdempotencyClaim;
import io.memorygateway.turn.MemoryRequest;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reader of the memory headers of a proxied call. */
final class MemoryHeaders {
  static final MemoryRequest NONE =
      new MemoryRequest(null, null, null, false, "", Duration.ZERO, false, null, false, false);

  /** Header by which SDKs say how often they have sent the call before. */
  private static final String RETRY_COUNT = "x-stainless-retry-count";

  private MemoryHeaders() {}

  /**
   * Reads the memory request from the headers of a call.
   *
   * @param path of the endpoint
   * @throws ApiException 400 for a scope that there is not
   */
  static MemoryRequest read(String path, HttpServletRequest request) {
    String thread = request.getHeader("x-thread-id");
    String resource = request.getHeader("x-resource-id");
    if (thread == null && resource == null) {
      return NONE;
    }
    String retry = request.getHeader(RETRY_COUNT);
    String query = request.getQueryString();
    return new MemoryRequest(
        text(thread),
        text(resource),
        request.getHeader(IdempotencyClaim.HEADER),
        retry != null && isPositive(retry),
        path + "?" + (query == null ? "" : query),
        RequestNotes.of(request).admission(),
        true,
        null,
        false,
        !isOfThread(request.getHeader("x-memory-scope")));
  }

  private static boolean isOfThread(@Nullable String scope) {
    if (scope != null && !scope.equals("thread")) {
      throw ApiException.invalidRequest("x-memory-scope is thread, or left out.");
    }
    return scope != null;
  }

  private static boolean isPositive(String number) {
    return number.chars().allMatch(c -> c >= '0' && c <= '9')
        && number.chars().anyMatch(c -> c > '0');
  }

  /** Decodes UTF-8, which Jetty has read as ISO-8859-1. */
  static @Nullable String text(@Nullable String value) {
    if (value == null || value.chars().allMatch(c -> c < 0x80)) {
      return value;
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(value.getBytes(StandardCharsets.ISO_8859_1)))
          .toString();
    } catch (CharacterCodingException e) {
      return value;
    }
  }
}
