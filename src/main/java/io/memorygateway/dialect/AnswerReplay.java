package io.memorygateway.dialect;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes an answer again from what was stored of it, in the endpoint's own format (contract §7). Of
 * several choices, the first one. Stateless and shared.
 */
public interface AnswerReplay {

  /**
   * An answer as it was stored.
   *
   * @param metadata what it held besides its messages, as {@link #metadata} or {@link
   *     AnswerAssembler#metadata} gave it; null if that was not kept: then the rest is used, and
   *     the answer reports no tokens
   * @param id of the answer
   * @param created Unix time in seconds
   * @param model that answered
   * @param said its messages
   */
  record Answered(
      @Nullable String metadata, String id, long created, String model, List<StoredMessage> said) {}

  /** The members of a whole, successful answer besides its messages, as JSON of a few kilobytes. */
  String metadata(byte[] jsonAnswer);

  /** The answer as JSON. */
  byte[] whole(Answered answered);

  /** The answer as a stream of events, to its proper end. */
  void stream(Answered answered, OutputStream out) throws IOException;
}
