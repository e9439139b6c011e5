package io.memorygateway.turn;

import io.memorygateway.sse.SseEvent;

/** The turn of a call without memory. */
final class PlainTurn implements Turn {
  private static final Streamed NOTHING =
      new Streamed() {
        @Override
        public void accept(SseEvent event) {}

        @Override
        public boolean tooLong() {
          return false;
        }

        @Override
        public MemoryStatus complete() {
          return MemoryStatus.OFF;
        }

        @Override
        public void interrupted(boolean failed, boolean complete) {}
      };

  private final byte[] upstreamBody;
  private final MemoryStatus status;

  PlainTurn(byte[] upstreamBody, MemoryStatus status) {
    this.upstreamBody = upstreamBody;
    this.status = status;
  }

  @Override
  public byte[] upstreamBody() {
    return upstreamBody;
  }

  @Override
  public MemoryStatus status() {
    return status;
  }

  @Override
  public MemoryStatus answered(byte[] answer) {
    return status;
  }

  @Override
  public Streamed streamed() {
    return NOTHING;
  }
}
