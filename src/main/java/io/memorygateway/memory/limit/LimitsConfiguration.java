package io.memorygateway.memory.limit;

import static com.google.common.base.Preconditions.checkArgument;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.dropwizard.util.DataSize;
import org.jspecify.annotations.Nullable;

/**
 * {@code limits:} in config.yml.
 *
 * @param storage bytes that the threads of one project may hold; null, the default: unlimited
 */
public record LimitsConfiguration(@Nullable DataSize storage) {

  public LimitsConfiguration {
    checkArgument(storage == null || storage.toBytes() >= 1, "storage must be at least a byte");
  }

  @JsonCreator(mode = JsonCreator.Mode.PROPERTIES)
  static LimitsConfiguration read(@Nullable DataSize storage) {
    return new LimitsConfiguration(storage);
  }

  /** The limit in bytes; null if there is none. */
  public @Nullable Long storageBytes() {
    return storage == null ? null : storage.toBytes();
  }

  public static LimitsConfiguration defaults() {
    return read(null);
  }
}
