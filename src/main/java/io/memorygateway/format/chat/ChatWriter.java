package io.memorygateway.format.chat;

import io.memorygateway.format.call.MessageWriters;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.content.CallArguments;
import io.memorygateway.format.content.Media;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes messages of any format as Chat Completions messages. */
final class ChatWriter {
  private static final Set<Shape> OWN = EnumSet.of(Shape.CHAT, Shape.PLAIN);

  private final JsonWriter out;
  private final ChatEcho echo;

  /**
   * A writer of messages.
   *
   * @param out an array, to which messages are added
   */
  ChatWriter(JsonWriter out, UpstreamModel model) {
    this.out = out;
    this.echo = new ChatEcho(model);
  }

  /**
   * Writes messages. The model's stored messages are joined to the one before them if that has
   * calls: in Chat, results have to follow the message with the calls directly.
   */
  void write(List<Utterance> utterances) {
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
      write(utterance);
    }
  }

  private static boolean hasCalls(Utterance utterance) {
    return utterance.usesTools()
        && utterance.parts().stream().anyMatch(part -> part instanceof Part.ToolCall);
  }

  private static boolean isStoredOfModel(Utterance utterance) {
    return utterance.ofModel() && utterance.verbatim() == null;
  }

  /** Writes the utterance as zero or more messages. */
  private void write(Utterance utterance) {
    JsonValue verbatim = utterance.verbatim();
    JsonValue string = utterance.string();
    if (verbatim != null) {
      out.element().raw(verbatim);
    } else if (string != null && !utterance.role().equals("tool")) {
      MessageWriters.addMessage(out, role(utterance), string);
    } else if ((isSpoken(utterance) || !Part.sayNothing(utterance.parts()))
        && !writeOwn(utterance)) {
      render(utterance);
    }
  }

  /** Writes the message as received or stored, if it has Chat's format; else returns false. */
  private boolean writeOwn(Utterance utterance) {
    JsonValue content = utterance.content();
    if (content == null || !(isSpoken(utterance) || MessageWriters.isAll(OWN, utterance.parts()))) {
      return false;
    }
    String role = role(utterance);
    boolean result = utterance.parts().get(0) instanceof Part.ToolResult;
    if (role.equals("tool") != result) {
      return false;
    }
    if (!content.isObject()) {
      boolean words = utterance.parts().stream().allMatch(part -> part instanceof Part.Text);
      boolean fits = words || role.equals("user");
      if (fits) {
        MessageWriters.addMessage(out, role, content);
      }
      return fits;
    }
    if (content.string("type") != null || content.get("parts") != null) {
      return false;
    }
    String members =
        utterance.ofModel()
            ? echo.members(content)
            : content.rawMembers(name -> !name.equals("role"));
    if (members != null) {
      out.element().ascii("{\"role\":\"").ascii(role).ascii("\",").raw(members).ascii("}");
    }
    return true;
  }

  /** Whether it is an answer of the model in Chat's form that has an audio. */
  private static boolean isSpoken(Utterance utterance) {
    JsonValue content = utterance.content();
    return utterance.ofModel() && content != null && content.get("audio") != null;
  }

  private static String role(Utterance utterance) {
    return utterance.ofSystem() ? "system" : utterance.role();
  }

  private void render(Utterance utterance) {
    List<Part> rest = new ArrayList<>();
    for (Part part : utterance.parts()) {
      if (part instanceof Part.ToolResult result) {
        out.element().raw(result(result));
      } else {
        rest.add(part);
      }
    }
    if (utterance.ofModel()) {
      answer(rest);
    } else if (utterance.ofSystem()) {
      MessageWriters.addMessage(out, "system", JsonWriter.quote(Part.textOf(rest)));
    } else {
      question(rest);
    }
  }

  private static String result(Part.ToolResult result) {
    if (result.shape() == Shape.CHAT) {
      String members = result.source().rawMembers(name -> !name.equals("role"));
      return "{\"role\":\"tool\"," + members + "}";
    }
    String standIn = result.text().isBlank() ? MessageWriters.standIn(result.content()) : null;
    return "{\"role\":\"tool\",\"tool_call_id\":%s,\"content\":%s}"
        .formatted(
            JsonWriter.quote(result.id()),
            JsonWriter.quote(standIn == null ? result.text() : standIn));
  }

  private void answer(List<Part> parts) {
    String text = Part.textOf(parts);
    String calls =
        parts.stream()
            .filter(part -> part instanceof Part.ToolCall)
            .map(part -> call((Part.ToolCall) part))
            .collect(Collectors.joining(","));
    String content = text.isBlank() ? "null" : JsonWriter.quote(text);
    if (!calls.isEmpty()) {
      out.element()
          .ascii("{\"role\":\"assistant\",\"content\":")
          .raw(content)
          .ascii(",\"tool_calls\":[")
          .raw(calls)
          .ascii("]}");
    } else if (!text.isBlank()) {
      MessageWriters.addMessage(out, "assistant", content);
    }
  }

  private String call(Part.ToolCall call) {
    return call.shape() == Shape.CHAT
        ? echo.call(call.source())
        : "{\"id\":%s,\"type\":\"function\",\"function\":{\"name\":%s,\"arguments\":%s}}"
            .formatted(
                JsonWriter.quote(call.id()),
                JsonWriter.quote(call.name()),
                JsonWriter.quote(CallArguments.object(call.arguments())));
  }

  private void question(List<Part> parts) {
    List<String> written = new ArrayList<>();
    String only = null;
    for (Part part : parts) {
      String json = part(part);
      if (json != null) {
        written.add(json);
        only = part instanceof Part.Text text ? text.quoted() : null;
      }
    }
    String standIn = written.isEmpty() ? MessageWriters.standIn(parts) : null;
    if (standIn != null) {
      MessageWriters.addMessage(out, "user", JsonWriter.quote(standIn));
    } else if (written.size() == 1 && only != null) {
      MessageWriters.addMessage(out, "user", only);
    } else if (!written.isEmpty()) {
      MessageWriters.addMessage(out, "user", "[" + String.join(",", written) + "]");
    }
  }

  private static @Nullable String part(Part part) {
    if (OWN.contains(part.shape()) && part.source().isObject()) {
      return part.source().raw();
    }
    if (part instanceof Part.Text text) {
      return text.text().isBlank() ? null : Part.textPart("text", text.quoted());
    }
    if (part instanceof Part.Image image) {
      String url = image.media().asUrl("image/png");
      String detail = image.detail();
      return url == null
          ? null
          : "{\"type\":\"image_url\",\"image_url\":{\"url\":%s%s}}"
              .formatted(
                  JsonWriter.quote(url),
                  detail == null ? "" : ",\"detail\":" + JsonWriter.quote(detail));
    }
    if (part instanceof Part.File file) {
      return file(file);
    }
    String text = Part.textOf(List.of(part));
    return text.isBlank() ? null : Part.textPart("text", JsonWriter.quote(text));
  }

  private static @Nullable String file(Part.File file) {
    Media media = file.media();
    if (media.data() != null) {
      String name = file.name() == null ? "document" : file.name();
      return "{\"type\":\"file\",\"file\":{\"filename\":%s,\"file_data\":%s}}"
          .formatted(
              JsonWriter.quote(name),
              JsonWriter.quote(String.valueOf(media.asUrl("application/pdf"))));
    }
    if (media.fileId() != null && file.shape() == Shape.RESPONSES) {
      return "{\"type\":\"file\",\"file\":{\"file_id\":" + JsonWriter.quote(media.fileId()) + "}}";
    }
    String text = media.text() != null ? media.text() : media.url();
    return text == null || text.isBlank() ? null : Part.textPart("text", JsonWriter.quote(text));
  }
}
