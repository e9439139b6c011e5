package io.memorygateway.dialect;

import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes messages of any format as items of Responses. Reasoning is sent only as an item that is
 * followed by its output, and that the upstream can read: encrypted, or stored by the upstream
 * ({@code store}).
 */
final class ResponsesWriter {
  private static final Set<Shape> OWN = EnumSet.of(Shape.RESPONSES);

  private final boolean upstreamStores;
  private final List<String> items = new ArrayList<>();

  /** Reasoning whose output has not been written yet. */
  private final List<String> thoughts = new ArrayList<>();

  /**
   * Whether items are sent without ids: if its reasoning item is left out, an item that keeps its
   * id is refused upstream.
   */
  private boolean withoutIds;

  ResponsesWriter(boolean upstreamStores) {
    this.upstreamStores = upstreamStores;
  }

  List<String> write(List<Utterance> utterances) {
    for (Utterance utterance : utterances) {
      withoutIds |=
          utterance.verbatim() == null
              && utterance.parts().stream()
                  .anyMatch(part -> part instanceof Part.Reasoning && !isReadable(part));
    }
    utterances.forEach(this::write);
    return items;
  }

  private void write(Utterance utterance) {
    JsonValue verbatim = utterance.verbatim();
    if (verbatim != null) {
      items.addAll(thoughts);
      thoughts.clear();
      items.add(
          verbatim.isString() ? MessageWriters.message("user", verbatim.raw()) : verbatim.raw());
      return;
    }
    if (utterance.ofModel() && isThought(utterance)) {
      for (Part part : utterance.parts()) {
        if (isReadable(part)) {
          thoughts.add(part.source().raw());
        }
      }
      return;
    }
    if (utterance.ofModel()) {
      items.addAll(thoughts);
    }
    thoughts.clear();
    if (!MessageWriters.saysNothing(utterance.parts())) {
      String own = own(utterance);
      if (own != null) {
        items.add(own);
      } else {
        render(utterance);
      }
    }
  }

  private static boolean isThought(Utterance utterance) {
    return utterance.parts().stream().allMatch(part -> part instanceof Part.Reasoning);
  }

  private boolean isReadable(Part part) {
    return part.shape() == Shape.RESPONSES
        && (upstreamStores || part.source().get("encrypted_content") != null);
  }

  private @Nullable String own(Utterance utterance) {
    JsonValue content = utterance.content();
    if (content == null) {
      return null;
    }
    boolean typed = content.isObject() && content.string("type") != null;
    if (typed && MessageWriters.isAll(OWN, utterance.parts())) {
      return withoutIds && !content.text("type").equals("item_reference")
          ? content.without("id")
          : content.raw();
    }
    boolean words = content.isString() || content.isArray();
    boolean own = content.isString() || MessageWriters.isAll(OWN, utterance.parts());
    return words && own && !utterance.role().equals("tool")
        ? MessageWriters.message(role(utterance), content.raw())
        : null;
  }

  private static String role(Utterance utterance) {
    return utterance.ofModel() ? "assistant" : utterance.ofSystem() ? "system" : "user";
  }

  private void render(Utterance utterance) {
    List<String> content = new ArrayList<>();
    for (Part part : utterance.parts()) {
      if (part instanceof Part.ToolCall || part instanceof Part.ToolResult) {
        flush(utterance, content);
        items.add(ResponsesParts.item(part, withoutIds));
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
      items.add(MessageWriters.message(role(utterance), "[" + String.join(",", content) + "]"));
      content.clear();
    }
  }
}
