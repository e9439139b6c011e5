package io.memorygateway.price;

/**
 * Token counts of a call, or the most that they can come to.
 *
 * @param input all tokens of the input, the cached, the written and those of audio too
 * @param written5m written to a cache for five minutes, or for a time that is not told
 * @param output all tokens of the output, those of reasoning and of audio too
 */
public record Tokens(
    long input,
    long cached,
    long written5m,
    long written1h,
    long audioInput,
    long output,
    long reasoning,
    long audioOutput) {

  public static Tokens of(long input, long output) {
    return new Tokens(input, 0, 0, 0, 0, output, 0, 0);
  }

  long of(Rate rate) {
    long tokens =
        switch (rate) {
          case INPUT -> input;
          case OUTPUT -> output;
          case CACHE_READ -> cached;
          case CACHE_WRITE5M -> written5m;
          case CACHE_WRITE1H -> written1h;
          case REASONING -> reasoning;
          case AUDIO_INPUT -> audioInput;
          case AUDIO_OUTPUT -> audioOutput;
          case REQUEST -> 1;
        };
    return Math.max(tokens, 0);
  }

  /** At most so many tokens, each of which may be of any kind. */
  public static Tokens upTo(long input, long output) {
    return new Tokens(input, input, input, input, input, output, output, output);
  }
}
