package io.memorygateway.format.responses;

import io.memorygateway.figures.Figures;
import io.memorygateway.format.answer.UsageMembers;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.translation.Answer;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.Piece;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.Characters;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads responses, and what they are made of, in no format's words. */
final class ResponsesAnswerReader {
  private ResponsesAnswerReader() {}

  static Answer read(JsonValue response, String maker, CallIds ids) {
    List<Piece> pieces = new ArrayList<>();
    boolean refused = false;
    for (JsonValue item : ResponsesItems.of(response)) {
      switch (ResponsesItems.typeOf(item)) {
        case "message" -> {
          for (JsonValue part : parts(item, "content")) {
            boolean refusal = part.text("type").equals("refusal");
            refused |= refusal;
            pieces.add(
                refusal
                    ? new Piece.Refusal(part.text("refusal"))
                    : new Piece.Text(
                        part.text("text"),
                        citations(part),
                        Piece.Text.logprobs(part.get("logprobs"), 0)));
          }
        }
        case "reasoning" -> {
          Piece.Thought thought = new Piece.Thought(thoughts(item), seal(item, maker));
          if (!thought.text().isEmpty() || thought.seal() != null) {
            pieces.add(thought);
          }
        }
        case "function_call", "custom_tool_call" -> {
          pieces.add(new Piece.Call(ids.next(callId(item)), item.text("name"), arguments(item)));
        }
        default -> {}
      }
    }
    return new Answer(
        response.text("id"),
        response.text("model"),
        created(response),
        pieces,
        stop(response, !ids.isEmpty(), refused),
        null,
        usage(response));
  }

  static List<JsonValue> parts(JsonValue item, String list) {
    JsonValue parts = item.at(list);
    return parts.isString()
        ? List.of(JsonValue.of(Part.textPart("output_text", parts.raw())))
        : parts.items();
  }

  /** The sources of a text that have an address. */
  static List<Piece.Citation> citations(JsonValue part) {
    return parts(part, "annotations").stream()
        .map(ResponsesAnswerReader::citation)
        .filter(Objects::nonNull)
        .toList();
  }

  static Piece.@Nullable Citation citation(JsonValue annotation) {
    if (!annotation.text("type").equals("url_citation")) {
      return null;
    }
    return new Piece.Citation(
        annotation.text("url"),
        annotation.string("title"),
        null,
        count(annotation, "start_index"),
        count(annotation, "end_index"));
  }

  /** What an item of reasoning shows: its summary, or else its text. */
  static String thoughts(JsonValue item) {
    List<JsonValue> shown = parts(item, "summary");
    List<String> texts = new ArrayList<>();
    for (JsonValue part : shown.isEmpty() ? parts(item, "content") : shown) {
      texts.add(part.text("text"));
    }
    return String.join("\n\n", texts);
  }

  /**
   * The reasoning as its maker takes it back. What it cannot read again is nobody's, and sealed all
   * the same: a thought without a signature would be refused by the makers of other models. Null if
   * the item says nothing.
   */
  static @Nullable Seal seal(JsonValue item, String maker) {
    boolean readable = !item.text("encrypted_content").isEmpty() || isOpen(item);
    return readable || !thoughts(item).isEmpty()
        ? new Seal(readable ? maker : "", Shape.RESPONSES, item.raw())
        : null;
  }

  /** Whether an item of reasoning has the text itself, as those of open models do. */
  static boolean isOpen(JsonValue item) {
    return parts(item, "content").stream().anyMatch(part -> !part.text("text").isEmpty());
  }

  /** The id of a call, as the target gave it. */
  static String callId(JsonValue item) {
    return item.text("call_id").isEmpty() ? item.text("id") : item.text("call_id");
  }

  /** The arguments of a call; those of a custom tool are an object with its text. */
  private static String arguments(JsonValue call) {
    String arguments = call.said("arguments");
    return call.text("type").equals("function_call")
        ? arguments.isBlank() && !call.text("status").equals("incomplete") ? "{}" : arguments
        : new JsonObject().string("input", call.said("input")).toString();
  }

  static Stop stop(JsonValue response, boolean calls, boolean refused) {
    String status = response.text("status");
    if (status.equals("incomplete") || response.get("incomplete_details") != null) {
      return switch (response.at("incomplete_details").text("reason")) {
        case "max_output_tokens" -> Stop.LENGTH;
        case "content_filter" -> Stop.REFUSAL;
        default -> Stop.UNKNOWN;
      };
    }
    return refused
        ? Stop.REFUSAL
        : calls
            ? Stop.TOOLS
            : status.isEmpty() || status.equals("completed") ? Stop.END : Stop.UNKNOWN;
  }

  static Usage usage(JsonValue response) {
    return new Usage(
        UsageMembers.RESPONSES
            .read(response.get("usage"))
            .withServiceTier(response.string("service_tier")));
  }

  /** Seconds since 1970, which some servers give with a fraction; 0 if there are none. */
  static long created(JsonValue response) {
    JsonValue time = response.get("created_at");
    String raw = time != null && time.is(JsonValue.Kind.NUMBER) ? time.raw() : "";
    int point = raw.indexOf('.');
    String seconds = point < 0 ? raw : raw.substring(0, point);
    return Characters.areDigits(seconds, 12) ? Long.parseLong(seconds) : 0;
  }

  private static long count(JsonValue object, String name) {
    JsonValue value = object.get(name);
    String digits = value != null && value.is(JsonValue.Kind.NUMBER) ? value.raw() : "";
    return Characters.areDigits(digits, 15) ? Long.parseLong(digits) : Figures.UNKNOWN;
  }
}
