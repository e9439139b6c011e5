package io.memorygateway.observation.text;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits passages into batches of a size that an observer does well on. A passage that is larger
 * than a batch, or than the thread's threshold, is split into parts, so that a message of any size
 * is observed (contract §8).
 */
final class Batches {
  /** Tokens of a batch: notes on more than this at once get worse. */
  static final int TOKENS = 10_000;

  /** Tokens of the frame around a passage. */
  private static final int FRAME_TOKENS = 40;

  private final TokenCounter counter;
  private final int maxTokens;
  private final int largestPart;
  private final List<List<Passage>> batches = new ArrayList<>();
  private List<Passage> open = new ArrayList<>();
  private int openTokens;

  private Batches(TokenCounter counter, int maxTokens, long threshold) {
    this.counter = counter;
    this.maxTokens = maxTokens;
    this.largestPart = (int) Math.min(maxTokens - FRAME_TOKENS, threshold);
  }

  /**
   * The passages in batches, in their order.
   *
   * @param maxTokens of a batch
   * @param threshold tokens over which a passage is split into parts
   */
  static List<List<Passage>> of(
      List<Passage> passages, TokenCounter counter, int maxTokens, long threshold) {
    Batches batches = new Batches(counter, maxTokens, threshold);
    passages.forEach(batches::add);
    batches.close();
    return batches.batches;
  }

  private void add(Passage passage) {
    String text = passage.text();
    int tokens = counter.count(text);
    boolean inParts = tokens > largestPart;
    if (inParts || openTokens + tokens + FRAME_TOKENS > maxTokens) {
      close();
    }
    if (!inParts) {
      open.add(passage);
      openTokens += tokens + FRAME_TOKENS;
      return;
    }
    // As many characters as have so many tokens at the average density of the whole text.
    int length = (int) Math.max(16, (long) text.length() * largestPart / tokens);
    int from = 0;
    while (from < text.length()) {
      int to =
          text.length() - from <= length ? text.length() : TextCuts.best(text, from, from + length);
      open.add(passage.withText(text.substring(from, to)));
      close();
      from = to;
    }
  }

  private void close() {
    if (!open.isEmpty()) {
      batches.add(open);
      open = new ArrayList<>();
      openTokens = 0;
    }
  }
}
