package io.memorygateway.auth;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.dropwizard.util.Duration;
import org.jspecify.annotations.Nullable;

/**
 * {@code auth:} in config.yml.
 *
 * @param failuresPerMinute failed authentications that one address may have in a minute before it
 *     gets 429; default 100
 * @param graceWhileDatabaseDown how long a key that was valid keeps working while the database
 *     cannot be reached; default 15 min. The revocation of a key may go unnoticed for as long
 */
public record AuthConfiguration(int failuresPerMinute, Duration graceWhileDatabaseDown) {

  public AuthConfiguration {
    checkArgument(failuresPerMinute >= 1, "failuresPerMinute must be at least 1");
  }

  @JsonCreator
  static AuthConfiguration read(
      @Nullable Integer failuresPerMinute, @Nullable Duration graceWhileDatabaseDown) {
    return new AuthConfiguration(
        requireNonNullElse(failuresPerMinute, 100),
        requireNonNullElse(graceWhileDatabaseDown, Duration.minutes(15)));
  }

  public static AuthConfiguration defaults() {
    return read(null, null);
  }
}
