package io.memorygateway.proxy;

/** What came of an attempt, before anything of it is sent to the client. */
sealed interface AttemptResult {
  /** A stream that is to be passed on. */
  record Stream(UpstreamAnswer answer) implements AttemptResult {}

  /**
   * A whole, successful answer.
   *
   * @param body without the provider's key
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Whole(UpstreamAnswer answer, byte[] body) implements AttemptResult {}

  /** No answer. */
  record Failed(AttemptFailure failure) implements AttemptResult {}
}
