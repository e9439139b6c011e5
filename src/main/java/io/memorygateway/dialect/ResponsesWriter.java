package io.memorygateway.dialect;

import io.memorygateway.json.Json;
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
 *
 * <p>An upstream refuses an item that keeps its id without the reasoning that led to it. So items
 * whose reasoning may be left out are sent without ids, and those that nothing names but their id,
 * of tools that the upstream ran itself, are not sent.
 */
final class ResponsesWriter {
  private static final Set<Shape> OWN = EnumSet.of(Shape.RESPONSES);

  /** Items that are not accepted without an id. */
  private static final Set<String> OF_UPSTREAM =
      Set.of(
          "web_search_call",
          "file_search_call",
          "code_interpreter_call",
          "image_generation_call",
          "mcp_call");

  private final boolean upstreamStores;
  private final boolean partial;
  private final List<String> items = new ArrayList<>();

  /** Reasoning whose output has not been written yet. */
  private final List<String> thoughts = new ArrayList<>();

  /** Whether all items are sent without ids, because reasoning among them cannot be sent. */
  private boolean withoutIds;

  /** Whether reasoning was written in the run of the model's items that is being written. */
  private boolean reasoned;

  /**
   * A writer of one request.
   *
   * @param upstreamStores whether the upstream stores responses, and so can read reasoning by its
   *     id
   * @param partial whether messages of the thread are not sent: the reasoning of an item that is
   *     may be among them
   */
  ResponsesWriter(boolean upstreamStores, boolean partial) {
    this.upstreamStores = upstreamStores;
    this.partial = partial;
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
      if (!utterance.ofSystem()) {
        writeThoughts(utterance.ofModel());
      }
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
    writeThoughts(utterance.ofModel());
    if (!MessageWriters.saysNothing(utterance.parts())) {
      boolean anonymous = withoutIds || (partial && utterance.ofModel() && !reasoned);
      String own = own(utterance, anonymous);
      if (own == null) {
        render(utterance, anonymous);
      } else if (!own.isEmpty()) {
        items.add(own);
      }
    }
  }

  /** Writes the reasoning before an item that follows from it; before any other it is dropped. */
  private void writeThoughts(boolean followed) {
    if (followed) {
      items.addAll(thoughts);
    }
    reasoned = followed && (reasoned || !thoughts.isEmpty());
    thoughts.clear();
  }

  private static boolean isThought(Utterance utterance) {
    return utterance.parts().stream().allMatch(part -> part instanceof Part.Reasoning);
  }

  private boolean isReadable(Part part) {
    return part.shape() == Shape.RESPONSES
        && (upstreamStores || part.source().get("encrypted_content") != null);
  }

  /** The message in this format, if it is stored in it; empty if it cannot be sent. */
  private static @Nullable String own(Utterance utterance, boolean anonymous) {
    JsonValue content = utterance.content();
    if (content == null) {
      return null;
    }
    boolean typed = content.isObject() && content.string("type") != null;
    if (typed && MessageWriters.isAll(OWN, utterance.parts())) {
      if (!anonymous || content.text("type").equals("item_reference")) {
        return content.raw();
      }
      return OF_UPSTREAM.contains(content.text("type")) ? "" : content.without("id");
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

  private void render(Utterance utterance, boolean anonymous) {
    int before = items.size();
    List<String> content = new ArrayList<>();
    for (Part part : utterance.parts()) {
      if (part instanceof Part.ToolCall || part instanceof Part.ToolResult) {
        flush(utterance, content);
        items.add(ResponsesParts.item(part, anonymous));
      } else {
        String json = ResponsesParts.part(part, utterance.ofModel());
        if (json != null) {
          content.add(json);
        }
      }
    }
    flush(utterance, content);
    String standIn = items.size() == before ? MessageWriters.standIn(utterance.parts()) : null;
    if (standIn != null) {
      items.add(MessageWriters.message(role(utterance), Json.quote(standIn)));
    }
  }

  private void flush(Utterance utterance, List<String> content) {
    if (!content.isEmpty()) {
      items.add(MessageWriters.message(role(utterance), "[" + String.join(",", content) + "]"));
      content.clear();
    }
  }
}
