package io.memorygateway.http.api;

import java.util.function.BiConsumer;
import org.eclipse.jetty.server.Request;

/**
 * Security headers of the admin port for browsers: no guessing of types, no framing, no loading
 * from elsewhere. Every response there carries them, also to a request that is refused before any
 * filter sees it.
 */
public final class BrowserHeaders {
  /** Policy of the console and all other responses here: no page has inline scripts or styles. */
  public static final String CONTENT_SECURITY_POLICY =
      "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self';"
          + " frame-ancestors 'none'";

  /** The name that Dropwizard gives to the connector of the admin port. */
  private static final String ADMIN = "admin";

  private BrowserHeaders() {}

  /**
   * Sets the headers.
   *
   * @param headers takes names and values
   */
  public static void set(BiConsumer<String, String> headers) {
    headers.accept("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    headers.accept("X-Content-Type-Options", "nosniff");
    headers.accept("X-Frame-Options", "DENY");
    headers.accept("Referrer-Policy", "no-referrer");
    headers.accept("Cross-Origin-Opener-Policy", "same-origin");
    headers.accept("Cross-Origin-Resource-Policy", "same-origin");
  }

  /** Whether a request arrived at the admin port. */
  static boolean areDue(Request request) {
    return ADMIN.equals(request.getConnectionMetaData().getConnector().getName());
  }
}
