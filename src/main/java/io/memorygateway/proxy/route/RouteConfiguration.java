package io.memorygateway.proxy.route;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.dropwizard.util.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One entry below {@code routes:} in config.yml (contract §10). {@link RouteTable} checks that its
 * targets exist.
 *
 * @param attempts that one call may take, over all targets; default 3
 * @param timeout for all attempts of a call together; null: only each target's own timeouts apply
 * @param groups of targets; a group is used when those before it have failed
 */
public record RouteConfiguration(
    int attempts, @Nullable Duration timeout, List<List<Choice>> groups) {
  static final int DEFAULT_ATTEMPTS = 3;
  private static final int MAX_ATTEMPTS = 10;
  private static final int MAX_WEIGHT = 10_000;

  public RouteConfiguration {
    groups = List.copyOf(groups);
    checkArgument(
        attempts >= 1 && attempts <= MAX_ATTEMPTS, "attempts must be from 1 to " + MAX_ATTEMPTS);
    checkArgument(
        timeout == null || timeout.toMilliseconds() >= 1, "timeout must be longer than nothing");
  }

  @JsonCreator
  static RouteConfiguration read(
      @Nullable Integer attempts, @Nullable Duration timeout, @Nullable List<List<Choice>> groups) {
    return new RouteConfiguration(
        requireNonNullElse(attempts, DEFAULT_ATTEMPTS),
        timeout,
        requireNonNullElse(groups, List.of()));
  }

  /**
   * A target in a group.
   *
   * @param to {@code provider/model}
   * @param weight relative share of the group's calls; default 1
   * @param window context window of the model in tokens; null: unknown
   */
  public record Choice(String to, int weight, @Nullable Integer window) {

    public Choice {
      checkArgument(!to.isBlank(), "to is missing: it names a provider/model");
      checkArgument(weight >= 1 && weight <= MAX_WEIGHT, "weight must be from 1 to " + MAX_WEIGHT);
      checkArgument(window == null || window >= 1, "window must be a positive number of tokens");
    }

    @JsonCreator
    static Choice read(@Nullable String to, @Nullable Integer weight, @Nullable Integer window) {
      return new Choice(requireNonNullElse(to, "").strip(), requireNonNullElse(weight, 1), window);
    }
  }
}
