package io.memorygateway.turn;

/**
 * The turn of a call that has been answered before: nothing goes upstream, and nothing is stored.
 *
 * @param onHandedOn run when the end of the answer has been handed on
 */
record ReplayedTurn(Replay replay, Runnable onHandedOn) implements Turn {
  @Override
  public void handedOn() {
    onHandedOn.run();
  }

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
