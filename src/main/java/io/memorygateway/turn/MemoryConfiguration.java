package io.memorygateway.turn;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code memory:} in config.yml.
 *
 * @param onStorageFailure what becomes of a proxied call with memory while the database cannot be
 *     reached; default fail
 * @param sessionThreads whether a call with {@code x-resource-id} alone is a turn of its session's
 *     thread; default false
 * @param sessions headers in which clients name the session, the first that a call has counts;
 *     {@code prompt_cache_key} is the member of the body; default those of Claude Code, Codex and
 *     opencode
 * @param sideCalls marks of calls that are not part of the conversation, by name, in the order in
 *     which they are tried; default none
 */
public record MemoryConfiguration(
    OnStorageFailure onStorageFailure,
    boolean sessionThreads,
    List<String> sessions,
    Map<String, SideCall> sideCalls) {
  private static final List<String> SESSIONS =
      List.of("x-claude-code-session-id", "thread-id", "session-id", "x-session-id");

  /** The behaviour while the store is down. */
  public enum OnStorageFailure {
    /** The call is refused with 503. */
    FAIL,
    /** The call is answered without memory, and marked so. */
    BYPASS
  }

  @JsonCreator
  static MemoryConfiguration read(
      @JsonProperty("onStorageFailure") @Nullable OnStorageFailure onStorageFailure,
      @JsonProperty("sessionThreads") boolean sessionThreads,
      @JsonProperty("sessions") @Nullable List<String> sessions,
      @JsonProperty("sideCalls") @Nullable Map<String, SideCall> sideCalls) {
    return new MemoryConfiguration(
        requireNonNullElse(onStorageFailure, OnStorageFailure.FAIL),
        sessionThreads,
        List.copyOf(requireNonNullElse(sessions, SESSIONS)),
        Collections.unmodifiableMap(new LinkedHashMap<>(requireNonNullElse(sideCalls, Map.of()))));
  }

  public static MemoryConfiguration defaults() {
    return read(null, false, null, null);
  }

  boolean bypasses() {
    return onStorageFailure == OnStorageFailure.BYPASS;
  }
}
