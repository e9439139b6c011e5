package io.memorygateway.proxy;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.dropwizard.util.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One entry below {@code routes:} in config.yml (contract §10). Whether its targets exist is
 * checked by {@link RouteTable}.
 *
 * @param attempts that one call may take, over all targets; default 3
 * @param timeout for all attempts of a call together; null: each target's own timeouts alone
 * @param groups of targets; a group is used when those before it have failed
 */
public record RouteConfiguration(
    int attempts, @Nullable Duration timeout, List<List<Choice>> groups) {
  static final int USUAL_ATTEMPTS = 3;
  private static final int MOST_ATTEMPTS = 10;
  private static final int LARGEST_WEIGHT = 10_000;

  /** Reads config.yml, with defaults. */
  @JsonCreator
  static RouteConfiguration read(
      @JsonProperty("attempts") @Nullable Integer attempts,
      @JsonProperty("timeout") @Nullable Duration timeout,
      @JsonProperty("groups") @Nullable List<List<Choice>> groups) {
    int most = requireNonNullElse(attempts, USUAL_ATTEMPTS);
    if (most < 1 || most > MOST_ATTEMPTS) {
      throw new IllegalArgumentException("attempts must be from 1 to " + MOST_ATTEMPTS);
    }
    if (timeout != null && timeout.toMilliseconds() < 1) {
      throw new IllegalArgumentException("timeout must be longer than nothing");
    }
    return new RouteConfiguration(
        most, timeout, List.copyOf(requireNonNullElse(groups, List.<List<Choice>>of())));
  }

  /**
   * A target in a group.
   *
   * @param to {@code provider/model}
   * @param weight its part of the group's calls; default 1
   * @param window tokens that the model reads at most; null: not known
   */
  public record Choice(String to, int weight, @Nullable Integer window) {

    /** Reads config.yml, with defaults. */
    @JsonCreator
    static Choice read(
        @JsonProperty("to") @Nullable String to,
        @JsonProperty("weight") @Nullable Integer weight,
        @JsonProperty("window") @Nullable Integer window) {
      if (to == null || to.isBlank()) {
        throw new IllegalArgumentException("to is missing: it names a provider/model");
      }
      int part = requireNonNullElse(weight, 1);
      if (part < 1 || part > LARGEST_WEIGHT) {
        throw new IllegalArgumentException("weight must be from 1 to " + LARGEST_WEIGHT);
      }
      if (window != null && window < 1) {
        throw new IllegalArgumentException("window must be a positive number of tokens");
      }
      return new Choice(to.strip(), part, window);
    }
  }
}
