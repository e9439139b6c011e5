package io.memorygateway.turn;

import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.observation.ContextConfig;
import io.memorygateway.observation.text.TokenCounter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stored message as it goes upstream, perhaps with its date before it. Its tokens are counted
 * when first needed, then cached; threads that count at the same time get the same number.
 */
final class ContextMessage {
  /** The tokens of a message that have not been counted. */
  static final int NOT_COUNTED = -1;

  /** Tokens of the frame of a call of a tool or its result, and of its id. */
  private static final int TOOL_ENVELOPE = 16;

  /** The ids of tool calls, or results, of most messages. */
  private static final List<String> NONE = List.of();

  private final StoredMessage stored;
  private final StoredMessage message;
  private final List<String> calls;
  private final List<String> results;
  private int tokens;

  /**
   * @param mark the line before its text; null for none
   * @param counted tokens of the stored message; null if they are not known
   */
  ContextMessage(StoredMessage stored, @Nullable String mark, @Nullable Integer counted) {
    this.stored = stored;
    this.message = mark == null ? stored : stored.withFirstLine(mark);
    boolean words = stored.type().equals("text") || stored.type().equals("image");
    boolean tools = !words || stored.role().equals("tool");
    this.calls = tools ? stored.callIds() : NONE;
    this.results = tools ? stored.resultIds() : NONE;
    this.tokens = mark == null && counted != null ? counted : NOT_COUNTED;
  }

  StoredMessage stored() {
    return stored;
  }

  /** The message as it goes upstream. */
  StoredMessage message() {
    return message;
  }

  List<String> calls() {
    return calls;
  }

  List<String> results() {
    return results;
  }

  /** Its tokens; {@link #NOT_COUNTED} if they have not been counted. */
  int counted() {
    return tokens;
  }

  int tokens() {
    int known = tokens;
    if (known < 0) {
      known = new TokenCounter().countContent(message.content());
      tokens = known;
    }
    return known;
  }

  /** Tokens that it takes of the context, its envelope included. */
  long cost() {
    return tokens()
        + ContextConfig.ENVELOPE
        + (long) TOOL_ENVELOPE * (calls.size() + results.size());
  }
}
