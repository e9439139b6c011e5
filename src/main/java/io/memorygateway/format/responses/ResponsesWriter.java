package io.memorygateway.format.responses;

import io.memorygateway.format.call.MessageWriters;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes messages of any format as items of Responses. Reasoning is sent only as an item that is
 * followed by its output, and that the upstream can read: encrypted, stored by the upstream ({@code
 * store}), or as text where the upstream takes that.
 *
 * <p>An upstream refuses an item that keeps its id without the reasoning that led to it. So items
 * whose reasoning may be left out are sent without ids, and those that nothing names but their id,
 * of tools that the upstream ran itself, are not sent.
 */
final class ResponsesWriter {
  private static final Set<Shape> OWN = EnumSet.of(Shape.RESPONSES);

  private final boolean upstreamStores;
  private final JsonWriter items;
  private final boolean partial;
  private final boolean unsealed;

  /** Reasoning whose output has not been written yet. */
  private final List<JsonValue> thoughts = new ArrayList<>();

  /** Whether all items are sent without ids, because reasoning among them cannot be sent. */
  private boolean withoutIds;

  /** The ids of items that were written, for an upstream takes none twice. */
  private final Set<String> ids = new HashSet<>();

  /** The ids of calls of custom tools, whose results are of another type. */
  private final Set<String> customs = new HashSet<>();

  /** The ids and lists of tools that the caller puts among its messages. */
  private final Set<String> tools = new HashSet<>();

  /** Whether the marks of other formats that a cached prefix ends here are written. */
  private boolean marks;

  /** Whether reasoning was written in the run of the model's items that is being written. */
  private boolean reasoned;

  /**
   * @param items an array, to which items are added
   * @param upstreamStores whether the upstream stores responses, and so can read reasoning by its
   *     id
   * @param partial whether messages of the thread are not sent: the reasoning of an item that is
   *     may be among them
   * @param unsealed whether the upstream reads reasoning that has its text and is not encrypted
   */
  ResponsesWriter(JsonWriter items, boolean upstreamStores, boolean partial, boolean unsealed) {
    this.items = items;
    this.upstreamStores = upstreamStores;
    this.partial = partial;
    this.unsealed = unsealed;
  }

  /** The writer, of messages as a caller has them now, with its marks of cached prefixes. */
  ResponsesWriter withMarks() {
    marks = true;
    return this;
  }

  void write(List<Utterance> utterances) {
    for (Utterance utterance : utterances) {
      JsonValue verbatim = utterance.verbatim();
      if (verbatim != null && ResponsesItems.isOfTools(verbatim)) {
        Stream.of(verbatim.text("id"), verbatim.at("tools").raw())
            .filter(known -> !known.isEmpty())
            .forEach(tools::add);
      }
      if (verbatim == null) {
        for (Part part : utterance.parts()) {
          withoutIds |= part instanceof Part.Reasoning && !isReadable(part, utterance);
        }
      }
    }
    utterances.forEach(this::write);
  }

  private void write(Utterance utterance) {
    JsonValue verbatim = utterance.verbatim();
    if (verbatim != null) {
      if (!utterance.ofSystem()) {
        writeThoughts(utterance.ofModel());
      }
      if (verbatim.isString()) {
        MessageWriters.addMessage(items, "user", verbatim);
      } else {
        items.element().raw(verbatim);
      }
      return;
    }
    if (utterance.ofModel() && isThought(utterance)) {
      for (Part part : utterance.parts()) {
        if (isReadable(part, utterance)) {
          thoughts.add(part.source());
        }
      }
      return;
    }
    if (!utterance.ofModel()) {
      writeThoughts(false);
    }
    if (!Part.sayNothing(utterance.parts())) {
      boolean unreasoned = partial && utterance.ofModel() && !reasoned && thoughts.isEmpty();
      boolean anonymous = withoutIds || unreasoned;
      if (!writeOwn(utterance, anonymous)) {
        render(utterance, anonymous);
      }
    }
  }

  /**
   * Writes the reasoning before an item that follows from it, which is written next; before any
   * other it is dropped.
   */
  private void writeThoughts(boolean followed) {
    if (followed) {
      thoughts.forEach(thought -> items.element().raw(ResponsesEcho.of(thought, !isNew(thought))));
    }
    reasoned = followed && (reasoned || !thoughts.isEmpty());
    thoughts.clear();
  }

  private static boolean isThought(Utterance utterance) {
    return utterance.string() == null
        && utterance.parts().stream().allMatch(part -> part instanceof Part.Reasoning);
  }

