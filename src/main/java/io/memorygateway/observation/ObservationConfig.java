package io.memorygateway.observation;

import io.memorygateway.json.JsonOut;
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

  /** As the API shows it. */
  public byte[] toJson() {
    return new JsonOut(64)
        .ascii("{\"messageTokens\":")
        .number(messageTokens)
        .ascii(",\"observationTokens\":")
        .number(observationTokens)
        .ascii("}")
        .toBytes();
  }
}
