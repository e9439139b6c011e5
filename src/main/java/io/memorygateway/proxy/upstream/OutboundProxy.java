package io.memorygateway.proxy.upstream;

import com.google.common.net.InetAddresses;
import io.memorygateway.auth.AddressRange;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.eclipse.jetty.client.BasicAuthentication;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.HttpProxy;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP proxy on the way to providers.
 *
 * @param user null if the proxy asks for none
 */
public record OutboundProxy(String host, int port, @Nullable String user, String password) {
  private static final int MAX_PORT = 65_535;

  private static final Pattern LOOPBACK =
      Pattern.compile("localhost|.*\\.localhost|127\\.[0-9.]+|\\[::1]");

  /**
   * Reads an address.
   *
   * @param key that the address stands at
   * @throws IllegalArgumentException with a one-line message for the operator, without the address
   */
  public static OutboundProxy of(String key, String address) {
    try {
      String url = address.strip();
      URI uri = new URI(url.contains("://") ? url : "http://" + url);
      String path = uri.getRawPath();
      if ("http".equalsIgnoreCase(uri.getScheme())
          && uri.getHost() != null
          && isPort(uri.getPort())
          && (path.isEmpty() || path.equals("/"))
          && uri.getRawQuery() == null
          && uri.getRawFragment() == null) {
        String[] user = String.valueOf(uri.getRawUserInfo()).split(":", 2);
        return new OutboundProxy(
            uri.getHost(),
            uri.getPort() < 0 ? 80 : uri.getPort(),
            uri.getRawUserInfo() == null ? null : decoded(user[0]),
            user.length < 2 ? "" : decoded(user[1]));
      }
    } catch (URISyntaxException | IllegalArgumentException e) {
      // The exception below has a clearer message, and shows no password.
    }
    throw new IllegalArgumentException(
        key + " must be the address of an HTTP proxy, such as http://proxy.example.com:3128");
  }

  /** Whether the port of a URL is one, or is left out. */
  public static boolean isPort(int port) {
    return port == -1 || (port >= 1 && port <= MAX_PORT);
  }

  private static String decoded(String part) {
    return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  /**
   * The proxy for a provider's address: the configured one, else that of the environment, which
   * never is for this machine itself; null if there is none.
   *
   * @param excepted the addresses that no proxy is for; an empty list leaves that, too, to the
   *     environment, if the proxy is its own
   */
  public static @Nullable OutboundProxy choose(
      String address,
      @Nullable OutboundProxy configured,
      List<String> excepted,
      Map<String, String> environment) {
    URI uri = URI.create(address);
    if (configured != null) {
      return isExcepted(uri, excepted) ? null : configured;
    }
    String name = uri.getScheme() + "_proxy";
    String found = variable(environment, name);
    List<String> none =
        excepted.isEmpty() ? List.of(variable(environment, "no_proxy").split(",", -1)) : excepted;
    return found.isEmpty() || LOOPBACK.matcher(uri.getHost()).matches() || isExcepted(uri, none)
        ? null
        : of(name.toUpperCase(Locale.ROOT), found);
  }

  private static String variable(Map<String, String> environment, String name) {
    String lower = environment.getOrDefault(name, "");
    return (lower.isBlank() ? environment.getOrDefault(name.toUpperCase(Locale.ROOT), "") : lower)
        .strip();
  }

  /**
   * Whether one of the names is that of an address, or of a domain or block that it belongs to;
   * {@code *} stands for any characters, and a port may follow.
   */
  private static boolean isExcepted(URI address, List<String> names) {
    String host = address.getHost().toLowerCase(Locale.ROOT);
    int byDefault = address.getScheme().equals("https") ? 443 : 80;
    String port = ":" + (address.getPort() < 0 ? byDefault : address.getPort());
    return names.stream()
        .map(name -> name.strip().toLowerCase(Locale.ROOT))
        .filter(name -> !name.isEmpty())
        .anyMatch(
            name ->
                name.contains("/")
                    ? holds(name, host)
                    : pattern(name).matcher(host).matches()
                        || pattern(name).matcher(host + port).matches());
  }

  /** Whether a block of addresses, such as 10.0.0.0/8, holds a host that is an address itself. */
  private static boolean holds(String block, String host) {
    try {
      return AddressRange.parse(withoutBrackets(block))
          .contains(InetAddresses.forString(withoutBrackets(host)));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static String withoutBrackets(String address) {
    return address.replace("[", "").replace("]", "");
  }

  private static Pattern pattern(String name) {
    String bare =
        name.startsWith("*.") || name.startsWith(".")
            ? name.substring(name.indexOf('.') + 1)
            : name;
    return Pattern.compile("(?:.*\\.)?" + Pattern.quote(bare).replace("*", "\\E.*\\Q"));
  }

  void install(HttpClient client) {
    HttpProxy proxy = new HttpProxy(host, port);
    client.getProxyConfiguration().addProxy(proxy);
    if (user != null) {
      client
          .getAuthenticationStore()
          .addAuthenticationResult(
              new BasicAuthentication.BasicResult(
                  proxy.getURI(), HttpHeader.PROXY_AUTHORIZATION, user, password));
    }
  }

  /** Omits user and password. */
  @Override
  public String toString() {
    return "http://" + (user == null ? "" : "***@") + host + ":" + port;
  }
}
