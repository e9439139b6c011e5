package io.memorygateway.dialect;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Recognises the observations that Mastra's own observational memory puts into a system prompt: an
 * introduction, {@code The following observations block contains your memory of …}, and behind it a
 * line {@code <observations>}. Newer versions make a system message of each, do not close the tag,
 * and put instructions of any length between the two. The tag alone is not enough: a prompt may
 * mention this tag for other reasons, and its call would then silently lose its memory.
 */
final class ForeignObservations {
  private static final Pattern INTRODUCTION =
      Pattern.compile(
          "observations\\s++block\\s++contains\\s++your\\s++memory\\b", Pattern.CASE_INSENSITIVE);
  private static final Pattern TAG =
      Pattern.compile(
          "^[ \\t]*+<observations>[ \\t]*+$", Pattern.CASE_INSENSITIVE | Pattern.MULTILINE);

  private ForeignObservations() {}

  /**
   * Whether the text contains such observations. Linear, however often a part of it is repeated.
   */
  static boolean areIn(CharSequence systemPrompt) {
    Matcher introduction = INTRODUCTION.matcher(systemPrompt);
    return introduction.find() && TAG.matcher(systemPrompt).find(introduction.end());
  }
}
