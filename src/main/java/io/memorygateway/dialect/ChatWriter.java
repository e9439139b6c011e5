package io.memorygateway.dialect;

import io.memorygateway.json.Json;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes messages of any format as Chat Completions messages. */
final class ChatWriter {
  private static final Set<Shape> OWN = EnumSet.of(Shape.CHAT, Shape.PLAIN);

  private ChatWriter() {}

  /**
   * Joins the model's stored messages to the one before them if that has calls: in Chat, results
   * have to follow the message with the calls directly.
   */
  static List<Utterance> joined(List<Utterance> utterances) {
    List<Utterance> joined = new ArrayList<>();
    int at = 0;
    while (at < utterances.size()) {
      Utterance utterance = utterances.get(at++);
      if (isStoredOfModel(utterance) && hasCalls(utterance)) {
        List<Part> parts = new ArrayList<>(utterance.parts());
        while (at < utterances.size() && isStoredOfModel(utterances.get(at))) {
          Utterance next = utterances.get(at++);
          if (!next.parts().stream().allMatch(part -> part instanceof Part.Reasoning)) {
            parts.addAll(next.parts());
          }
        }
        utterance = utterance.withParts(parts);
      }
      joined.add(utterance);
    }
    return joined;
  }

  private static boolean hasCalls(Utterance utterance) {
    return utterance.parts().stream().anyMatch(part -> part instanceof Part.ToolCall);
  }

  private static boolean isStoredOfModel(Utterance utterance) {
    return utterance.ofModel() && utterance.verbatim() == null;
  }

  /** The utterance as zero or more messages. */
  static List<String> write(Utterance utterance) {
    JsonValue verbatim = utterance.verbatim();
    if (verbatim != null) {
      return List.of(verbatim.raw());
    }
    if (MessageWriters.saysNothing(utterance.parts())) {
      return List.of();
    }
    String own = own(utterance);
    return own != null ? List.of(own) : render(utterance);
  }

  /** The message as received or stored, if it has Chat's format; else null. */
  private static @Nullable String own(Utterance utterance) {
    JsonValue content = utterance.content();
    if (content == null || !MessageWriters.isAll(OWN, utterance.parts())) {
      return null;
    }
    String role = utterance.ofSystem() ? "system" : utterance.role();
    boolean result = utterance.parts().get(0) instanceof Part.ToolResult;
    if (role.equals("tool") != result) {
      return null;
    }
    if (!content.isObject()) {
      boolean words = utterance.parts().stream().allMatch(part -> part instanceof Part.Text);
      return words || role.equals("user") ? MessageWriters.message(role, content.raw()) : null;
    }
    if (content.string("type") != null || content.get("parts") != null) {
      return null;
    }
    return "{\"role\":\"" + role + "\"," + content.rawMembers(name -> !name.equals("role")) + "}";
  }

  private static List<String> render(Utterance utterance) {
    List<String> messages = new ArrayList<>();
    List<Part> rest = new ArrayList<>();
    for (Part part : utterance.parts()) {
      if (part instanceof Part.ToolResult result) {
        messages.add(result(result));
      } else {
        rest.add(part);
      }
    }
    if (utterance.ofModel()) {
      answer(rest, messages);
    } else if (utterance.ofSystem()) {
      messages.add(MessageWriters.message("system", Json.quote(Part.textOf(rest))));
    } else {
      question(rest, messages);
    }
    return messages;
  }

  private static String result(Part.ToolResult result) {
    if (result.shape() == Shape.CHAT) {
      String members = result.source().rawMembers(name -> !name.equals("role"));
      return "{\"role\":\"tool\"," + members + "}";
    }
    String standIn = result.text().isBlank() ? MessageWriters.standIn(result.content()) : null;
    return "{\"role\":\"tool\",\"tool_call_id\":%s,\"content\":%s}"
        .formatted(Json.quote(result.id()), Json.quote(standIn == null ? result.text() : standIn));
  }

  private static void answer(List<Part> parts, List<String> messages) {
    String text = Part.textOf(parts);
    String calls =
        parts.stream()
            .filter(part -> part instanceof Part.ToolCall)
            .map(part -> call((Part.ToolCall) part))
            .collect(Collectors.joining(","));
    String content = text.isBlank() ? "null" : Json.quote(text);
    if (!calls.isEmpty()) {
      messages.add(
          "{\"role\":\"assistant\",\"content\":" + content + ",\"tool_calls\":[" + calls + "]}");
    } else if (!text.isBlank()) {
      messages.add(MessageWriters.message("assistant", content));
    }
  }

  private static String call(Part.ToolCall call) {
    return call.shape() == Shape.CHAT
        ? call.source().raw()
        : "{\"id\":%s,\"type\":\"function\",\"function\":{\"name\":%s,\"arguments\":%s}}"
            .formatted(
                Json.quote(call.id()), Json.quote(call.name()), Json.quote(call.arguments()));
  }

  private static void question(List<Part> parts, List<String> messages) {
    List<String> written = new ArrayList<>();
    String only = null;
    for (Part part : parts) {
      String json = part(part);
      if (json != null) {
        written.add(json);
        only = part instanceof Part.Text text ? MessageWriters.quoted(text) : null;
      }
    }
    String standIn = written.isEmpty() ? MessageWriters.standIn(parts) : null;
    if (standIn != null) {
      messages.add(MessageWriters.message("user", Json.quote(standIn)));
    } else if (written.size() == 1 && only != null) {
      messages.add(MessageWriters.message("user", only));
    } else if (!written.isEmpty()) {
      messages.add(MessageWriters.message("user", "[" + String.join(",", written) + "]"));
    }
  }

  private static @Nullable String part(Part part) {
    if (OWN.contains(part.shape()) && part.source().isObject()) {
      return part.source().raw();
    }
    if (part instanceof Part.Text text) {
      return text.text().isBlank()
          ? null
          : MessageWriters.textPart("text", MessageWriters.quoted(text));
    }
    if (part instanceof Part.Image image) {
      String url = image.media().asUrl("image/png");
      String detail = image.detail();
      return url == null
          ? null
          : "{\"type\":\"image_url\",\"image_url\":{\"url\":%s%s}}"
              .formatted(
                  Json.quote(url), detail == null ? "" : ",\"detail\":" + Json.quote(detail));
    }
    if (part instanceof Part.File file) {
      return file(file);
    }
    String text = Part.textOf(List.of(part));
    return text.isBlank() ? null : MessageWriters.textPart("text", Json.quote(text));
  }

  private static @Nullable String file(Part.File file) {
    Media media = file.media();
    if (media.data() != null) {
      String name = file.name() == null ? "document" : file.name();
      return "{\"type\":\"file\",\"file\":{\"filename\":%s,\"file_data\":%s}}"
          .formatted(Json.quote(name), Json.quote(String.valueOf(media.asUrl("application/pdf"))));
    }
    if (media.fileId() != null && file.shape() == Shape.RESPONSES) {
      return "{\"type\":\"file\",\"file\":{\"file_id\":" + Json.quote(media.fileId()) + "}}";
    }
    String text = media.text() != null ? media.text() : media.url();
    return text == null || text.isBlank()
        ? null
        : MessageWriters.textPart("text", Json.quote(text));
  }
}
