package io.memorygateway.dialect;

import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Writes messages of any format as items of Responses. Reasoning is sent only as an item that is
 * followed by its output, and that the upstream can read: encrypted, or stored by the upstream
 * ({@code store}).
 */
final class ResponsesWriter {
  private static final Set<Shape> OWN = EnumSet.of(Shape.RESPONSES);

  private final boolean upstreamStores;
  private final JsonWriter items;

  /** Reasoning whose output has not been written yet. */
  private final List<JsonValue> thoughts = new ArrayList<>();

  /**
   * Whether items are sent without ids: if its reasoning item is left out, an item that keeps its
   * id is refused upstream.
   */
  private boolean withoutIds;

  /**
   * A writer of items.
   *
   * @param items an array, to which items are added
   */
  ResponsesWriter(JsonWriter items, boolean upstreamStores) {
    this.items = items;
    this.upstreamStores = upstreamStores;
  }

  void write(List<Utterance> utterances) {
    for (Utterance utterance : utterances) {
      if (utterance.verbatim() == null) {
        for (Part part : utterance.parts()) {
          withoutIds |= part instanceof Part.Reasoning && !isReadable(part);
        }
      }
    }
    utterances.forEach(this::write);
  }

  private void write(Utterance utterance) {
    JsonValue verbatim = utterance.verbatim();
    if (verbatim != null) {
      writeThoughts();
      if (verbatim.isString()) {
        MessageWriters.addMessage(items, "user", verbatim);
      } else {
        items.element().raw(verbatim);
      }
      return;
    }
    if (utterance.ofModel() && isThought(utterance)) {
      for (Part part : utterance.parts()) {
        if (isReadable(part)) {
          thoughts.add(part.source());
        }
      }
      return;
    }
    if (utterance.ofModel()) {
      writeThoughts();
    }
    thoughts.clear();
    if (!MessageWriters.saysNothing(utterance.parts()) && !writeOwn(utterance)) {
      render(utterance);
    }
  }

  private void writeThoughts() {
    thoughts.forEach(thought -> items.element().raw(thought));
    thoughts.clear();
  }

  private static boolean isThought(Utterance utterance) {
    return utterance.string() == null
        && utterance.parts().stream().allMatch(part -> part instanceof Part.Reasoning);
  }

  private boolean isReadable(Part part) {
    return part.shape() == Shape.RESPONSES
        && (upstreamStores || part.source().get("encrypted_content") != null);
  }

  /** Writes the message as received or stored, if it has this format; else returns false. */
  private boolean writeOwn(Utterance utterance) {
    JsonValue content = utterance.content();
    if (content == null) {
      return false;
    }
    boolean typed = content.isObject() && content.string("type") != null;
    if (typed && MessageWriters.isAll(OWN, utterance.parts())) {
      boolean withoutId = withoutIds && !content.text("type").equals("item_reference");
      items.element().raw(withoutId ? content.without("id") : content.raw());
      return true;
    }
    boolean words = content.isString() || content.isArray();
    boolean own = content.isString() || MessageWriters.isAll(OWN, utterance.parts());
    boolean fits = words && own && !utterance.role().equals("tool");
    if (fits) {
      MessageWriters.addMessage(items, role(utterance), content);
    }
    return fits;
  }

  private static String role(Utterance utterance) {
    return utterance.ofModel() ? "assistant" : utterance.ofSystem() ? "system" : "user";
  }

  private void render(Utterance utterance) {
    List<String> content = new ArrayList<>();
    for (Part part : utterance.parts()) {
      if (part instanceof Part.ToolCall || part instanceof Part.ToolResult) {
        flush(utterance, content);
        items.element().raw(ResponsesParts.item(part, withoutIds));
      } else {
        String json = ResponsesParts.part(part, utterance.ofModel());
        if (json != null) {
          content.add(json);
        }
      }
    }
    flush(utterance, content);
  }

  private void flush(Utterance utterance, List<String> content) {
    if (!content.isEmpty()) {
      MessageWriters.addMessage(items, role(utterance), "[" + String.join(",", content) + "]");
      content.clear();
    }
  }
}
