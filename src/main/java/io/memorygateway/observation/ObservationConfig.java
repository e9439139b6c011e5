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
  /** Of a thread that says nothing else. */
  public static final ObservationConfig DEFAULT = new ObservationConfig(30_000, 40_000);

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
