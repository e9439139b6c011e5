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

  /** Longest chunk that is held with all that it says. */
  private static final int MAX_CHUNK = 4 << 10;

  private final ToLongFunction<String> counter;

  /** Reads chunks of Chat; null for the legacy completions. */
  private final @Nullable Translator chat;

  /** Of Chat, a reader for each choice by its index. */
  private final Map<Integer, AnswerReader> readers = new HashMap<>();

  /** Choices that have begun and not ended. */
  private final TreeSet<Integer> open = new TreeSet<>();

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
  public long read(String name, JsonValue data) {
    List<JsonValue> choices = data.at("choices").items();
    if (chunk == null || data.get("choices") != null) {
      chunk = data.length() > MAX_CHUNK ? JsonValue.of(head(data).toString()) : data;
    }
    long tokens = 0;
    for (JsonValue choice : choices) {
      int which = Math.max(0, choice.index("index"));
      if (chat == null) {
        tokens += counter.applyAsLong(choice.text("text"));
      } else if (choice.isObject()) {
        boolean isAlone = which == 0 && choices.size() == 1;
        tokens += read(chat, which, name, isAlone ? data : alone(choice));
      }
    }
    return tokens;
  }

  @Override
  public void take(String name, JsonValue data, boolean keeps) {
    for (JsonValue choice : data.at("choices").items()) {
      int which = Math.max(0, choice.index("index"));
      if (choice.string("finish_reason") != null) {
        open.remove(which);
      } else if (choice.isObject() && open.size() < MAX_CHOICES) {
        open.add(which);
      }
    }
  }

  /** A chunk of one choice, as if there were no others. */
  private static JsonValue alone(JsonValue choice) {
    return JsonValue.of("{\"choices\":[" + choice.with("index", "0").raw() + "]}");
  }

  private long read(Translator format, int which, String name, JsonValue data) {
    if (readers.size() >= MAX_CHOICES && !readers.containsKey(which)) {
      return counter.applyAsLong(data.raw());
    }
    AnswerReader reader =
        readers.computeIfAbsent(which, index -> format.openReader("", new CallIds()));
    return CountedStream.tokens(reader, name, data, counter);
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

  private static JsonObject head(@Nullable JsonValue chunk) {
    JsonObject head = new JsonObject();
    for (String member : HEAD) {
      head.raw(member, chunk == null ? null : chunk.get(member));
    }
    return head;
  }

  private String chunk(String choices, String usage) {
    JsonObject next = head(chunk).raw("choices", choices).raw("usage", usage);
    return "data: " + JsonWriter.inOneLine(next.toString()) + "\n\n";
  }
}
