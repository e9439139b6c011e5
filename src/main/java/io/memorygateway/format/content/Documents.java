package io.memorygateway.format.content;

import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Documents of Messages as other formats can say them. */
public final class Documents {
  private Documents() {}

  /** The messages with the documents among stored ones told. */
  public static List<Utterance> told(List<Utterance> messages) {
    return messages.stream()
        .map(each -> each.verbatim() == null ? each.withParts(parts(each.parts())) : each)
        .toList();
  }

  private static List<Part> parts(List<Part> parts) {
    List<Part> told = new ArrayList<>(parts.size());
    for (Part part : parts) {
      if (part instanceof Part.File file) {
        told.addAll(told(file));
      } else if (part instanceof Part.ToolResult result) {
        told.add(result.withContent(parts(result.content())));
      } else {
        told.add(part);
      }
    }
    return told;
  }

  /** A document, or the blocks it is made of, behind what it says of itself. */
  public static List<Part> told(Part.File file) {
    JsonValue document = file.source();
    JsonValue blocks = document.at("source").get("content");
    // The title of a file with data is its name.
    String title = file.media().data() == null ? document.text("title") : "";
    String about =
        Stream.of(title, document.text("context"))
            .filter(words -> !words.isBlank())
            .collect(Collectors.joining("\n"));
    List<Part> told = new ArrayList<>();
    if (!about.isEmpty()) {
      told.add(Part.Text.of(about));
    }
    told.addAll(
        blocks == null
            ? List.of(file)
            : PartReader.read(CachedPrefix.marked(blocks, document.get("cache_control"))));
    return told;
  }
}
