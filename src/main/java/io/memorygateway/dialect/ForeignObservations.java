package io.memorygateway.dialect;

import java.util.regex.Pattern;

/**
 * Recognises the observations that Mastra's own observational memory puts into a system prompt: an
 * introduction, {@code The following observations block contains your memory of …}, and behind it
 * the block, {@code <observations> … </observations>}. The tag alone is not enough: a prompt may
 * speak of such a tag for reasons of its own, and would then lose its memory in silence.
 */
final class ForeignObservations {
  private static final Pattern BLOCK =
      Pattern.compile(
          "observations\\s+block\\s+contains\\s+your\\s+memory\\b.{0,2000}?<observations>",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private ForeignObservations() {}

  static boolean areIn(CharSequence systemPrompt) {
    return BLOCK.matcher(systemPrompt).find();
  }
}
