package io.memorygateway.turn;

/**
 * The turn of a call that has been answered before: nothing goes upstream, and nothing is stored.
 */
record ReplayedTurn(Replay replay) implements Turn {
  @Override
  public byte[] upstreamBody() {
    throw new IllegalStateException("the call has been answered");
  }

  @Override
  public MemoryStatus status() {
    return MemoryStatus.STORED;
  }

  @Override
  public MemoryStatus answered(byte[] answer) {
    throw new IllegalStateException("the call has been answered");
  }

  @Override
  public Streamed streamed() {
    throw new IllegalStateException("the call has been answered");
  }
}
