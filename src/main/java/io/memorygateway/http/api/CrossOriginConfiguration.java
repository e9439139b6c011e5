package io.memorygateway.http.api;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The {@code cors:} section of config.yml.
 *
 * @param allowedOrigins origins whose pages may call from a browser, such as {@code
 *     https://app.example.com}; {@code *} for all; none by default
 */
public record CrossOriginConfiguration(List<String> allowedOrigins) {

  public CrossOriginConfiguration {
    allowedOrigins = List.copyOf(allowedOrigins);
    for (String origin : allowedOrigins) {
      if (!origin.equals("*") && !isOrigin(origin)) {
        throw new IllegalArgumentException(
            "allowedOrigins must hold origins such as https://app.example.com, without a path, or"
                + " *");
      }
    }
  }

  @JsonCreator(mode = JsonCreator.Mode.PROPERTIES)
  public static CrossOriginConfiguration read(@Nullable List<String> allowedOrigins) {
    return new CrossOriginConfiguration(requireNonNullElse(allowedOrigins, List.of()));
  }

  public static CrossOriginConfiguration defaults() {
    return read(null);
  }

  /**
   * Whether a text is an origin as browsers send it: lower case, without a path, and without the
   * scheme's default port.
   */
  private static boolean isOrigin(String text) {
    try {
      URI uri = new URI(text);
      return uri.getScheme() != null
          && uri.getHost() != null
          && text.equals(
              uri.getScheme()
                  + "://"
                  + uri.getHost()
                  + (uri.getPort() < 0 ? "" : ":" + uri.getPort()))
          && text.equals(text.toLowerCase(java.util.Locale.ROOT))
          && !(uri.getScheme().equals("https") && uri.getPort() == 443)
          && !(uri.getScheme().equals("http") && uri.getPort() == 80);
    } catch (URISyntaxException e) {
      return false;
    }
  }
}
