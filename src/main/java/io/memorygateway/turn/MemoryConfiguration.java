package io.memorygateway.turn;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.http.errors.ApiException;
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
 *     sum up, the questions that summaries answer, or, behind {@code ^}, what the model then says;
 *     default none
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

  /** Stands before words of the model's that say that the message before them is a summary. */
  private static final String READ = "^";

  /** What crewAI says behind its summary. */
  private static final String GOES_ON = "Continue the task from where the conversation left off.";

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
      if (words.isBlank() || words.equals(READ)) {
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
    return message.utterance().parts().stream().anyMatch(part -> isSummary(message, part));
  }

  /** Whether a part of a message is a summary, by its type or its words. */
  boolean isSummary(StoredMessage message, Part part) {
    return isCompaction(part)
        || (part instanceof Part.Text text
            && compactions.stream().anyMatch(words -> fits(words, message, text.text())));
  }

  static boolean isCompaction(Part part) {
    return "compaction".equals(part.source().string("type"));
  }

  /** Whether a message says that the user's one before it is a summary. */
  boolean saysRead(StoredMessage message) {
    return compactions.stream()
        .anyMatch(words -> words.startsWith(READ) && fits(words, message, message.text()));
  }

  /**
   * Whether a message of the user is what announces a summary, and says more: it begins with words
   * that end with a colon or a full stop, behind reminders in tags, or is all within a tag.
   */
  boolean announcesSummary(StoredMessage message) {
    List<Part> parts = message.utterance().parts();
    Part said = parts.stream().filter(part -> !isReminder(part)).findFirst().orElse(parts.get(0));
    if (!message.isOfUser() || !(said instanceof Part.Text text)) {
      return false;
    }
    return compactions.stream()
        .filter(words -> fits(words, message, text.text()))
        .map(String::strip)
        .anyMatch(
            words ->
                words.startsWith("<")
                    ? parts.size() == 1
                    : (words.endsWith(":") || words.endsWith("."))
                        && text.text().strip().length() > words.length());
  }

  private static boolean isReminder(Part part) {
    return part instanceof Part.Text text
        && text.text().startsWith("<system-reminder>")
        && text.text().stripTrailing().endsWith("</system-reminder>");
  }

  /** Whether a summary is nothing but a tag, which a user may write as well. */
  static boolean isTag(StoredMessage summary) {
    String said = summary.text().strip();
    return said.startsWith("<") && said.endsWith(">");
  }

  /**
   * Whether a text of a message begins with the words of a summary. A question is all of it, and a
   * tag is closed where the message ends. Tags and headings are the user's: models use them for
   * anything.
   */
  private static boolean fits(String words, StoredMessage message, String text) {
    if (words.startsWith(READ)) {
      return message.role().equals("assistant")
          && text.stripLeading().startsWith(words.substring(1));
    }
    if (words.endsWith("?")) {
      return text.strip().equals(words);
    }
    boolean isTag = words.startsWith("<");
    return text.stripLeading().startsWith(words)
        && (message.isOfUser() || !(isTag || words.startsWith("#")))
        && (!isTag || isClosed(words, message.text().strip()));
  }

  private static boolean isClosed(String tag, String said) {
    String tagged =
        said.endsWith(GOES_ON) ? said.substring(0, said.length() - GOES_ON.length()) : said;
    return tagged.stripTrailing().endsWith("</" + tag.substring(1));
  }

  /** Whether a call that failed so is answered without memory. */
  boolean bypasses(ApiException failure) {
    return onStorageFailure == OnStorageFailure.BYPASS
        && failure.error().status() == 503
        && !(failure instanceof BusyException);
  }
}
