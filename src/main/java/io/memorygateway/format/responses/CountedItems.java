package io.memorygateway.format.responses;

import io.memorygateway.format.translation.AnswerReader;
import io.memorygateway.format.translation.CountedStream;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A stream of Responses, in items that begin and end: those that are open end with the stream, and
 * its last event has them all.
 */
final class CountedItems implements CountedStream {
  private static final int MAX_ITEMS = 1024;
  private static final String PREFIX = "response.";
  private static final String ITEM_DONE = "response.output_item.done";

  /**
   * What events tell the texts of items by, without {@code response.} and what happens; and the
   * member of the item that has their parts, empty if the text is the item's own.
   */
  private static final Map<String, String> KINDS =
      Map.of(
          "output_text", "content",
          "refusal", "content",
          "reasoning_text", "content",
          "reasoning_summary_text", "summary",
          "function_call_arguments", "",
          "mcp_call_arguments", "",
          "custom_tool_call_input", "",
          "code_interpreter_call_code", "");

  /** Of items that have a text of their own from their beginning, its kind. */
  private static final Map<String, String> OWN =
      Map.of(
          "function_call", "function_call_arguments",
          "custom_tool_call", "custom_tool_call_input");

  /** What is kept of items and of the response where there is no room for more. */
  private static final List<String> HEAD =
      List.of("id", "object", "type", "role", "status", "call_id", "name", "model", "created_at");

  /** Longest member of a head. */
  private static final int MAX_HEAD = 128;

  /** A text of an item, of a part of it or its own. */
  private static final class Part {
    /** Of {@link #KINDS}. */
    private final String kind;

    private final String list;
    private final int number;
    private final StringBuilder text = new StringBuilder();
    private final List<String> annotations = new ArrayList<>();

    /** What the events of its beginning and end are named by. */
    private String named;

    private boolean closed;

    Part(String kind, String list, int number) {
      this.kind = kind;
      this.list = list;
      this.number = number;
      this.named = list.equals("summary") ? "reasoning_summary_part" : "content_part";
    }

    /** The member that has the text, in events, in parts and in items. */
    String member() {
      return kind.substring(kind.lastIndexOf('_') + 1);
    }

    String key() {
      return list + number;
    }

    String json() {
      JsonObject part =
          new JsonObject(text.length() + 64)
              .string("type", list.equals("summary") ? "summary_text" : kind)
              .string(member(), text.toString());
      if (kind.equals("output_text")) {
        part.raw("annotations", "[" + String.join(",", annotations) + "]").raw("logprobs", "[]");
      }
      return part.toString();
    }
  }

  private static final class Item {
    /** As it was sent, of which others may be, too. */
    private final int index;

    /** Its id and its type. */
    private final String key;

    /** As it was sent when it began, or its head. */
    private String begun = "{}";

    /** As it was sent when it was whole; empty if there was no room. */
    private @Nullable String done;

    private final Map<String, Part> parts = new LinkedHashMap<>();

    Item(int index, String key) {
      this.index = index;
      this.key = key;
    }
  }

  private final AnswerReader reader;
  private final ToLongFunction<String> counter;
  private final List<Item> items = new ArrayList<>();

  /** Of each index the item that began last. */
  private final Map<Integer, Item> current = new HashMap<>();

  /** By their ids, which tell them where servers give no index. */
  private final Map<String, Item> named = new HashMap<>();

  /** As it was sent last, or its head. */
  private String response = "{}";

  private int latest;
  private long sequence = -1;

  /** Whether the texts of items may be longer than they are here. */
  private boolean lacks;

  CountedItems(AnswerReader reader, ToLongFunction<String> counter) {
    this.reader = reader;
    this.counter = counter;
  }

  @Override
  public long read(String name, JsonValue data) {
    return CountedStream.tokens(reader, name, data, counter);
  }

  @Override
  public boolean tells(String type, boolean isFirst) {
    // The type of an event of the whole response, which repeats its head, is of two words.
    boolean isHead = type.startsWith(PREFIX) && type.indexOf('.', PREFIX.length()) < 0;
    return CountedStream.super.tells(type, isFirst && !isHead);
  }

