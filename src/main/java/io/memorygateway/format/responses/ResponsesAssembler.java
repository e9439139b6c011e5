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

  /** Items of one answer. */
  private static final int MAX_ITEMS = 1024;

  /** The items in their order: by their indices, those of an index taken twice behind all. */
  private final TreeMap<Integer, ResponsesItemFragments> items = new TreeMap<>();

  /** The last items of an index, of an id, and of both. */
  private final Map<String, ResponsesItemFragments> known = new HashMap<>();

  private @Nullable ResponsesItemFragments last;

  /** Items that were received whole, or more. */
  private int done;

  /** Whether the stream did not say where an item stands. */
  private boolean unplaced;

  private String metadata = "{}";

  /** Whether the last event had all items, whatever came before. */
  private boolean repeated;

  ResponsesAssembler(int maxBytes, LongPredicate heap) {
    super(maxBytes, heap);
  }

  @Override
  protected void read(String type, JsonValue event) {
    JsonValue response = event.get("response");
    if (response != null) {
      metadata = ResponsesReplay.metadata(response);
      readOutput(
          ResponsesItems.of(
              response, () -> items.values().stream().anyMatch(item -> item.type().equals("message"))),
          unplaced && type.equals("response.completed"));
      return;
    }
    if (type.startsWith("response.")) {
      ResponsesItemFragments item = item(type, event);
      boolean wasDone = item.isDone();
      item.read(type, event);
      done += item.isDone() && !wasDone ? 1 : 0;
    }
  }

  private void readOutput(List<JsonValue> output, boolean counts) {
    int size = output.size();
    repeated |= size > 0;
    if (done >= size && (!counts || size == 0 || size == items.size())) {
      return;
    }
    done = size;
    if (counts || size >= items.size()) {
      items.clear();
      known.clear();
    }
    for (int i = 0; i < size; i++) {
      items.computeIfAbsent(i, at -> new ResponsesItemFragments(this::takes)).finish(output.get(i));
    }
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
        item = new ResponsesItemFragments(this::takes);
        boolean free = index >= 0 && !items.containsKey(index);
        items.put(free ? index : items.isEmpty() ? 0 : items.lastKey() + 1, item);
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

  /** The open item of an id, if that says more than the index; else the last one of the index. */
  private @Nullable ResponsesItemFragments placed(
      String type, int index, String id, @Nullable JsonValue json) {
    ResponsesItemFragments placed = known.get("" + index);
    ResponsesItemFragments named = known.get(id);
    if (type.equals(ADDED) || named == null || named.isDone()) {
      return placed;
    }
    String kind = json == null ? ResponsesStreamedItems.typeOf(type) : ResponsesItems.typeOf(json);
    boolean ofAnother =
        json != null || placed == null || !(kind.isEmpty() || placed.type().equals(kind));
    boolean fits = kind.isEmpty() || named.type().equals(kind);
    return ofAnother && fits ? named : placed;
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
