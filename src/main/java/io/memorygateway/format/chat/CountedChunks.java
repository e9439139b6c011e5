package io.memorygateway.format.chat;

import io.memorygateway.format.translation.AnswerReader;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.CountedStream;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A stream of Chat or of the legacy completions, in chunks of which each is of one or more choices.
 */
final class CountedChunks implements CountedStream {
  /** Members of a chunk that those which end the stream repeat. */
  private static final List<String> HEAD =
      List.of("id", "object", "created", "model", "system_fingerprint", "service_tier");

  private static final int MAX_CHOICES = 1024;

  private final ToLongFunction<String> counter;

  /** Reads chunks of Chat; null for the legacy completions. */
  private final @Nullable Translator chat;

  /** Of Chat, a reader for each choice by its index. */
  private final Map<Integer, AnswerReader> readers = new HashMap<>();

  /** Choices that have begun and not ended. */
  private TreeSet<Integer> open = new TreeSet<>();

  private TreeSet<Integer> before = open;
  private @Nullable JsonValue chunk;

  CountedChunks(@Nullable Translator chat, ToLongFunction<String> counter) {
    this.chat = chat;
    this.counter = counter;
  }

  @Override
  public boolean isTyped() {
    return false;
  }

  @Override
  public long read(String name, JsonValue data, boolean keeps) {
    JsonValue choices = data.get("choices");
    if (choices == null) {
      chunk = chunk == null ? data : chunk;
      before = open;
      return 0;
    }
    chunk = data;
    before = open;
    open = new TreeSet<>(open);
    long tokens = 0;
    for (JsonValue choice : choices.items()) {
      if (!choice.isObject()) {
        continue;
      }
      int which = Math.max(0, choice.index("index"));
      if (choice.string("finish_reason") != null) {
        open.remove(which);
      } else if (open.size() < MAX_CHOICES) {
        open.add(which);
      }
      tokens +=
          chat == null
              ? counter.applyAsLong(choice.text("text"))
              : read(
                  chat,
                  which,
                  name,
                  which == 0 && choices.items().size() == 1 ? data : alone(choice));
    }
    return tokens;
  }

  /** A chunk of one choice, as if there were no others. */
  private static JsonValue alone(JsonValue choice) {
    return JsonValue.of("{\"choices\":[" + choice.with("index", "0").raw() + "]}");
  }

  private long read(Translator format, int which, String name, JsonValue data) {
    if (readers.size() >= MAX_CHOICES && !readers.containsKey(which)) {
      return counter.applyAsLong(data.raw());
    }
    long[] tokens = {0};
    readers
        .computeIfAbsent(which, index -> format.openReader("", new CallIds()))
        .read(name, data, event -> tokens[0] += CountedStream.tokens(event, counter));
    return tokens[0];
  }

  @Override
  public void forget() {
    open = before;
  }

  @Override
  public byte[] end(Usage usage) {
    StringBuilder end = new StringBuilder();
    // Of a stream that ends before it has begun, the first choice begins here.
    String delta = open.isEmpty() ? "{\"role\":\"assistant\",\"content\":\"\"}" : "{}";
    for (int which : open.isEmpty() ? List.of(0) : open) {
      JsonObject choice = new JsonObject().number("index", which);
      if (chat == null) {
        choice.string("text", "");
      } else {
        choice.raw("delta", delta);
      }
      choice.raw("logprobs", "null").string("finish_reason", "length");
      end.append(chunk("[" + choice + "]", "null"));
    }
    JsonObject tokens =
        new JsonObject()
            .number("prompt_tokens", usage.input())
            .number("completion_tokens", usage.output())
            .number("total_tokens", usage.input() + usage.output());
    if (usage.cached() >= 0) {
      tokens.raw("prompt_tokens_details", "{\"cached_tokens\":" + usage.cached() + "}");
    }
    return end.append(chunk("[]", tokens.toString()))
        .append("data: [DONE]\n\n")
        .toString()
        .getBytes(StandardCharsets.UTF_8);
  }

  private String chunk(String choices, String usage) {
    JsonObject next = new JsonObject();
    for (String member : HEAD) {
      next.raw(member, chunk == null ? null : chunk.get(member));
    }
    next.raw("choices", choices).raw("usage", usage);
    return "data: " + JsonWriter.inOneLine(next.toString()) + "\n\n";
  }
}
