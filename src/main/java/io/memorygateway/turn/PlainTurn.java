package io.memorygateway.turn;

import io.memorygateway.sse.SseEvent;

/** The turn of a call without memory. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record PlainTurn(byte[] upstreamBody, MemoryStatus status) implements Turn {
  private static final Streamed NOTHING =
      new Streamed() {
        @Override
        public void accept(SseEvent event) {}

        @Override
        public boolean tooLong() {
          return false;
        }

        @Override
        public boolean isEmpty() {
          return true;
        }

        @Override
        public MemoryStatus complete() {
          return MemoryStatus.OFF;
        }

        @Override
        public void interrupted(boolean failed, boolean complete) {}
      };

  @Override
  public MemoryStatus answered(byte[] answer) {
    return status;
  }

  @Override
  public Streamed streamed() {
    return NOTHING;
  }
}
