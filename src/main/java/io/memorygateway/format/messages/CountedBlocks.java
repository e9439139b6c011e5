package io.memorygateway.format.messages;

import io.memorygateway.format.translation.AnswerReader;
import io.memorygateway.format.translation.CountedStream;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import java.nio.charset.StandardCharsets;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** A stream of Messages, in blocks that begin and end: those that are open end with the stream. */
final class CountedBlocks implements CountedStream {
  private static final int MAX_BLOCKS = 1024;

  private final AnswerReader reader;
  private final ToLongFunction<String> counter;

  /** Blocks that have begun and not ended, whatever they are, by their index. */
  private final TreeSet<Integer> open = new TreeSet<>();

  /** The last event, of which nothing is taken before it is passed on. */
  private @Nullable JsonValue last;

  private String lastType = "";

  CountedBlocks(AnswerReader reader, ToLongFunction<String> counter) {
    this.reader = reader;
    this.counter = counter;
  }

  @Override
  public long read(String name, JsonValue data, boolean keeps) {
    takeLast();
    last = data;
    lastType = CountedStream.type(name, data);
    long[] tokens = {0};
    reader.read(name, data, event -> tokens[0] += CountedStream.tokens(event, counter));
    // What ends the answer is passed on: the words of a refusal may stand there alone.
    return lastType.equals("message_delta") || lastType.equals("message_stop") ? 0 : tokens[0];
  }

  private void takeLast() {
    JsonValue event = last;
    String type = event == null ? "" : lastType;
    int index = event == null ? -1 : event.index("index");
    if (type.equals("content_block_start") && index >= 0 && open.size() < MAX_BLOCKS) {
      open.add(index);
    } else if (type.equals("content_block_stop")) {
      open.remove(index);
    }
  }

  @Override
  public void forget() {
    last = null;
  }

  @Override
  public byte[] end(Usage usage) {
    takeLast();
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
