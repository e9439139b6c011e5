package io.memorygateway.proxy.call;

import io.memorygateway.proxy.upstream.UpstreamAnswer;
import io.memorygateway.sse.EventSplitter;

/** Result of an attempt, before any byte of it is sent to the client. */
sealed interface AttemptResult {
  /**
   * A stream to pass on.
   *
   * @param events makes events of it
   * @param start the same for what is read first, which may have been events before
   */
  record Stream(UpstreamAnswer answer, EventSplitter events, EventSplitter start)
      implements AttemptResult {}

  /** A stream that has sent comments so far, and may still fail. */
  record Held(UpstreamAnswer answer, HeldStart start) implements AttemptResult {}

  /**
   * A complete, successful answer.
   *
   * @param body without the provider's key
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Complete(UpstreamAnswer answer, byte[] body) implements AttemptResult {}

  record Failed(AttemptFailure failure) implements AttemptResult {}
}
