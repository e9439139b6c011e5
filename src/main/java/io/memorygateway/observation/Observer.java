package io.memorygateway.observation;

import java.util.List;

/** Turns messages into observations. */
interface Observer {
  /**
   * Observes one portion.
   *
   * @param notes what is noted already, or the end of it
   */
  Observation observe(List<Passage> passages, String notes);
}
