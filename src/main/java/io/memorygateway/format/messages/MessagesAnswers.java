package io.memorygateway.format.messages;

import io.memorygateway.format.content.CallArguments;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.translation.Answer;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.Called;
import io.memorygateway.format.translation.Piece;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads and writes whole Messages answers, and what streamed ones have in common with them. */
final class MessagesAnswers {
  /** Characters of what a citation quotes, as Anthropic's documents have them. */
  private static final int MAX_QUOTED = 150;

  private static final Set<String> DELTAS =
      Set.of(
          "text_delta", "thinking_delta", "signature_delta", "input_json_delta", "citations_delta");

  private MessagesAnswers() {}

  static Answer read(JsonValue answer, String maker, CallIds ids) {
    List<Piece> pieces = new ArrayList<>();
    for (JsonValue block : blocks(answer)) {
      switch (kindOf(block)) {
        case "text" -> {
          String text = block.text("text");
          if (!text.isEmpty()) {
            pieces.add(new Piece.Text(text, citations(block, text.length())));
          }
        }
        case "thinking", "redacted_thinking" ->
            pieces.add(
                new Piece.Thought(
                    block.text("thinking"), new Seal(maker, Shape.MESSAGES, block.raw())));
        case "tool_use" -> {
          String arguments = block.get("input") == null ? "{}" : block.said("input");
          pieces.add(new Piece.Call(ids.next(block.text("id")), block.text("name"), arguments));
        }
        default -> {}
      }
    }
    Stop stop = stop(answer.text("stop_reason"), !ids.isEmpty());
    int last = pieces.size() - 1;
    if (stop == Stop.LENGTH
        && last >= 0
        && pieces.get(last) instanceof Piece.Call call
        && isEmptyObject(call.arguments())) {
      // The raw arguments before the cut are not known.
      pieces.set(last, new Piece.Call(call.id(), call.name(), ""));
    }
    String explained = explained(answer);
    if (stop == Stop.REFUSAL && explained != null) {
      pieces.add(new Piece.Refusal(explained));
    }
    MessagesUsage tokens = new MessagesUsage();
    tokens.read(answer.get("usage"));
    return new Answer(
        answer.text("id"),
        answer.text("model"),
        0,
        pieces,
        stop,
        answer.string("stop_sequence"),
        new Usage(tokens.usage()));
  }

  /** The blocks of a message; a text in the place of a list or of a block is one. */
  static List<JsonValue> blocks(JsonValue message) {
    JsonValue content = message.at("content");
    return (content.isString() ? List.of(content) : content.items())
        .stream()
            .map(
                block ->
                    block.isString() ? JsonValue.of(Part.textPart("text", block.raw())) : block)
            .filter(JsonValue::isObject)
            .toList();
  }

  /** The blocks with which a streamed message begins: those that say something. */
  static List<JsonValue> begun(JsonValue message) {
    return blocks(message).stream().filter(MessagesAnswers::says).toList();
  }

  /** The type of a block; of one without it, that of its members. */
  static String kindOf(JsonValue block) {
    String type = block.text("type");
    return !type.isEmpty()
        ? type
        : block.get("name") != null
            ? "tool_use"
            : block.get("thinking") != null ? "thinking" : "text";
  }

  /** Whether a block says more than of which kind it is. */
  static boolean says(JsonValue block) {
    return switch (kindOf(block)) {
      case "text" -> !block.text("text").isEmpty();
      case "thinking" -> !block.text("thinking").isEmpty() || !block.text("signature").isEmpty();
      default -> true;
    };
  }

  /** The type of a delta; where it is not known, that of its member. */
  static String typeOf(JsonValue delta) {
    String type = delta.text("type");
    if (DELTAS.contains(type)) {
      return type;
    }
    String member =
        Stream.of("text", "thinking", "signature", "partial_json", "citation")
            .filter(name -> delta.get(name) != null)
            .findFirst()
            .orElse("");
    return switch (member) {
      case "" -> "";
      case "partial_json" -> "input_json_delta";
      case "citation" -> "citations_delta";
      default -> member + "_delta";
    };
  }

  /** The explanation of a refusal; null if there is none. */
  static @Nullable String explained(JsonValue stopped) {
    String explanation = stopped.at("stop_details").text("explanation");
    return explanation.isEmpty() ? null : explanation;
  }

  private static boolean isEmptyObject(String json) {
    JsonValue value = JsonValue.of(json);
    return value.isObject() && value.fields().isEmpty();
  }

  private static List<Piece.Citation> citations(JsonValue block, int length) {
    return block.at("citations").items().stream()
        .flatMap(citation -> Stream.ofNullable(citation(citation, length)))
        .toList();
  }

  /** A citation of something with an address, of a text of so many characters; else null. */
  static Piece.@Nullable Citation citation(JsonValue citation, int length) {
    String url =
        switch (citation.text("type")) {
          case "web_search_result_location" -> citation.text("url");
          case "search_result_location" -> citation.text("source");
          default -> "";
        };
    return url.isEmpty()
        ? null
        : new Piece.Citation(
            url, citation.string("title"), citation.string("cited_text"), 0, length);
  }

  /** Why an answer stopped; where it does not say, its calls do. */
  static Stop stop(String reason, boolean calls) {
    return switch (reason) {
      case "" -> calls ? Stop.TOOLS : Stop.END;
      case "end_turn" -> Stop.END;
      case "max_tokens", "model_context_window_exceeded" -> Stop.LENGTH;
      case "tool_use" -> Stop.TOOLS;
      case "stop_sequence" -> Stop.SEQUENCE;
      case "refusal" -> Stop.REFUSAL;
      case "pause_turn" -> Stop.PAUSE;
      default -> Stop.UNKNOWN;
    };
  }

