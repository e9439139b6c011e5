package io.memorygateway.turn;

import io.memorygateway.http.api.ResponseHeader;

/**
 * The status of memory on a proxied call, the value of {@link ResponseHeader#MEMORY_STATUS}
 * (contract §7).
 */
public enum MemoryStatus {
  /** The turn is durable once the caller has seen the end of the answer. */
  STORED("stored"),
  /**
   * Not all is stored: the store was down, the answer is too long to be stored, or has events that
   * cannot be read.
   */
  BYPASSED("bypassed"),
  /** Nothing is stored: the call did not ask for it, or it failed. */
  OFF("off");

  private final String wireName;

  MemoryStatus(String wireName) {
    this.wireName = wireName;
  }

  /** The header's value. */
  public String wireName() {
    return wireName;
  }
}
