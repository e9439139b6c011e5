package io.memorygateway.proxy.upstream;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.OutputStreamRequestContent;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.http.HttpMethod;
import org.jspecify.annotations.Nullable;

/**
 * A client's request that is passed on as it is: a body that is not in memory is read from the
 * client and written upstream piece by piece, by the thread that serves the call.
 *
 * @param body null if there is none
 * @param source what the client sends of the body; null if it is in memory
 */
public record PassedRequest(
    HttpMethod method, Request.@Nullable Content body, @Nullable InputStream source) {
  private static final int PIECE = 16 << 10;

  /** Creates a request with a body that is in memory; without one, if that is empty. */
  public static PassedRequest of(HttpMethod method, String type, byte[] body) {
    return new PassedRequest(
        method, body.length == 0 ? null : new BytesRequestContent(type, body), null);
  }

  /**
   * Creates a request whose body is streamed.
   *
   * @param length -1 if it is not known
   */
  public static PassedRequest of(HttpMethod method, String type, InputStream source, long length) {
    OutputStreamRequestContent body =
        new OutputStreamRequestContent(type) {
          @Override
          public long getLength() {
            return length;
          }
        };
    return new PassedRequest(method, body, source);
  }

  /**
   * Writes the body, once the request has begun; a failure of the upstream meanwhile is one of its
   * answer.
   *
   * @throws UncheckedIOException if the client does not send the body to its end
   */
  void writeBody() {
    if (source == null || !(body instanceof OutputStreamRequestContent content)) {
      return;
    }
    OutputStream out = content.getOutputStream();
    byte[] piece = new byte[PIECE];
    while (true) {
      int read;
      try {
        read = source.read(piece);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      try {
        if (read < 0) {
          out.close();
          return;
        }
        out.write(piece, 0, read);
      } catch (IOException e) {
        return;
      }
    }
  }
}