  @Override
  public void missed() {
    lacks = true;
  }

  @Override
  public void take(String name, JsonValue event, boolean keeps) {
    String type = CountedStream.type(name, event);
    if (event.get("sequence_number") != null) {
      sequence = Math.max(sequence + 1, event.index("sequence_number"));
    }
    JsonValue head = event.get("response");
    if (head != null && head.isObject()) {
      response = keeps ? head.raw() : response.equals("{}") ? head(head) : response;
      return;
    }
    int index = event.index("output_index");
    latest = index < 0 ? latest : index;
    // Of an event that came in pieces, which the client has, it is the head alone.
    JsonValue whole = event.get("item");
    if (whole != null && whole.isObject()) {
      boolean ends = type.equals(ITEM_DONE);
      Item known = whole(index, whole, ends);
      if (known != null) {
        item(known, whole, ends, keeps);
      }
      return;
    }
    Item known = of(index, event.text("item_id"));
    if (known != null && known.done == null && type.startsWith(PREFIX)) {
      part(known, type.substring(PREFIX.length()), event, keeps);
    }
  }

  /** The item of a fragment: by its id, unless the item of its index has it too; else by that. */
  private @Nullable Item of(int index, String id) {
    Item placed = current.get(latest);
    Item known = named.get(id);
    boolean has = placed != null && placed.key.endsWith(" " + id);
    return known == null || (index >= 0 && (has || known.done != null)) ? placed : known;
  }

  /** The item that begins or ends; null if there are too many. */
  private @Nullable Item whole(int index, JsonValue whole, boolean ends) {
    String id = whole.text("id").isEmpty() ? whole.text("call_id") : whole.text("id");
    String key = whole.text("type") + " " + id;
    Item known = ends ? of(index, id) : current.get(latest);
    if (known != null && (ends || (known.done == null && known.key.equals(key)))) {
      return known;
    }
    current.remove(latest);
    if (items.size() == MAX_ITEMS) {
      return null;
    }
    known = new Item(latest, key);
    items.add(known);
    current.put(latest, known);
    if (!id.isEmpty()) {
      named.put(id, known);
    }
    return known;
  }

  private static void item(Item item, JsonValue whole, boolean ends, boolean keeps) {
    if (ends) {
      item.done = keeps ? whole.raw() : "";
      item.begun = "{}";
      item.parts.clear();
      return;
    }
    item.begun = keeps ? whole.raw() : head(whole);
    String own = OWN.get(whole.text("type"));
    if (own != null) {
      Part part = new Part(own, "", 0);
      part.text.append(keeps ? whole.text(part.member()) : "");
      item.parts.putIfAbsent(part.key(), part);
    }
  }

  private static String head(JsonValue whole) {
    JsonObject head = new JsonObject();
    for (String name : HEAD) {
      JsonValue value = whole.get(name);
      head.raw(name, value == null || value.length() > MAX_HEAD ? null : value);
    }
    return head.toString();
  }

  private static void part(Item item, String type, JsonValue event, boolean keeps) {
    JsonValue added = event.get("part");
    String what = type.substring(type.lastIndexOf('.') + 1);
    String kind = type.substring(0, Math.max(0, type.indexOf('.')));
    if (added != null) {
      kind = kind.equals("reasoning_summary_part") ? "reasoning_summary_text" : added.text("type");
    }
    String list = KINDS.get(kind);
    if (list == null) {
      return;
    }
    int number = list.isEmpty() ? 0 : Math.max(0, event.index(list + "_index"));
    Part part = item.parts.get(list + number);
    if (part == null && keeps && item.parts.size() < MAX_ITEMS) {
      part = new Part(kind, list, number);
      item.parts.put(part.key(), part);
    }
    if (part == null) {
      return;
    }
    part.named = added == null ? part.named : type.substring(0, type.indexOf('.'));
    JsonValue annotation = event.get("annotation");
    if (annotation != null && keeps) {
      part.annotations.add(annotation.raw());
    } else if (what.equals("delta") && keeps) {
      part.text.append(event.text("delta"));
    } else if (what.equals("done")) {
      part.closed |= list.isEmpty() || added != null;
      if (keeps && event.string(part.member()) != null) {
        part.text.setLength(0);
        part.text.append(event.text(part.member()));
      }
    }
  }

