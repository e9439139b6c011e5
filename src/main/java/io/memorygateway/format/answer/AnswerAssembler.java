package io.memorygateway.format.answer;

import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.sse.SseEvent;
import java.util.List;

/**
 * Assembles a streamed answer as it passes, so that it can be stored. For one stream and one thread
 * at a time. Holds the content of the answer, not its events, up to the bound that it was opened
 * with; content beyond the bound is not collected.
 */
public interface AnswerAssembler {
  /**
   * Takes the next event, whole or in pieces. Never fails: events that cannot be read are skipped,
   * and {@link #unreadable} says so.
   */
  void accept(SseEvent event);

  /**
   * The messages so far, in the endpoint's own format; none if the answer is empty. Of several
   * choices, the first one. What the model broke off or wrote wrongly is there as it came.
   */
  List<StoredMessage> messages();

  /** The members of the answer besides its messages, as {@link AnswerReplay#metadata} has it. */
  String metadata();

  /**
   * Whether the answer was longer than the bound, or no heap was left for it: then only its
   * beginning is held.
   */
  boolean overflowed();

  /** Whether the client got an event that could not be read: then something may be missing. */
  boolean unreadable();
}