  private boolean isReadable(Part part, Utterance utterance) {
    // What is not as it was stored was sealed for its maker, who reads the text as well.
    boolean read =
        (unsealed || utterance.content() == null) && ResponsesAnswerReader.isOpen(part.source());
    return part.shape() == Shape.RESPONSES
        && !ResponsesParts.wasCut(part.source())
        && (upstreamStores || read || part.source().get("encrypted_content") != null);
  }

  /**
   * Writes the message as received or stored, unless it cannot be sent; returns false if it is not
   * in this format.
   */
  private boolean writeOwn(Utterance utterance, boolean anonymous) {
    JsonValue content = utterance.content();
    if (content == null) {
      return false;
    }
    boolean typed = content.isObject() && content.string("type") != null;
    if (typed && MessageWriters.isAll(OWN, utterance.parts())) {
      String type = content.text("type");
      boolean other = utterance.parts().stream().allMatch(part -> part instanceof Part.Other);
      if (other && (ResponsesParts.wasCut(content) || ResponsesEcho.isNothing(content))) {
        return true; // It has no output, and the upstream does not know it.
      }
      if (ResponsesItems.isOfTools(content)
          && (tools.contains(content.text("id")) || tools.contains(content.at("tools").raw()))) {
        return true; // The caller sends it in its place.
      }
      boolean upstreams = ResponsesParts.OF_UPSTREAM.contains(type);
      boolean unnamed = upstreams && content.text("id").isEmpty();
      if (type.equals("item_reference") || (!anonymous && (unnamed || isNew(content)))) {
        writeThoughts(utterance.ofModel());
        items.element().raw(ResponsesEcho.of(content, false));
      } else if (!upstreams) {
        writeThoughts(utterance.ofModel());
        boolean tool = utterance.usesTools();
        items
            .element()
            .raw(
                tool
                    ? ResponsesParts.item(utterance.parts().get(0), true, customs)
                    : ResponsesEcho.of(content, true));
      }
      return true;
    }
    boolean words = content.isString() || content.isArray();
    boolean own = content.isString() || MessageWriters.isAll(OWN, utterance.parts());
    boolean fits = words && own && !utterance.role().equals("tool");
    if (fits) {
      writeThoughts(utterance.ofModel());
      MessageWriters.addMessage(items, role(utterance), content);
    }
    return fits;
  }

  /** Whether no item of its id was written; a server may give the same one, or none, to all. */
  private boolean isNew(JsonValue item) {
    String id = item.string("id");
    return id == null || (!id.isEmpty() && ids.add(id));
  }

  private static String role(Utterance utterance) {
    return utterance.ofModel() ? "assistant" : utterance.ofSystem() ? "system" : "user";
  }

  private void render(Utterance utterance, boolean anonymous) {
    int before = items.length();
    List<String> content = new ArrayList<>();
    for (Part part : utterance.parts()) {
      if (part instanceof Part.Reasoning) {
        if (isReadable(part, utterance)) {
          flush(utterance, content);
          thoughts.add(part.source());
        }
      } else if (part instanceof Part.ToolCall || part instanceof Part.ToolResult) {
        flush(utterance, content);
        writeThoughts(utterance.ofModel());
        boolean again = part.shape() == Shape.RESPONSES && !isNew(part.source());
        items.element().raw(ResponsesParts.item(part, anonymous || again, customs));
      } else {
        String json = ResponsesParts.part(part, utterance.ofModel());
        if (json != null) {
          String mark = marks && !utterance.ofModel() ? mark(part) : null;
          content.add(mark == null ? json : json.substring(0, json.length() - 1) + mark + "}");
        }
      }
    }
    flush(utterance, content);
    String standIn = items.length() == before ? MessageWriters.standIn(utterance.parts()) : null;
    if (standIn != null) {
      writeThoughts(utterance.ofModel());
      MessageWriters.addMessage(items, role(utterance), JsonWriter.quote(standIn));
    }
  }

  /** The member by which a part of another format ends a cached prefix; null if it does not. */
  static @Nullable String mark(Part part) {
    if (part.shape() == Shape.RESPONSES || !part.source().isObject()) {
      return null;
    }
    JsonValue own = part.source().get("prompt_cache_breakpoint");
    if (own == null && part.source().get("cache_control") == null) {
      return null;
    }
    return ",\"prompt_cache_breakpoint\":" + (own == null ? "{\"mode\":\"explicit\"}" : own.raw());
  }

  private void flush(Utterance utterance, List<String> content) {
    if (!content.isEmpty()) {
      writeThoughts(utterance.ofModel());
      MessageWriters.addMessage(items, role(utterance), "[" + String.join(",", content) + "]");
      content.clear();
    }
  }
}