  static byte[] write(Answer answer, Called called) {
    List<String> content = new ArrayList<>();
    int last = 0;
    boolean omits = omitsThinking(called);
    boolean calls = false;
    String refusal = null;
    long said = 0;
    for (Piece piece : answer.pieces()) {
      String words = words(piece);
      said += answer.usage().output() < 0 ? called.count().applyAsLong(words) : 0;
      if (piece instanceof Piece.Thought thought) {
        content.add(
            new JsonObject()
                .string("type", "thinking")
                .string("thinking", omits ? "" : words)
                .string("signature", thought.seal() == null ? "" : thought.seal().text())
                .toString());
      } else if (piece instanceof Piece.Call call) {
        calls = true;
        content.add(
            new JsonObject()
                .string("type", "tool_use")
                .string("id", call.id())
                .string("name", called.names().called(call.name()))
                .raw("input", CallArguments.object(words))
                .toString());
      } else {
        if (piece instanceof Piece.Refusal) {
          refusal = refusal == null ? words : refusal + words;
        }
        if (!words.isEmpty()) {
          content.add(text(words, piece instanceof Piece.Text text ? text.citations() : List.of()));
        }
      }
      boolean silent = piece instanceof Piece.Thought && (omits || words.isEmpty());
      last = silent ? last : content.size();
    }
    if (last > 0 && !calls) {
      // Clients show what the last block says.
      content = content.subList(0, last);
    }
    Usage usage = answer.usage();
    JsonWriter out = new JsonWriter(1024).ascii("{");
    head(answer.id(), answer.model(), called, out);
    out.ascii(",\"content\":").raw("[" + String.join(",", content) + "]").ascii(",");
    stop(answer.stop(), answer.stopSequence(), calls, refusal, out);
    out.ascii(",\"usage\":");
    usage(usage.isKnown() ? usage : usage.or(called.input().getAsLong(), said), out);
    return out.ascii("}").toBytes();
  }

  /** The members of a message that are known when it begins. */
  static void head(String id, String model, Called called, JsonWriter out) {
    out.ascii("\"id\":")
        .string(Called.answerId("msg_", id))
        .ascii(",\"type\":\"message\",\"role\":\"assistant\",\"model\":")
        .string(called.model(model));
  }

  /** Whether the caller asks for thoughts without their texts. */
  static boolean omitsThinking(Called called) {
    return called.root().at("thinking").text("display").equals("omitted");
  }

  /** The text of a piece of any kind. */
  private static String words(Piece piece) {
    if (piece instanceof Piece.Text text) {
      return text.text();
    } else if (piece instanceof Piece.Refusal refusal) {
      return refusal.text();
    }
    return piece instanceof Piece.Thought thought
        ? thought.text()
        : ((Piece.Call) piece).arguments();
  }

  private static String text(String text, List<Piece.Citation> cited) {
    JsonObject json = new JsonObject().string("type", "text").string("text", text);
    StringJoiner citations = new StringJoiner(",", "[", "]");
    cited.forEach(citation -> citations.add(citation(citation, text)));
    return json.raw("citations", cited.isEmpty() ? null : citations.toString()).toString();
  }

  /**
   * A citation as one of a web search.
   *
   * @param text that it is of, as far as it has come: what is cited, if the target does not say it
   */
  static String citation(Piece.Citation citation, CharSequence text) {
    String title = citation.title();
    String quoted = citation.quoted();
    if (quoted == null) {
      long start = citation.start();
      long end = citation.end();
      boolean known = 0 <= start && start < end && end <= text.length();
      int last = (int) Math.min(end, start + MAX_QUOTED);
      quoted = known ? text.subSequence((int) start, last).toString() : "";
    }
    return new JsonObject()
        .string("type", "web_search_result_location")
        .string("cited_text", quoted)
        .string("url", citation.url())
        .raw("title", title == null ? "null" : JsonWriter.quote(title))
        .string("encrypted_index", "")
        .toString();
  }

  /**
   * Writes why an answer stopped.
   *
   * @param calls whether it has calls, which the caller runs only if the reason says so
   * @param refusal the words of a refusal; null without one
   */
  static void stop(
      Stop stop,
      @Nullable String sequence,
      boolean calls,
      @Nullable String refusal,
      JsonWriter out) {
    String reason =
        switch (stop) {
          case LENGTH -> "max_tokens";
          case SEQUENCE -> "stop_sequence";
          case REFUSAL -> "refusal";
          case END, TOOLS, PAUSE, UNKNOWN, NONE ->
              calls ? "tool_use" : refusal != null ? "refusal" : "end_turn";
        };
    out.ascii("\"stop_reason\":\"").ascii(reason).ascii("\",\"stop_sequence\":");
    out.string(stop == Stop.SEQUENCE ? sequence : null);
    if (reason.equals("refusal")) {
      out.ascii(",\"stop_details\":{\"type\":\"refusal\",\"category\":null,\"explanation\":")
          .string(refusal)
          .ascii("}");
    }
  }

  /** Writes usage, of which input and output are known; here the input is without caches. */
  static void usage(Usage usage, JsonWriter out) {
    long cached = Math.max(usage.cached(), 0);
    long written = Math.max(usage.written(), 0);
    out.ascii("{\"input_tokens\":")
        .number(Math.max(usage.input() - cached - written, 0))
        .ascii(",\"cache_creation_input_tokens\":")
        .number(written)
        .ascii(",\"cache_read_input_tokens\":")
        .number(cached)
        .ascii(",\"output_tokens\":")
        .number(Math.max(usage.output(), 0));
    if (usage.reasoning() >= 0) {
      out.ascii(",\"output_tokens_details\":{\"thinking_tokens\":")
          .number(usage.reasoning())
          .ascii("}");
    }
    out.ascii("}");
  }
}
