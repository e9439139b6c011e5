package io.memorygateway.http.api;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.common.primitives.Bytes;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.core.HttpHeaders;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Marks errors of {@code /v1/messages} and the paths below it with {@code "type":"error"} at the
 * top, where Anthropic's SDKs look (contract §3).
 */
public final class AnthropicErrorFilter implements ContainerResponseFilter {
  private static final byte[] MARK = "{\"type\":\"error\",".getBytes(US_ASCII);
  private static final byte[] ENVELOPE = "{\"error\":".getBytes(US_ASCII);

  @Override
  public void filter(ContainerRequestContext request, ContainerResponseContext response) {
    if (response.getEntity() instanceof byte[] body
        && isMarked(response.getStatus(), request.getUriInfo().getPath(false))) {
      byte[] marked = mark(body);
      response.setEntity(marked, null, response.getMediaType());
      response.getHeaders().putSingle(HttpHeaders.CONTENT_LENGTH, marked.length);
    }
  }

  public static boolean isMarked(int status, String path) {
    return status >= 400 && isAt(path);
  }

  /**
   * Whether errors of a path are marked.
   *
   * @param path with or without a leading slash; null for a request whose path could not be read
   */
  static boolean isAt(@Nullable String path) {
    return path != null && ApiPath.isOfAnthropic(ApiPath.plain(path));
  }

  /** Adds the mark to an error body; a body that is not the envelope is not changed. */
  public static byte[] mark(byte[] body) {
    boolean envelope =
        body.length > ENVELOPE.length
            && Arrays.equals(body, 0, ENVELOPE.length, ENVELOPE, 0, ENVELOPE.length);
    return envelope ? Bytes.concat(MARK, Arrays.copyOfRange(body, 1, body.length)) : body;
  }
}
