package io.memorygateway.format.responses;

import io.memorygateway.format.answer.EventAssembler;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Assembles a Responses answer from its finished items. The whole response in the last event is
 * used only if items were not sent one by one.
 */
final class ResponsesAssembler extends EventAssembler {
  private static final String ADDED = "response.output_item.added";

  private static final int MAX_ITEMS = 1024;

  /** The items in their order: by their indices, those of an index taken twice behind all. */
  private final TreeMap<Integer, ResponsesItemFragments> items = new TreeMap<>();

  /** The last items of an index, of an id, and of both. */
  private final Map<String, ResponsesItemFragments> known = new HashMap<>();

  private @Nullable ResponsesItemFragments last;

  /** Whether the stream did not say where an item stands. */
  private boolean unplaced;

  private String metadata = "{}";

  /** The id of the response that was created. */
  private String id = "";

  /** Whether the last event had all items, whatever came before. */
  private boolean repeated;

  ResponsesAssembler(int maxBytes, LongPredicate heap) {
    super(maxBytes, heap);
  }

  @Override
  protected void read(String type, JsonValue event) {
    JsonValue response = event.get("response");
    if (response != null) {
      if (type.equals("response.created")) {
        begin(response.text("id"));
      }
      metadata = ResponsesReplay.metadata(response);
      readOutput(ResponsesItems.output(response), unplaced && type.equals("response.completed"));
      if (type.equals("response.completed") || type.equals("response.incomplete")) {
        readText(ResponsesItems.text(response));
      }
      return;
    }
    if (type.startsWith("response.")) {
      item(type, event).read(type, event);
    }
  }

  /** Begins a response: another one is of a call that broke off and a proxy made once more. */
  private void begin(String created) {
    if (!id.isEmpty() && !created.isEmpty() && !created.equals(id)) {
      items.clear();
      known.clear();
      last = null;
    }
    id = created;
  }

  /**
   * Takes the items that a response repeats, if of a type not as many have ended.
   *
   * @param counts whether it says how many there are of its types
   */
  private void readOutput(List<JsonValue> output, boolean counts) {
    repeated |= !output.isEmpty();
    Map<String, Long> types = ResponsesItems.types(output.stream().map(ResponsesItems::typeOf));
    Map<String, Long> ended =
        ResponsesItems.types(
            items.values().stream()
                .filter(ResponsesItemFragments::isDone)
                .map(ResponsesItemFragments::type));
    List<Integer> places = new ArrayList<>();
    items.forEach(
        (at, item) -> {
          if (types.containsKey(item.type())) {
            places.add(at);
          }
        });
    boolean all =
        types.entrySet().stream()
            .allMatch(type -> ended.getOrDefault(type.getKey(), 0L) >= type.getValue());
    if (all && (!counts || places.size() == output.size())) {
      return;
    }
    for (int i = 0; i < output.size(); i++) {
      put(i < places.size() ? places.get(i) : next()).finish(output.get(i));
    }
    if (counts) {
      places.stream().skip(output.size()).forEach(items::remove);
    }
  }

  private void readText(@Nullable JsonValue message) {
    if (message != null
        && items.values().stream().noneMatch(item -> item.type().equals("message"))) {
      put(next()).finish(message);
    }
  }

  private ResponsesItemFragments put(int at) {
    ResponsesItemFragments item = new ResponsesItemFragments(this::takes);
    items.put(at, item);
    return item;
  }

  /** The place behind all items. */
  private int next() {
    return items.isEmpty() ? 0 : items.lastKey() + 1;
  }

  /**
   * The item of an event, by its id or else by its index. Some servers leave out one or both, or
   * give all items the same; llama.cpp's calls have only a {@code call_id}.
   */
  private ResponsesItemFragments item(String type, JsonValue event) {
    JsonValue json = event.get("item");
    int index = event.index("output_index");
    String id = json == null ? event.text("item_id") : json.text("id");
    id = " " + (json != null && id.isEmpty() ? json.text("call_id") : id);
    unplaced |= json != null && index < 0;
    boolean named = json != null && id.length() > 1;
    ResponsesItemFragments item = known.get(index < 0 ? id : index + id);
    item = item == null ? known.get(-1 + id) : item;
    if (item == null) {
      item = index < 0 ? last : placed(type, index, id, json);
      if (item == null
          || (index < 0
              ? type.equals(ADDED) || item.isDone()
              : named && (item.isDone() || (type.equals(ADDED) && item.isBegun())))) {
        item = put(index >= 0 && !items.containsKey(index) ? index : next());
        known.put("" + index, item);
      }
      if (named && takes(id.length(), 1)) {
        known.put(id, item);
        known.put(index + id, item);
      }
    }
    if (items.size() > MAX_ITEMS) {
      overflow();
    }
    last = item;
    return item;
  }

  /** The open item of an id; else, and where one begins, the last one of the index. */
  private @Nullable ResponsesItemFragments placed(
      String type, int index, String id, @Nullable JsonValue json) {
    ResponsesItemFragments placed = known.get("" + index);
    ResponsesItemFragments named = known.get(id);
    if (type.equals(ADDED) || named == null || named.isDone()) {
      return placed;
    }
    ResponsesStreamedItems.Event event = ResponsesStreamedItems.event(type);
    String kind = json != null ? ResponsesItems.typeOf(json) : event == null ? "" : event.type();
    return kind.isEmpty() || named.type().equals(kind) ? named : placed;
  }

  @Override
  public boolean unreadable() {
    return super.unreadable() && !repeated;
  }

  @Override
  public String metadata() {
    return metadata;
  }

  @Override
  public List<StoredMessage> messages() {
    List<StoredMessage> messages = new ArrayList<>();
    for (ResponsesItemFragments item : items.values()) {
      JsonValue json = item.json();
      if (json != null) {
        messages.add(ResponsesItems.stored(json));
      }
    }
    return messages;
  }
}
