package io.memorygateway.observation;

import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * Thresholds at which observations are made and condensed (contract §8).
 *
 * @param messageTokens tokens of messages not yet observed at which the observer runs
 * @param observationTokens tokens of observations at which the reflector runs
 */
public record ObservationConfig(int messageTokens, int observationTokens) {
  /**
   * Tokens of messages from which on the observer checks a thread, and so also the least bytes:
   * chunks are prepared every fifth of the threshold.
   */
  public long firstCheck() {
    return messageTokens / 5;
  }

  /** This configuration with a thread's own values; null leaves a value as it is. */
  public ObservationConfig with(
      @Nullable Integer ownMessageTokens, @Nullable Integer ownObservationTokens) {
    return new ObservationConfig(
        ownMessageTokens == null ? messageTokens : ownMessageTokens,
        ownObservationTokens == null ? observationTokens : ownObservationTokens);
  }

  /**
   * Whether the unobserved messages are more than what goes upstream beside the observations
   * (contract §8).
   *
   * @param log tokens of the observations
   * @param pending tokens of the messages
   * @param messages number of the messages
   */
  boolean overflows(long log, long pending, long messages) {
    ContextConfig context =
        new ContextConfig(
            messageTokens,
            observationTokens,
            Integer.MAX_VALUE,
            RecallScope.THREAD,
            false,
            ZoneOffset.UTC);
    return pending + ContextConfig.ENVELOPE * messages > context.tokensBeside(context.framed(log));
  }
}
