package io.memorygateway.dialect;

import io.memorygateway.sse.SseEvent;
import java.util.List;

/**
 * Puts a streamed answer together as it goes by, so that it can be stored. For one stream and one
 * thread at a time. Holds what the answer says, not its events, up to the bound that it was opened
 * with; what comes after that is not collected.
 */
public interface AnswerAssembler {
  /** Takes the next event, whole or in pieces. Never fails: what is not understood is skipped. */
  void accept(SseEvent event);

  /**
   * The messages up to now, in the endpoint's own format; none if the answer is empty. Of several
   * choices, the first one.
   *
   * @param complete whether the answer came to its proper end. If not, the text is given as far as
   *     it came, but only whole tool calls and thoughts
   */
  List<StoredMessage> messages(boolean complete);

  /** The members of the answer besides its messages, as {@link AnswerReplay#metadata} has it. */
  String metadata();

  /**
   * Whether the answer was longer than the bound, or there was no room for it: what there is of it
   * is not complete.
   */
  boolean overflowed();
}
