package io.memorygateway.admin;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.memorygateway.operator.Role;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code admin.auth} in config.yml.
 *
 * @param users by name, for {@code basic}
 * @param headers for {@code headers}
 * @param open paths that need no login, of {@link #OPENABLE}; none by default
 * @param failuresPerMinute failed logins that one address may have in a minute before it gets 429
 */
public record AdminAuthConfiguration(
    AdminAuthMode mode,
    Map<String, User> users,
    @Nullable HeaderSettings headers,
    Set<String> open,
    int failuresPerMinute) {

  /** Paths for monitoring, which show figures and change nothing. */
  static final Set<String> OPENABLE = Set.of("/healthcheck", "/metrics", "/ping");

  /** Path of the console's files, which are the same for everybody and contain no data. */
  private static final String CONSOLE = "/console/";

  private static final int FAILURES_PER_MINUTE = 10;

  /**
   * User who logs in with a password.
   *
   * @param password its bcrypt hash
   */
  public record User(String password, Role role) {
    @JsonCreator
    static User read(@Nullable String password, @Nullable String role) {
      return new User(requireNonNullElse(password, ""), Role.of(requireNonNullElse(role, "")));
    }

    /** Omits the hash. */
    @Override
    public String toString() {
      return "User[***, " + role + "]";
    }
  }

  public AdminAuthConfiguration {
    users = Map.copyOf(users);
    open = Set.copyOf(open);
    checkArgument(OPENABLE.containsAll(open), "open may name /healthcheck, /metrics and /ping");
    checkArgument(failuresPerMinute >= 1, "failuresPerMinute must be at least 1");
    checkArgument(
        (mode == AdminAuthMode.BASIC) != users.isEmpty(),
        "users are needed for the mode basic, and for no other");
    users.forEach((name, user) -> PasswordHash.require(name, user.password()));
    checkArgument(
        (mode == AdminAuthMode.HEADERS) == (headers != null),
        "headers are needed for the mode headers, and for no other");
  }

  @JsonCreator
  static AdminAuthConfiguration read(
      @Nullable AdminAuthMode mode,
      @Nullable Map<String, User> users,
      @Nullable HeaderSettings headers,
      @Nullable List<String> open,
      @Nullable Integer failuresPerMinute) {
    return new AdminAuthConfiguration(
        requireNonNullElse(mode, AdminAuthMode.NONE),
        requireNonNullElse(users, Map.of()),
        headers,
        requireNonNullElse(open, List.<String>of()).stream()
            .filter(path -> !path.isBlank())
            .collect(Collectors.toSet()),
        requireNonNullElse(failuresPerMinute, FAILURES_PER_MINUTE));
  }

  /**
   * Whether a path may be read without a login. In token mode that includes the console: a browser
   * cannot send a token by itself, so the page asks for it.
   */
  boolean isOpen(String path) {
    return open.contains(path) || (mode == AdminAuthMode.TOKEN && isOfConsole(path));
  }

  /** Whether a path is the console's page or one of its files, which are the same for everybody. */
  static boolean isOfConsole(String path) {
    return path.equals("/") || path.startsWith(CONSOLE);
  }

  public static AdminAuthConfiguration defaults() {
    return read(null, null, null, null, null);
  }
}
