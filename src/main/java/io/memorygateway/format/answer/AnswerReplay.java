package io.memorygateway.format.answer;

import io.memorygateway.format.content.StoredMessage;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/**
 * Rebuilds an answer from what was stored of it, in the endpoint's own format (contract §7). Of
 * several choices, only the first one was stored. Stateless and shared.
 */
public interface AnswerReplay {

  /**
   * An answer as it was stored.
   *
   * @param metadata its members besides its messages, as {@link #metadata} or {@link
   *     AnswerAssembler#metadata} returned them
   * @param messages its messages
   */
  record Answered(String metadata, List<StoredMessage> messages) {}

  /**
   * The members of a whole, successful answer besides its messages, as JSON of a few kilobytes.
   *
   * @param logprobs whether those of Chat are among them, within a bound
   */
  String metadata(byte[] jsonAnswer, boolean logprobs);

  byte[] body(Answered answered);

  /** Writes the answer as a stream of events, up to its proper end. */
  void stream(Answered answered, OutputStream out) throws IOException;
}
