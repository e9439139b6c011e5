package io.memorygateway.observation.text;

import java.util.List;

/** Turns messages into observations. */
interface Observer {
  /**
   * Observes one batch.
   *
   * @param notes the observations so far, or the end of them
   */
  Observation observe(List<Passage> passages, String notes);
}
