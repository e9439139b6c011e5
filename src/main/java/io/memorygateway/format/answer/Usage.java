package io.memorygateway.format.answer;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/**
 * The tokens of one call as the upstream counted them, with the same meaning in all three formats.
 * The wire formats differ: OpenAI's input includes the cached tokens, Anthropic's excludes both
 * those read from the cache and those written to it. Here they are always included.
 *
 * @param inputTokens all tokens of the input, cached or not; {@link #UNKNOWN} if not reported
 * @param outputTokens all tokens of the output, reasoning included; {@link #UNKNOWN} if not
 *     reported
 * @param cachedInputTokens those of the input that were read from a cache; {@link #UNKNOWN} if not
 *     reported
 */
public record Usage(long inputTokens, long outputTokens, long cachedInputTokens) {
  public static final long UNKNOWN = -1;

  /** Nothing was reported. */
  public static final Usage NONE = new Usage(UNKNOWN, UNKNOWN, UNKNOWN);

  /** The current token as a count of tokens, or {@link #UNKNOWN}. */
  public static long count(JsonParser parser) throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT && parser.getTextLength() <= 18) {
      return Math.max(parser.getLongValue(), UNKNOWN);
    }
    return UNKNOWN;
  }
}
