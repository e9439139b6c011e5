package io.memorygateway.dialect;

/**
 * One endpoint's format, request and answer: the one place where the three differ. Stateless and
 * shared; what belongs to one answer is in its {@link AnswerStream}.
 */
public interface Dialect {
  /**
   * The body as it goes upstream: the model renamed and, where the format needs asking for it, the
   * usage of a stream asked for. Every byte outside these two edits stays (contract §6).
   *
   * @return UTF-8 JSON; not a copy when nothing changes
   */
  byte[] prepare(RequestBody body, String upstreamModel);

  /** A reader for one streamed answer. */
  AnswerStream openStream();

  /**
   * The tokens that a whole, successful answer reports; checks in the same pass that it is JSON.
   *
   * @throws MalformedAnswerException when it is not exactly one JSON object
   */
  Usage usage(byte[] jsonAnswer) throws MalformedAnswerException;
}
