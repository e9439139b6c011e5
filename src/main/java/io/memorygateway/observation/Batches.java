package io.memorygateway.observation;

import java.util.ArrayList;
import java.util.List;

/**
 * Portions of a size that an observer does well on. A passage that is larger than this, or than the
 * thread's threshold, comes in parts, so that a message of any size is observed (contract §8).
 */
final class Batches {
  /** Notes on more than this at once get worse. */
  static final int TOKENS = 10_000;

  /** What encloses a passage. */
  private static final int FRAME_TOKENS = 40;

  private final TokenCounter counter;
  private final int mostTokens;
  private final int largestPart;
  private final List<List<Passage>> batches = new ArrayList<>();
  private List<Passage> open = new ArrayList<>();
  private int openTokens;

  private Batches(TokenCounter counter, int mostTokens, long threshold) {
    this.counter = counter;
    this.mostTokens = mostTokens;
    this.largestPart = (int) Math.min(mostTokens - FRAME_TOKENS, threshold);
  }

  /**
   * Portions of passages, in their order.
   *
   * @param mostTokens of a portion
   * @param threshold tokens over which a passage comes in parts
   */
  static List<List<Passage>> of(
      List<Passage> passages, TokenCounter counter, int mostTokens, long threshold) {
    Batches batches = new Batches(counter, mostTokens, threshold);
    passages.forEach(batches::add);
    batches.close();
    return batches.batches;
  }

  private void add(Passage passage) {
    String text = passage.text();
    int tokens = counter.count(text);
    boolean inParts = tokens > largestPart;
    if (inParts || openTokens + tokens + FRAME_TOKENS > mostTokens) {
      close();
    }
    if (!inParts) {
      open.add(passage);
      openTokens += tokens + FRAME_TOKENS;
      return;
    }
    // As many characters as are as dense in tokens as the whole is on average.
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
