package io.memorygateway.format.messages;

import io.memorygateway.format.translation.AnswerReader;
import io.memorygateway.format.translation.CountedStream;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import java.nio.charset.StandardCharsets;
import java.util.TreeSet;
import java.util.function.ToLongFunction;

/** A stream of Messages, in blocks that begin and end: those that are open end with the stream. */
final class CountedBlocks implements CountedStream {
  private static final int MAX_BLOCKS = 1024;

  private final AnswerReader reader;
  private final ToLongFunction<String> counter;

  /** Blocks that have begun and not ended, whatever they are, by their index. */
  private final TreeSet<Integer> open = new TreeSet<>();

  CountedBlocks(AnswerReader reader, ToLongFunction<String> counter) {
    this.reader = reader;
    this.counter = counter;
  }

  @Override
  public long read(String name, JsonValue data) {
    long tokens = CountedStream.tokens(reader, name, data, counter);
    // What ends the answer is passed on: the words of a refusal may stand there alone.
    String type = CountedStream.type(name, data);
    return type.equals("message_delta") || type.equals("message_stop") ? 0 : tokens;
  }

  @Override
  public void take(String name, JsonValue data, boolean keeps) {
    String type = CountedStream.type(name, data);
    int index = data.index("index");
    if (type.equals("content_block_start") && index >= 0 && open.size() < MAX_BLOCKS) {
      open.add(index);
    } else if (type.equals("content_block_stop")) {
      open.remove(index);
    }
  }

  @Override
  public byte[] end(Usage usage) {
    StringBuilder end = new StringBuilder();
    for (int index : open) {
      event("content_block_stop", new JsonObject().number("index", index), end);
    }
    JsonObject delta =
        new JsonObject().string("stop_reason", "max_tokens").raw("stop_sequence", "null");
    long written = Math.max(0, usage.written());
    long cached = Math.max(0, usage.cached());
    JsonObject tokens =
        new JsonObject()
            .number("input_tokens", Math.max(0, usage.input() - written - cached))
            .number("cache_creation_input_tokens", written)
            .number("cache_read_input_tokens", cached)
            .number("output_tokens", usage.output());
    event(
        "message_delta",
        new JsonObject().raw("delta", delta.toString()).raw("usage", tokens.toString()),
        end);
    event("message_stop", new JsonObject(), end);
    return end.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void event(String type, JsonObject members, StringBuilder out) {
    members.string("type", type);
    out.append("event: ").append(type).append("\ndata: ").append(members).append("\n\n");
  }
}
