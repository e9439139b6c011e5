package io.memorygateway.format.responses;

import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The items of a streamed response, told by indices and ids as the assembler of streams does. */
final class ResponsesStreamedItems {
  /** The types of items by what their events have of them. */
  private static final Map<String, String> TYPES =
      Map.of(
          "output_text", "message",
          "refusal", "message",
          "content_part", "message",
          "reasoning_text", "reasoning",
          "reasoning_summary_text", "reasoning",
          "function_call_arguments", "function_call",
          "custom_tool_call_input", "custom_tool_call");

  /**
   * What an event has of an item.
   *
   * @param type of the item
   * @param whole whether it ends what it has
   */
  record Event(String what, String type, boolean whole) {}

  private static final Map<String, Event> EVENTS = events();

  /** What stands for the index before the id of an item that has none. */
  private static final String NO_INDEX = "-1 ";

  /** A text of the answer, or the arguments of a call. */
  static final class Fragments {
    final StringBuilder text = new StringBuilder();

    /** Its number; negative before it has begun. */
    int piece = -1;

    boolean refusal;
    boolean closed;
    int cited;

    /** Tokens whose logprobs have been told. */
    int likely;
  }

  static final class Item {
    final String type;
    final Map<Integer, Fragments> parts = new TreeMap<>();

    /** Of a call or of reasoning. */
    final Fragments own = new Fragments();

    String id = "";
    String name = "";

    /** Where the text of reasoning comes from, so that it is not told twice. */
    String source = "";

    int part;
    boolean done;

    Item(String type) {
      this.type = type;
    }

    boolean isCall() {
      return isFunction() || type.equals("custom_tool_call");
    }

    boolean isFunction() {
      return type.equals("function_call");
    }
  }

  private static Map<String, Event> events() {
    Map<String, Event> events = new HashMap<>();
    for (String end : List.of("added", "delta", "done")) {
      TYPES.forEach(
          (what, type) ->
              events.put(
                  "response." + what + "." + end, new Event(what, type, end.equals("done"))));
    }
    return Map.copyOf(events);
  }

  /** What an event of this type has of an item; null if that is not known. */
  static @Nullable Event event(String type) {
    return EVENTS.get(type);
  }

  private final List<Item> items = new ArrayList<>();

  /** The last items of an index, of an id, and of both. */
  private final Map<String, Item> known = new HashMap<>();

  /** The item that the last fragment was of, where nothing has begun since: more of it follows. */
  private @Nullable Item last;

  private int lastIndex;
  private String lastId = "";

  /** All items, in the order in which they began. */
  List<Item> all() {
    return items;
  }

  boolean haveMessage() {
    return items.stream().anyMatch(item -> item.type.equals("message"));
  }

  /** The item that a fragment is of, begun if it is not there. */
  Item known(String type, int index, String id) {
    Item same = last;
    if (same != null
        && !same.done
        && index == lastIndex
        && same.type.equals(type)
        && id.equals(lastId)) {
      return same;
    }
    Item item = find(type, index, id, false);
    item = item == null ? added(type, index, id) : item;
    last = item;
    lastIndex = index;
    lastId = id;
    return item;
  }

  /** The item that an event is of which begins or ends it. */
  Item of(JsonValue json, int index, boolean whole) {
    String id = id(json);
    String type = typeOf(json, index, id);
    Item item = find(type, index, id, !whole);
    boolean same = item != null && !id.isEmpty() && item.id.equals(id);
    boolean named = item != null && !item.id.isEmpty() && !id.isEmpty();
    boolean another = !same && (named || (index < 0 && !whole));
    if (item == null || (another && (item.done || !whole))) {
      item = added(type, index, id);
    }
    return item;
  }

  /** The items that a whole response repeats, of the types of which not as many have ended. */
  Map<Item, JsonValue> of(List<JsonValue> output) {
    Map<String, Long> ended =
        ResponsesItems.types(items.stream().filter(item -> item.done).map(item -> item.type));
    List<String> types = new ArrayList<>();
    for (int i = 0; i < output.size(); i++) {
      types.add(typeOf(output.get(i), i, id(output.get(i))));
    }
    Map<String, Long> repeated = ResponsesItems.types(types.stream());
    Map<Item, JsonValue> all = new LinkedHashMap<>();
    for (int i = 0; i < output.size(); i++) {
      String type = types.get(i);
      if (ended.getOrDefault(type, 0L) >= repeated.getOrDefault(type, 0L)) {
        continue;
      }
      String id = id(output.get(i));
      Item item = find(type, i, id, false);
      item = item == null || all.containsKey(item) ? find(type, -1, id, false) : item;
      item = item == null || all.containsKey(item) ? added(type, i, id) : item;
      all.put(item, output.get(i));
    }
    return all;
  }

  /**
   * The type of an item. One that does not say it has that of its id, else what it shows, else that
   * of its index, which another item may have had before.
   */
  private String typeOf(JsonValue json, int index, String id) {
    Item named = known.get(" " + id);
    String type =
        named != null && json.text("type").isEmpty() ? named.type : ResponsesItems.typeOf(json);
    Item before = type.isEmpty() ? known.get(Integer.toString(index)) : null;
    return before == null ? type : before.type;
  }

  private static String id(JsonValue item) {
    return item.text("id").isEmpty() ? item.text("call_id") : item.text("id");
  }

  /**
   * The item of an event: that of its index and its id, else the open one of its id, else the last
   * one of its index; without an index the one of its id, else the last of all. An item that begins
   * is found by its index first. Null if none has this type.
   */
  private @Nullable Item find(String type, int index, String id, boolean begins) {
    Item named = id.isEmpty() ? null : ofType(type, " " + id);
    if (index < 0) {
      Item last = named == null ? ofType(type, "") : named;
      return last != named && last != null && last.done ? null : last;
    }
    Item item = ofType(type, index + " " + id);
    item = item == null ? ofType(type, NO_INDEX + id) : item;
    if (item != null) {
      return item;
    }
    boolean open = named != null && !named.done && !begins;
    return open ? named : ofType(type, Integer.toString(index));
  }

  private @Nullable Item ofType(String type, String key) {
    Item item = known.get(key);
    return item == null || !item.type.equals(type) ? null : item;
  }

  private Item added(String type, int index, String id) {
    last = null;
    Item item = new Item(type);
    item.id = id;
    items.add(item);
    known.put("", item);
    if (index >= 0) {
      known.put(Integer.toString(index), item);
    }
    if (!id.isEmpty()) {
      known.put(" " + id, item);
      known.put((index < 0 ? NO_INDEX : index + " ") + id, item);
    }
    return item;
  }
}
