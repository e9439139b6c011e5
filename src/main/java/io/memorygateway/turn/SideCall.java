package io.memorygateway.turn;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.memorygateway.format.call.CallTexts;
import io.memorygateway.json.Characters;
import org.jspecify.annotations.Nullable;

/**
 * A mark of calls that a client makes beside its conversation. All that it names must hold.
 *
 * @param header a header that the call has
 * @param system words with which a text of its system prompt begins
 * @param user words with which a text of the user's last message begins
 * @param thread {@code none}: the call has no memory; {@code read}: it sees the thread, and is not
 *     stored; {@code summary}: likewise, but what stands before the words of the user is; else the
 *     header whose value names a thread of its own
 */
record SideCall(
    @Nullable String header, @Nullable String system, @Nullable String user, String thread) {
  static final String NONE = "none";
  static final String READ = "read";
  static final String SUMMARY = "summary";

  SideCall {
    if (header == null && system == null && user == null) {
      throw new IllegalArgumentException(
          "memory.sideCalls: each names a header, system or user by which it is known");
    }
    for (String name : new String[] {header, thread}) {
      if (name != null && !Characters.areHeaderName(name)) {
        throw new IllegalArgumentException(
            "memory.sideCalls: header, and thread where it is none of none, read and summary, is"
                + " the name of a header");
      }
    }
    for (String words : new String[] {system, user}) {
      if (words != null && (words.isBlank() || words.length() > CallTexts.MAX_CHARACTERS)) {
        throw new IllegalArgumentException(
            "memory.sideCalls: system and user have 1 to 4096 characters");
      }
    }
  }

  @JsonCreator
  static SideCall read(
      @Nullable String header,
      @Nullable String system,
      @Nullable String user,
      @Nullable String thread) {
    return new SideCall(header, system, user, requireNonNullElse(thread, NONE));
  }

  /** Whether its calls have a thread of their own. */
  boolean namesThread() {
    return !thread.equals(NONE) && !thread.equals(READ) && !thread.equals(SUMMARY);
  }
}
