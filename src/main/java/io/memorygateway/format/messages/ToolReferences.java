package io.memorygateway.format.messages;

import io.memorygateway.format.content.Part;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Leaves out of stored results what refers to tools that the call does not declare ({@code
 * tool_reference}, of a search for tools): Anthropic's API refuses all that names another one.
 */
final class ToolReferences {
  private final Supplier<Predicate<String>> declared;
  private @Nullable Predicate<String> names;

  /**
   * @param declared tells whether a name is of a tool of the call; asked for once, and only if
   *     there are any references
   */
  ToolReferences(Supplier<Predicate<String>> declared) {
    this.declared = declared;
  }

  /** The block without references to what is not declared; the block itself if it has none. */
  JsonValue known(JsonValue block) {
    if (!block.text("type").endsWith("tool_result")) {
      return block;
    }
    JsonValue content = block.at("content");
    List<JsonValue> all = (content.isArray() ? content : content.at("tool_references")).items();
    List<JsonValue> kept = all.stream().filter(this::isKnown).toList();
    if (kept.size() == all.size()) {
      return block;
    }
    String list =
        kept.isEmpty() && content.isArray()
            ? "[" + gone(all) + "]"
            : kept.stream().map(JsonValue::raw).collect(Collectors.joining(",", "[", "]"));
    return block.with(
        "content", content.isArray() ? list : content.with("tool_references", list).raw());
  }

  private boolean isKnown(JsonValue part) {
    if (!part.text("type").equals("tool_reference")) {
      return true;
    }
    Predicate<String> known = names == null ? declared.get() : names;
    names = known;
    return known.test(part.text("tool_name"));
  }

  /** A text in the place of all that a result found. */
  private static String gone(List<JsonValue> references) {
    String tools =
        references.stream()
            .map(reference -> reference.text("tool_name"))
            .collect(Collectors.joining(", "));
    return Part.textPart("text", JsonWriter.quote("No longer there: " + tools));
  }
}
