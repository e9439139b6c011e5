package io.memorygateway.turn;

import io.memorygateway.dialect.Dialect;
import io.memorygateway.dialect.RequestBody;
import io.memorygateway.dialect.SseEvent;

/** A call without memory. */
record PlainTurn(Dialect dialect, RequestBody body, MemoryStatus status) implements Turn {
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
        public void brokenOff(boolean failed, boolean whole) {}
      };

  @Override
  public byte[] upstreamBody(String model) {
    return dialect.prepare(body, model);
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
