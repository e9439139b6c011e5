package io.memorygateway.format.translation;

import io.memorygateway.json.JsonWriter;

/**
 * Writer of one streamed answer in the called format, as server-sent events. What it is given has
 * the order that {@link AnswerEvent} says; what it writes has that of the format. It writes each
 * piece of an answer as soon as the order of the format allows it, and ends what is open itself.
 */
public interface AnswerWriter {
  /** Appends the events that an event makes, each with its blank line; often none. */
  void write(AnswerEvent event, JsonWriter out);
}
