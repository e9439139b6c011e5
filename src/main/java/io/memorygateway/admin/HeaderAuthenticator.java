package io.memorygateway.admin;

import io.memorygateway.http.errors.PrintableText;
import io.memorygateway.operator.AdminCaller;
import io.memorygateway.operator.Role;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Trusts the headers of a proxy that has a configured address and the secret. */
final class HeaderAuthenticator implements AdminAuthenticator {
  private static final int MAX_NAME_LENGTH = 255;
  private static final int MAX_GROUPS_LENGTH = 500;

  private final HeaderSettings settings;
  private final byte[] secret;

  HeaderAuthenticator(HeaderSettings settings) {
    this.settings = settings;
    this.secret = settings.secret().getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public @Nullable AdminCaller authenticate(Credentials credentials, Throttle throttle)
      throws LoginRefusedException {
    String user = only(credentials, settings.user());
    String presented = only(credentials, settings.secretHeader());
    if (user == null && presented == null) {
      return null;
    }
    String name = user == null ? "" : user;
    // All operators come from the address of the proxy: one without a role must not slow down the
    // others.
    if (credentials.peer() == null || !settings.proxies().contains(credentials.peer())) {
      throttle.admit();
      throw new LoginRefusedException(
          name, "the request did not come from admin.auth.headers.proxies");
    }
    if (presented == null
        || !MessageDigest.isEqual(presented.getBytes(StandardCharsets.UTF_8), secret)) {
      throttle.admit();
      throw new LoginRefusedException(name, "the secret of the proxy is missing or wrong");
    }
    if (name.isBlank() || name.length() > MAX_NAME_LENGTH) {
      throw new LoginRefusedException(name, "the proxy names no user");
    }
    return new AdminCaller(name, role(credentials, name));
  }

  private Role role(Credentials credentials, String name) throws LoginRefusedException {
    String groups = only(credentials, settings.groups());
    return Arrays.stream((groups == null ? "" : groups).split(",", -1))
        .map(group -> settings.roles().get(group.strip()))
        .filter(Objects::nonNull)
        .max(Role::compareTo)
        .orElseThrow(() -> withoutRole(name, groups));
  }

  private static LoginRefusedException withoutRole(String name, @Nullable String groups) {
    String named =
        groups == null || groups.isBlank()
            ? "the proxy names no group"
            : "none of the groups " + PrintableText.of(groups, MAX_GROUPS_LENGTH) + " has one";
    return LoginRefusedException.withoutRole(
        name,
        PrintableText.of(name, MAX_NAME_LENGTH)
            + " has no role here: "
            + named
            + " (admin.auth.headers.roles).");
  }

  /**
   * The only value of a header; a header that occurs twice has two senders, one of them not the
   * proxy.
   */
  private static @Nullable String only(Credentials credentials, String header)
      throws LoginRefusedException {
    List<String> values = credentials.headers().getValuesList(header);
    if (values.size() > 1) {
      throw new LoginRefusedException("", "the header " + header + " was sent more than once");
    }
    return values.isEmpty() ? null : values.get(0);
  }
}
