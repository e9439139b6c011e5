package io.memorygateway.admin;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.google.common.base.Ascii;
import com.google.common.net.InetAddresses;
import io.memorygateway.json.Characters;
import io.memorygateway.operator.Role;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code admin.auth.headers} in config.yml: headers in which a proxy such as oauth2-proxy
 * identifies an operator.
 *
 * @param user name of the header with the user
 * @param groups name of the header with the groups, separated by commas
 * @param secretHeader name of the header with the secret
 * @param secret that only the proxy knows
 * @param proxies addresses of the proxy; loopback by default
 * @param roles by the name of a group; of several, the one with the most rights counts
 */
public record HeaderSettings(
    String user,
    String groups,
    String secretHeader,
    String secret,
    Set<InetAddress> proxies,
    Map<String, Role> roles) {

  private static final int MIN_SECRET_LENGTH = 16;

  public HeaderSettings {
    proxies = Set.copyOf(proxies);
    roles = Map.copyOf(roles);
    checkArgument(
        secret.length() >= MIN_SECRET_LENGTH, "headers.secret must have at least 16 characters");
    checkArgument(
        secret.chars().allMatch(c -> c >= ' ' && c < 0x7F) && secret.equals(secret.strip()),
        "headers.secret must be of printable ASCII characters without blanks around them: it comes"
            + " in a header");
    List<String> names = List.of(user, groups, secretHeader);
    checkArgument(
        names.stream().allMatch(Characters::areHeaderName)
            && names.stream().map(Ascii::toLowerCase).distinct().count() == names.size(),
        "headers.user, headers.groups and headers.secretHeader must be the names of three headers");
    checkArgument(
        !proxies.isEmpty() && !roles.isEmpty(),
        "headers.proxies and headers.roles must not be empty");
  }

  @JsonCreator
  static HeaderSettings read(
      @Nullable String user,
      @Nullable String groups,
      @Nullable String secretHeader,
      @Nullable String secret,
      @Nullable List<String> proxies,
      @Nullable Map<String, String> roles) {
    return new HeaderSettings(
        requireNonNullElse(user, "X-Forwarded-User"),
        requireNonNullElse(groups, "X-Forwarded-Groups"),
        requireNonNullElse(secretHeader, "X-Gateway-Proxy-Secret"),
        requireNonNullElse(secret, ""),
        requireNonNullElse(proxies, List.of("127.0.0.1", "::1")).stream()
            .map(HeaderSettings::address)
            .collect(Collectors.toSet()),
        requireNonNullElse(roles, Map.<String, String>of()).entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, group -> Role.of(group.getValue()))));
  }

  private static InetAddress address(String text) {
    checkArgument(InetAddresses.isInetAddress(text), "headers.proxies must be IP addresses");
    return InetAddresses.forString(text);
  }

  /** Omits the secret. */
  @Override
  public String toString() {
    return "HeaderSettings[***]";
  }
}
