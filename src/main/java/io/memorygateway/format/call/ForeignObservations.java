package io.memorygateway.format.call;

import java.util.List;
import java.util.Locale;

/**
 * Recognises the observations that Mastra's own observational memory puts into a system prompt: an
 * introduction, {@code The following observations block contains your memory of …}, and behind it a
 * line {@code <observations>}. Newer versions make a system message of each, do not close the tag,
 * and put instructions of any length between the two. The tag alone is not enough: a prompt may
 * mention this tag for other reasons, and its call would then silently lose its memory.
 */
public final class ForeignObservations {
  private static final String FIRST = "observations";
  private static final List<String> NEXT = List.of("block", "contains", "your", "memory");
  private static final String TAG = "<observations>";

  private ForeignObservations() {}

  /**
   * Whether the text contains such observations. Linear, however often a part of it is repeated.
   */
  public static boolean areIn(CharSequence systemPrompt) {
    String text = systemPrompt.toString().toLowerCase(Locale.ROOT);
    for (int at = text.indexOf(FIRST); at >= 0; at = text.indexOf(FIRST, at + FIRST.length())) {
      int end = endOfIntroduction(text, at + FIRST.length());
      if (end >= 0) {
        return text.substring(end).lines().skip(1).map(String::strip).anyMatch(TAG::equals);
      }
    }
    return false;
  }

  /** End of the words that come next; -1 if others do. */
  private static int endOfIntroduction(String text, int start) {
    int at = start;
    for (String word : NEXT) {
      int gap = at;
      while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
        at++;
      }
      if (at == gap || !text.startsWith(word, at)) {
        return -1;
      }
      at += word.length();
    }
    return at < text.length() && Character.isJavaIdentifierPart(text.charAt(at)) ? -1 : at;
  }
}
