package io.memorygateway.format.chat;

import io.memorygateway.figures.Figures;
import io.memorygateway.format.translation.Answer;
import io.memorygateway.format.translation.Called;
import io.memorygateway.format.translation.Piece;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Writes a whole answer of Chat Completions. */
final class ChatAnswerWriter {
  private final Called called;
  private final boolean functions;
  private final StringBuilder text = new StringBuilder();
  private final StringBuilder refusal = new StringBuilder();
  private final StringBuilder thoughts = new StringBuilder();
  private final List<String> details = new ArrayList<>();
  private final List<String> annotations = new ArrayList<>();
  private final List<String> calls = new ArrayList<>();
  private final StringJoiner logprobs = new StringJoiner(",");
  private @Nullable String function;

  ChatAnswerWriter(Called called) {
    this.called = called;
    this.functions = ChatCallReader.isOfFunctions(called.root());
  }

  /** The members at the head of an answer and of each of its chunks. */
  static String head(String object, String id, long created, String model, Called called) {
    return new JsonObject()
        .string("id", Called.answerId("chatcmpl-", id))
        .string("object", object)
        .number("created", created > 0 ? created : System.currentTimeMillis() / 1000)
        .string("model", called.model(model))
        .toString();
  }

  byte[] write(Answer answer) {
    answer.pieces().forEach(this::add);
    boolean silent = text.isEmpty() && (!refusal.isEmpty() || !calls.isEmpty() || function != null);
    JsonObject message =
        new JsonObject(text.length() + thoughts.length() + 512)
            .string("role", "assistant")
            .raw("content", silent ? "null" : JsonWriter.quote(text.toString()))
            .raw("refusal", refusal.isEmpty() ? "null" : JsonWriter.quote(refusal.toString()));
    if (!thoughts.isEmpty()) {
      message.string(ChatReasoning.CONTENT, thoughts.toString());
    }
    message.raw(ChatReasoning.DETAILS, list(details));
    message.raw("annotations", "[" + String.join(",", annotations) + "]");
    message.raw("function_call", function).raw("tool_calls", list(calls));
    String choice =
        new JsonObject(1024)
            .number("index", 0)
            .raw("message", message.toString())
            .raw("logprobs", logprobs(logprobs.toString()))
            .string(
                "finish_reason",
                ChatUsage.finishReason(answer.stop(), !calls.isEmpty(), function != null))
            .toString();
    String head = head("chat.completion", answer.id(), answer.created(), answer.model(), called);
    return new JsonWriter(choice.length() + 512)
        .raw(head.substring(0, head.length() - 1))
        .ascii(",\"choices\":[")
        .raw(choice)
        .ascii("],\"usage\":")
        .ascii(ChatUsage.write(usage(answer.usage(), said(), called)))
        .ascii("}")
        .toBytes();
  }

  static String logprobs(String tokens) {
    return tokens.isEmpty() ? "null" : "{\"content\":[" + tokens + "],\"refusal\":null}";
  }

  private static @Nullable String list(List<String> items) {
    return items.isEmpty() ? null : "[" + String.join(",", items) + "]";
  }

  /** The usage, counted here as far as the target does not say it. */
  static Usage usage(Usage usage, CharSequence said, Called called) {
    return usage.isKnown()
        ? usage
        : usage.or(
            usage.input() >= 0 ? Figures.UNKNOWN : called.input().getAsLong(),
            usage.output() >= 0 ? Figures.UNKNOWN : called.count().applyAsLong(said.toString()));
  }

  private String said() {
    return thoughts.toString() + text + refusal + String.join("", calls);
  }

  private void add(Piece piece) {
    if (piece instanceof Piece.Text said) {
      int start = text.length();
      text.append(said.text());
      if (!said.logprobs().isEmpty()) {
        logprobs.add(said.logprobs());
      }
      for (Piece.Citation citation : said.citations()) {
        String json = annotation(citation, start, said.text().length());
        if (json != null) {
          annotations.add(json);
        }
      }
    } else if (piece instanceof Piece.Refusal said) {
      refusal.append(said.text());
    } else if (piece instanceof Piece.Thought thought) {
      thoughts.append(thought.text());
      if (thought.seal() != null) {
        details.add(ChatReasoning.detail(thought.seal(), details.size()));
      }
    } else if (piece instanceof Piece.Call call) {
      add(call);
    }
  }

  /**
   * A source of a text; null if it has no address, which Chat demands.
   *
   * @param start of the text in the message
   * @param length of the text
   */
  static @Nullable String annotation(Piece.Citation citation, long start, long length) {
    if (citation.url().isEmpty()) {
      return null;
    }
    boolean known = citation.start() >= 0 && citation.end() >= citation.start();
    return "{\"type\":\"url_citation\",\"url_citation\":%s}"
        .formatted(
            new JsonObject()
                .number("start_index", start + (known ? citation.start() : 0))
                .number("end_index", start + (known ? citation.end() : length))
                .string("title", citation.title() == null ? "" : citation.title())
                .string("url", citation.url()));
  }

  private void add(Piece.Call call) {
    String name = called.names().called(call.name());
    if (functions && function == null) {
      function =
          new JsonObject().string("name", name).string("arguments", call.arguments()).toString();
      return;
    }
    boolean custom = called.names().tool(name) instanceof Tool.Custom;
    JsonObject said = new JsonObject(call.arguments().length() + 64).string("name", name);
    if (custom) {
      said.string("input", Tool.Custom.input(call.arguments()));
    } else {
      said.string("arguments", call.arguments());
    }
    String type = custom ? "custom" : "function";
    calls.add(
        new JsonObject(call.arguments().length() + 128)
            .string("id", call.id())
            .string("type", type)
            .raw(type, said.toString())
            .toString());
  }
}
