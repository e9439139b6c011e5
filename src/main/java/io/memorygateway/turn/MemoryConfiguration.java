package io.memorygateway.turn;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.Characters;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
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
 * @param compactions words with which the summaries begin that clients put in place of what they
 *     sum up, or the questions that summaries answer; default none
 */
public record MemoryConfiguration(
    OnStorageFailure onStorageFailure,
    boolean sessionThreads,
    List<String> sessions,
    Map<String, SideCall> sideCalls,
    List<String> compactions) {
  private static final List<String> SESSIONS =
      List.of("x-claude-code-session-id", "thread-id", "session-id", "x-session-id");

  /** Headers whose values are to be in no thread's name. */
  private static final Set<String> SECRET =
      Set.of("authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie");

  /** The behaviour while the store is down. */
  public enum OnStorageFailure {
    /** The call is refused with 503. */
    FAIL,
    /** The call is answered without memory, and marked so. */
    BYPASS
  }

  @JsonCreator
  static MemoryConfiguration read(
      @Nullable OnStorageFailure onStorageFailure,
      boolean sessionThreads,
      @Nullable List<String> sessions,
      @Nullable Map<String, SideCall> sideCalls,
      @Nullable List<String> compactions) {
    for (String words : requireNonNullElse(compactions, List.<String>of())) {
      if (words.isBlank()) {
        throw new IllegalArgumentException(
            "memory.compactions: an entry is blank, and every text would begin with it");
      }
    }
    for (String header : requireNonNullElse(sessions, SESSIONS)) {
      if (!Characters.areHeaderName(header)) {
        throw new IllegalArgumentException(
            "memory.sessions: '" + header + "' is not the name of a header");
      }
      if (SECRET.contains(header.toLowerCase(Locale.ROOT))) {
        throw new IllegalArgumentException(
            "memory.sessions: " + header + " carries a secret, and names no session");
      }
    }
    return new MemoryConfiguration(
        requireNonNullElse(onStorageFailure, OnStorageFailure.FAIL),
        sessionThreads,
        List.copyOf(requireNonNullElse(sessions, SESSIONS)),
        Collections.unmodifiableMap(new LinkedHashMap<>(requireNonNullElse(sideCalls, Map.of()))),
        List.copyOf(requireNonNullElse(compactions, List.of())));
  }

  public static MemoryConfiguration defaults() {
    return read(null, false, null, null, null);
  }

  /** Whether a message holds a summary that its client has put in place of what it sums up. */
  boolean isSummary(StoredMessage message) {
    return message.utterance().parts().stream().anyMatch(this::isSummary);
  }

  boolean isSummary(Part part) {
    return beginsAsSummary(part) || "compaction".equals(part.source().string("type"));
  }

  /**
   * Whether a part is a text that begins with the words of a summary; a question is all of its
   * text, and the summary answers it.
   */
  boolean beginsAsSummary(Part part) {
    return part instanceof Part.Text text
        && compactions.stream()
            .anyMatch(
                words ->
                    words.endsWith("?")
                        ? text.text().strip().equals(words)
                        : text.text().stripLeading().startsWith(words));
  }

  /**
   * Whether a text begins with words that announce a summary, and says more: they end with a colon,
   * or are a tag that is closed.
   */
  boolean announcesSummary(String text) {
    String said = text.strip();
    return compactions.stream()
        .anyMatch(
            words ->
                said.startsWith(words)
                    && said.length() > words.length()
                    && (words.endsWith(":")
                        || (words.startsWith("<") && said.contains("</" + words.substring(1)))));
  }

  boolean bypasses() {
    return onStorageFailure == OnStorageFailure.BYPASS;
  }
}
