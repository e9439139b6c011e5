package io.memorygateway.turn;

/** The status of memory on a proxied call, the value of {@code X-Memory-Status} (contract §7). */
public enum MemoryStatus {
  /** The turn is durable once the caller has seen the end of the answer. */
  STORED("stored"),
  /** Nothing is remembered: the store was down, or the answer is too long to be kept. */
  BYPASSED("bypassed"),
  /** Nothing is remembered: the call did not ask for it, or it failed. */
  OFF("off");

  /** The response header. */
  public static final String HEADER = "X-Memory-Status";

  /** The response header that says how much memory added to the call. */
  public static final String CONTEXT_HEADER = "X-Memory-Context";

  private final String wireName;

  MemoryStatus(String wireName) {
    this.wireName = wireName;
  }

  /** The header's value. */
  public String wireName() {
    return wireName;
  }
}
