package io.memorygateway.dialect;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Recognises the observations that Mastra's own observational memory puts into a system prompt: an
 * introduction, {@code The following observations block contains your memory of …}, and behind it
 * the block, {@code <observations> … </observations>}. The tag alone is not enough: a prompt may
 * speak of such a tag for reasons of its own, and would then lose its memory in silence.
 */
final class ForeignObservations {
  private static final Pattern INTRODUCTION =
      Pattern.compile(
          "observations\\s++block\\s++contains\\s++your\\s++memory\\b", Pattern.CASE_INSENSITIVE);

  private static final Pattern TAG = Pattern.compile("<observations>", Pattern.CASE_INSENSITIVE);

  /** Characters between the introduction and the tag, at most. */
  private static final int LONGEST_INTRODUCTION = 2000;

  private ForeignObservations() {}

  /** Takes time in proportion to the length, however often a part of it is repeated. */
  static boolean areIn(CharSequence systemPrompt) {
    Matcher introduction = INTRODUCTION.matcher(systemPrompt);
    Matcher tag = TAG.matcher(systemPrompt);
    boolean tagged = tag.find();
    while (tagged && introduction.find()) {
      while (tagged && tag.start() < introduction.end()) {
        tagged = tag.find();
      }
      if (tagged && tag.start() - introduction.end() <= LONGEST_INTRODUCTION) {
        return true;
      }
    }
    return false;
  }
}
