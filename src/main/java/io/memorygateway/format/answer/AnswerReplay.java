package io.memorygateway.format.answer;

import io.memorygateway.format.content.StoredMessage;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rebuilds an answer from what was stored of it, in the endpoint's own format (contract §7). Of
 * several choices, only the first one was stored. Stateless and shared.
 */
public interface AnswerReplay {

  /**
   * An answer as it was stored.
   *
   * @param metadata its members besides its messages, as {@link #metadata} or {@link
   *     AnswerAssembler#metadata} returned them; null if they were not stored: then the other
   *     components are used, and the answer reports no tokens
   * @param id of the answer
   * @param created Unix time in seconds
   * @param model that answered
   * @param messages its messages
   */
  record Answered(
      @Nullable String metadata,
      String id,
      long created,
      String model,
      List<StoredMessage> messages) {}

  /**
   * The members of a whole, successful answer besides its messages, as JSON of a few kilobytes, and
   * of Chat its logprobs within a bound.
   */
  String metadata(byte[] jsonAnswer);

  byte[] body(Answered answered);

  /** Writes the answer as a stream of events, up to its proper end. */
  void stream(Answered answered, OutputStream out) throws IOException;
}