  @Override
  public byte[] end(Usage usage) {
    StringBuilder end = new StringBuilder();
    List<String> all = new ArrayList<>();
    items.sort(Comparator.comparingInt(item -> item.index));
    for (Item item : items) {
      // Who has its fragments knows more than an end with less text would say.
      String json = item.done != null || lacks ? item.done : close(item, end);
      if (json != null && !json.isEmpty()) {
        all.add(json);
      }
    }
    String tokens =
        new JsonObject()
            .number("input_tokens", usage.input())
            .raw("input_tokens_details", "{\"cached_tokens\":" + Math.max(0, usage.cached()) + "}")
            .number("output_tokens", usage.output())
            .raw("output_tokens_details", "{\"reasoning_tokens\":0}")
            .number("total_tokens", usage.input() + usage.output())
            .toString();
    Map<String, String> members = new LinkedHashMap<>();
    members.put("status", "\"incomplete\"");
    members.put("incomplete_details", "{\"reason\":\"max_output_tokens\"}");
    members.put("output", "[" + String.join(",", all) + "]");
    members.put("usage", tokens);
    JsonValue begun = JsonValue.of(response);
    if (begun.get("object") == null) {
      members.put("object", "\"response\"");
    }
    event("response.incomplete", new JsonObject().raw("response", with(begun, members)), end);
    return end.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Ends an item with all its parts; returns it as it is then. */
  private String close(Item item, StringBuilder out) {
    JsonValue begun = JsonValue.of(item.begun);
    String id = begun.text("id");
    Map<String, String> members = new LinkedHashMap<>();
    Map<String, List<String>> lists = new LinkedHashMap<>();
    for (Part part : item.parts.values()) {
      String json = part.json();
      if (part.list.isEmpty()) {
        members.put(part.member(), JsonWriter.quote(part.text.toString()));
      } else {
        lists.computeIfAbsent(part.list, list -> new ArrayList<>()).add(json);
      }
      if (!part.closed) {
        JsonObject text = place(id, item.index, part);
        if (part.kind.equals("function_call_arguments")) {
          text.string("name", begun.string("name"));
        }
        text.string(part.member(), part.text.toString());
        if (part.kind.equals("output_text")) {
          text.raw("logprobs", "[]");
        }
        event(PREFIX + part.kind + ".done", text, out);
        if (!part.list.isEmpty()) {
          event(PREFIX + part.named + ".done", place(id, item.index, part).raw("part", json), out);
        }
      }
    }
    lists.forEach((list, parts) -> members.put(list, "[" + String.join(",", parts) + "]"));
    if (begun.get("status") != null) {
      members.put("status", "\"incomplete\"");
    }
    String json = with(begun, members);
    event(ITEM_DONE, new JsonObject().number("output_index", item.index).raw("item", json), out);
    return json;
  }

  private static JsonObject place(String id, int index, Part part) {
    JsonObject place = new JsonObject().string("item_id", id).number("output_index", index);
    return part.list.isEmpty() ? place : place.number(part.list + "_index", part.number);
  }

  /** An object with some members in place of those of their names. */
  private static String with(JsonValue object, Map<String, String> members) {
    JsonObject all = new JsonObject(1024);
    object
        .members()
        .forEach((name, value) -> all.raw(name, members.getOrDefault(name, value.raw())));
    members.forEach((name, json) -> all.raw(name, object.member(name) == null ? json : null));
    return all.toString();
  }

  private void event(String type, JsonObject members, StringBuilder out) {
    sequence++;
    members.string("type", type).number("sequence_number", sequence);
    String data = JsonWriter.inOneLine(members.toString());
    out.append("event: ").append(type).append("\ndata: ").append(data).append("\n\n");
  }
}
