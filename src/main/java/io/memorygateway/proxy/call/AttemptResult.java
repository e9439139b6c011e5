package io.memorygateway.proxy.call;

import io.memorygateway.proxy.upstream.UpstreamAnswer;

/** Result of an attempt, before any byte of it is sent to the client. */
sealed interface AttemptResult {
  /** A stream to pass on. */
  record Stream(UpstreamAnswer answer) implements AttemptResult {}

  /** A stream that has sent comments so far, and may still fail. */
  record Held(UpstreamAnswer answer, HeldStart start) implements AttemptResult {}

  /**
   * A complete, successful answer.
   *
   * @param body without the provider's key
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Complete(UpstreamAnswer answer, byte[] body) implements AttemptResult {}

  /** The attempt failed. */
  record Failed(AttemptFailure failure) implements AttemptResult {}
}
