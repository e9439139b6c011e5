package io.memorygateway.format.translation;

import io.memorygateway.json.JsonValue;
import java.util.function.ToLongFunction;

/** A stream whose output is counted, and which can be ended as an answer that came to its limit. */
public interface CountedStream {
  /**
   * Reads an event that may be passed on.
   *
   * @return the tokens of its output
   */
  long read(String name, JsonValue data);

  /**
   * Takes an event that was read, as it is passed on: what it begins, the end of the stream ends.
   *
   * @param keeps whether there is room for what it says: without, the end of the stream lacks it
   */
  void take(String name, JsonValue data, boolean keeps);

  /** Whether events have a type. */
  default boolean isTyped() {
    return true;
  }

  /**
   * Whether an event that is not read has more of the answer, as far as its type is known.
   *
   * @param type empty if it is not known
   * @param isFirst whether nothing was told before it: then it may tell what others repeat
   */
  default boolean tells(String type, boolean isFirst) {
    return type.isEmpty() || type.endsWith("delta") || isFirst;
  }

  /** Notes that an event is passed on that was not read: what the stream says is not all known. */
  default void missed() {}

  /** The events that end the stream, with its usage, of which input and output are known. */
  byte[] end(Usage usage);

  /** The type of an event; its name where its data do not say it. */
  static String type(String name, JsonValue data) {
    String type = data.text("type");
    return type.isEmpty() ? name : type;
  }

  /** The tokens of an event's output, as a reader of its stream tells it. */
  static long tokens(
      AnswerReader reader, String name, JsonValue data, ToLongFunction<String> counter) {
    long[] tokens = {0};
    reader.read(name, data, event -> tokens[0] += tokens(event, counter));
    return tokens[0];
  }

  static long tokens(AnswerEvent event, ToLongFunction<String> counter) {
    return counter.applyAsLong(
        event instanceof AnswerEvent.Call call ? call.name() : event.delta());
  }
}
