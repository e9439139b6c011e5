package io.memorygateway.turn;

import io.memorygateway.observation.ContextConfig;
import org.jspecify.annotations.Nullable;

/**
 * Decides, newest first, which messages of a thread are held to be sent: those that may have room
 * in its context, judged by their sizes. What is sent of them is decided when their tokens are
 * counted. What the model said last is held whatever its size, because calls of tools in it may be
 * answered now, and so is the newest message; results of these calls have room of their own.
 */
final class SizeBound {
  /** Bytes that are sent at most, {@link ThreadTail#OVERHEAD} for each message included. */
  private static final long MOST_BYTES = ThreadTail.MOST_SENT;

  /** A token of text has seldom more bytes. */
  private static final long BYTES_PER_TOKEN = 16;

  /** Of an image or a file, which counts that much whatever its size. */
  private static final long ATTACHMENT_TOKENS = 765;

  /** The end of the thread, as it is walked towards its beginning. */
  private enum Stage {
    RESULTS,
    MODEL,
    OTHERS
  }

  private final long mostTokens;
  private Stage stage = Stage.RESULTS;
  private boolean first = true;
  private boolean full;
  private long bytes;
  private long tokens;

  SizeBound(long mostTokens) {
    this.mostTokens = mostTokens;
  }

  /**
   * Whether the next older message is held. Once one is not, no other is.
   *
   * @param size bytes of its content
   * @param counted its tokens; null if nobody has counted them
   */
  boolean admits(String role, String type, long size, @Nullable Integer counted) {
    boolean ofModel = role.equals("assistant");
    boolean result = type.equals("tool-result") && !ofModel;
    if (stage == Stage.RESULTS && !result) {
      stage = ofModel ? Stage.MODEL : Stage.OTHERS;
    } else if (stage == Stage.MODEL && !ofModel) {
      stage = Stage.OTHERS;
    }
    bytes += size + ThreadTail.OVERHEAD;
    tokens += ContextConfig.ENVELOPE + (counted == null ? leastTokens(type, size) : counted);
    boolean wanted =
        first
            || stage == Stage.MODEL
            || (bytes <= MOST_BYTES && (stage == Stage.RESULTS || tokens <= mostTokens));
    first = false;
    full |= !wanted;
    return !full;
  }

  private static long leastTokens(String type, long size) {
    long ofText = size / BYTES_PER_TOKEN;
    boolean attached = type.equals("image") || type.equals("mixed");
    return attached ? Math.min(ATTACHMENT_TOKENS, ofText) : ofText;
  }
}
