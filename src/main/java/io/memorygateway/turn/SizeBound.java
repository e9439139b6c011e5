package io.memorygateway.turn;

import io.memorygateway.observation.ContextConfig;

/**
 * Decides, newest first, which messages of a thread are held in memory to be sent: those that may
 * fit its context, judged by their sizes. Which of them are sent is decided when their tokens are
 * counted. The model's last messages are held whatever their size, because calls of tools in them
 * may be answered now, and so is the newest message; results of these calls are bounded in bytes
 * only.
 */
final class SizeBound {
  /** The most bytes that are sent, with {@link #OVERHEAD}: far more than any model takes. */
  static final long MAX_BYTES = 8 << 20;

  /** Bytes that a message counts in addition to its content. */
  static final long OVERHEAD = 200;

  /** A token of text seldom has more bytes than this. */
  private static final long BYTES_PER_TOKEN = 16;

  /** Tokens of an image or a file, whatever its size. */
  private static final long ATTACHMENT_TOKENS = 765;

  /** The parts of a thread's end, from its newest message backwards. */
  private enum Stage {
    RESULTS,
    MODEL,
    OTHERS
  }

  private final long maxTokens;
  private Stage stage = Stage.RESULTS;
  private boolean first = true;
  private boolean full;
  private long bytes;
  private long tokens;

  SizeBound(long maxTokens) {
    this.maxTokens = maxTokens;
  }

  /**
   * Whether the next older message is held. Once one is not, no older one is.
   *
   * @param size bytes of its content
   * @param counted its tokens, or {@link ContextMessage#NOT_COUNTED}
   */
  boolean admits(String role, String type, long size, int counted) {
    boolean ofModel = role.equals("assistant");
    boolean result = type.equals("tool-result") && !ofModel;
    if (stage == Stage.RESULTS && !result) {
      stage = ofModel ? Stage.MODEL : Stage.OTHERS;
    } else if (stage == Stage.MODEL && !ofModel) {
      stage = Stage.OTHERS;
    }
    bytes += size + OVERHEAD;
    tokens += tokens(type, size, counted);
    boolean wanted =
        first
            || stage == Stage.MODEL
            || (bytes <= MAX_BYTES && (stage == Stage.RESULTS || tokens <= maxTokens));
    first = false;
    full |= !wanted;
    return !full;
  }

  /** Whether any messages of this size are held, whatever their order. */
  static boolean admitsAll(long bytes, long tokens, long maxTokens) {
    return bytes <= MAX_BYTES && tokens <= maxTokens;
  }

  /**
   * Tokens of a message, or the least that it may have.
   *
   * @param size bytes of its content
   * @param counted its tokens, or {@link ContextMessage#NOT_COUNTED}
   */
  static long tokens(String type, long size, int counted) {
    return ContextConfig.ENVELOPE + (counted < 0 ? minTokens(type, size) : counted);
  }

  private static long minTokens(String type, long size) {
    long ofText = size / BYTES_PER_TOKEN;
    boolean attached = type.equals("image") || type.equals("mixed");
    return attached ? Math.min(ATTACHMENT_TOKENS, ofText) : ofText;
  }
}
