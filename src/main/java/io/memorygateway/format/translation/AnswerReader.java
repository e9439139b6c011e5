package io.memorygateway.format.translation;

import io.memorygateway.json.JsonValue;
import java.util.function.Consumer;

/**
 * Reader of one streamed answer of a target. It never fails: what it does not know it leaves out,
 * and what cannot be an answer it gives as {@link AnswerEvent.Fail}, after which nothing comes. Its
 * state is at most what the answer holds.
 */
public interface AnswerReader {
  /**
   * Takes an event.
   *
   * @param name of the event; empty if it has none
   * @param data JSON
   */
  void read(String name, JsonValue data, Consumer<AnswerEvent> events);

  /** Whether events are held whole until more has come. */
  default boolean isHolding() {
    return false;
  }

  /** Gives what is held of a text, as the target's stream goes on no further. */
  default void breakOff(Consumer<AnswerEvent> events) {}

  /** Takes Chat's {@code [DONE]}. */
  default void done(Consumer<AnswerEvent> events) {}

  /**
   * Takes the end of the stream, as the target closed it: gives what is missing up to {@link
   * AnswerEvent.End}, or a {@link AnswerEvent.Fail} if the answer is not whole.
   */
  void end(Consumer<AnswerEvent> events);
}
