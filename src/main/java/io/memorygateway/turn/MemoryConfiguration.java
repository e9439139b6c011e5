package io.memorygateway.turn;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * {@code memory:} in config.yml.
 *
 * @param onStorageFailure what becomes of a proxied call with memory while the database cannot be
 *     reached; default fail
 */
public record MemoryConfiguration(OnStorageFailure onStorageFailure) {

  /** The behaviour while the store is down. */
  public enum OnStorageFailure {
    /** The call is refused with 503. */
    FAIL,
    /** The call is answered without memory, and marked so. */
    BYPASS
  }

  @JsonCreator
  static MemoryConfiguration read(
      @JsonProperty("onStorageFailure") @Nullable OnStorageFailure onStorageFailure) {
    return new MemoryConfiguration(requireNonNullElse(onStorageFailure, OnStorageFailure.FAIL));
  }

  public static MemoryConfiguration defaults() {
    return read(null);
  }

  boolean bypasses() {
    return onStorageFailure == OnStorageFailure.BYPASS;
  }
}
