package io.memorygateway.observation;

import java.util.ArrayList;
import java.util.List;

/**
 * Portions of a size that an observer does well on. A passage that is larger comes in parts, so
 * that a message of any size is observed (contract §8).
 */
final class Batches {
  /** Notes on more than this at once get worse. */
  static final int TOKENS = 10_000;

  /** What encloses a passage. */
  private static final int FRAME_TOKENS = 40;

  private final TokenCounter counter;
  private final int mostTokens;
  private final List<List<Passage>> batches = new ArrayList<>();
  private List<Passage> open = new ArrayList<>();
  private int openTokens;

  private Batches(TokenCounter counter, int mostTokens) {
    this.counter = counter;
    this.mostTokens = mostTokens;
  }

  static List<List<Passage>> of(List<Passage> passages, TokenCounter counter, int mostTokens) {
    Batches batches = new Batches(counter, mostTokens);
    passages.forEach(batches::add);
    batches.close();
    return batches.batches;
  }

  private void add(Passage passage) {
    int tokens = counter.count(passage.text()) + FRAME_TOKENS;
    if (openTokens > 0 && openTokens + tokens > mostTokens) {
      close();
    }
    if (tokens <= mostTokens) {
      open.add(passage);
      openTokens += tokens;
      return;
    }
    String text = passage.text();
    // As many characters as are as dense in tokens as the whole is on average.
    int length =
        (int)
            Math.max(16, (long) text.length() * (mostTokens - FRAME_TOKENS) / Math.max(1, tokens));
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
