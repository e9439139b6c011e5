package io.memorygateway.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * What one request brought.
 *
 * @param connection the number of its connection, from 1 in the order of acceptance
 * @param method as sent
 * @param target path and query, as sent
 * @param headers by name, whatever its case; the values in the order in which they came
 * @param body without chunk framing
 * @param clientLeft completed when the client closes the connection before the answer is complete
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared; the bytes as they came.
public record RecordedRequest(
    int connection,
    String method,
    String target,
    Map<String, List<String>> headers,
    byte[] body,
    CompletableFuture<Void> clientLeft) {

  private static final ObjectMapper JSON = new ObjectMapper();

  public String path() {
    int mark = target.indexOf('?');
    return mark < 0 ? target : target.substring(0, mark);
  }

  /** The first value of a header, or null. */
  public String header(String name) {
    List<String> values = headers.get(name);
    return values == null ? null : values.get(0);
  }

  public String text() {
    return new String(body, StandardCharsets.UTF_8);
  }

  public JsonNode json() {
    try {
      return JSON.readTree(body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
