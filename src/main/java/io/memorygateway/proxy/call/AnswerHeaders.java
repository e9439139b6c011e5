package io.memorygateway.proxy.call;

import io.memorygateway.proxy.route.ForwardedHeaders;
import io.memorygateway.secret.SecretBytes;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Set;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/** Copies the headers of an upstream's answer to the response for the client (contract §6). */
final class AnswerHeaders {
  /** Characters of names and values in all: the head of a response has 8 KiB by default. */
  private static final int MAX_CHARACTERS = 4 << 10;

  /** Counted for each header besides, so that there are few: clients take a hundred in all. */
  private static final int EACH = 64;

  private static final int MAX_TYPE = 255;

  private AnswerHeaders() {}

  /**
   * Copies the headers that may be passed on, as far as there is room for them. An invalid
   * Content-Type is left out, as if the upstream had sent none: the kind of the body is known from
   * reading it.
   *
   * @param secret the provider's key, which an upstream may echo and which is removed
   */
  static void copy(HttpFields upstream, SecretBytes secret, Response.ResponseBuilder response) {
    String type = upstream.get(HttpHeader.CONTENT_TYPE);
    if (type != null && isContentType(type)) {
      response
          .header(HttpHeaders.CONTENT_TYPE, null)
          .header(HttpHeaders.CONTENT_TYPE, secret.mask(type));
    }
    Set<String> hopByHop = ForwardedHeaders.namedByConnection(upstream);
    int left = MAX_CHARACTERS;
    for (HttpField field : upstream) {
      String name = field.getLowerCaseName();
      boolean dropped = hopByHop.contains(name) || secret.isNamedIn(name);
      String clientName = dropped ? null : ForwardedHeaders.toClient(name);
      String value = field.getValue() == null ? "" : field.getValue();
      int length = EACH + name.length() + value.length();
      if (clientName != null && length <= left) {
        left -= length;
        // For example x-request-id beside request-id, from a proxy in front of the provider.
        boolean taken = name.startsWith("x-") && upstream.contains(name.substring(2));
        response.header(taken ? "x-upstream-" + name : clientName, secret.mask(value));
      }
    }
  }

  /**
   * Whether the type is valid: Jersey refuses an invalid one only after the answer has been read.
   */
  private static boolean isContentType(String value) {
    if (value.equals(MediaType.APPLICATION_JSON)) {
      return true;
    }
    if (value.length() > MAX_TYPE) {
      return false;
    }
    try {
      MediaType type = MediaType.valueOf(value);
      return !type.isWildcardType() && !type.isWildcardSubtype();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
