package io.memorygateway.proxy.count;

import io.memorygateway.format.translation.AnswerEvent;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonValue;
import io.memorygateway.observation.text.TokenCounter;

/** A stream whose output is counted, and which can be ended as an answer that came to its limit. */
public interface CountedStream {
  /**
   * Reads an event.
   *
   * @param keeps whether there is room for what it says: without, the end of the stream lacks it
   * @return the tokens of its output
   */
  long read(String name, JsonValue data, boolean keeps);

  /** Notes that an event is passed on that was not read: what the stream says is not all known. */
  default void missed() {}

  /** Forgets the event that was read last, which is not passed on. */
  void forget();

  /** The events that end the stream, with its usage, of which input and output are known. */
  byte[] end(Usage usage);

  /** The type of an event; its name where its data do not say it. */
  static String type(String name, JsonValue data) {
    String type = data.text("type");
    return type.isEmpty() ? name : type;
  }

  static long tokens(AnswerEvent event, TokenCounter counter) {
    return counter.count(event instanceof AnswerEvent.Call call ? call.name() : event.delta());
  }
}
