package io.memorygateway.observation;

import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * When observations are made and condensed (contract §8).
 *
 * @param messageTokens tokens of messages not yet observed at which the observer runs
 * @param observationTokens tokens of observations at which the reflector runs
 */
public record ObservationConfig(int messageTokens, int observationTokens) {
  /**
   * How many tokens of messages, and so bytes at least, are worth a look of the observer: buffers
   * are prepared every fifth of the threshold.
   */
  public long firstLook() {
    return messageTokens / 5;
  }

  /** This one, with what a thread says in its place. */
  public ObservationConfig with(
      @Nullable Integer ownMessageTokens, @Nullable Integer ownObservationTokens) {
    return new ObservationConfig(
        ownMessageTokens == null ? messageTokens : ownMessageTokens,
        ownObservationTokens == null ? observationTokens : ownObservationTokens);
  }

  /**
   * Whether what is not observed is more than goes upstream beside the observations (contract §8).
   *
   * @param log tokens of the observations
   * @param pending tokens of the messages
   * @param messages how many they are
   */
  boolean overflows(long log, long pending, long messages) {
    ContextConfig context =
        new ContextConfig(
            messageTokens, observationTokens, Integer.MAX_VALUE, false, ZoneOffset.UTC);
    return pending + ContextConfig.ENVELOPE * messages > context.roomBeside(context.framed(log));
  }
}
