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

  private final Map<Integer, ResponsesItemFragments> byIndex = new HashMap<>();
  private final Map<String, ResponsesItemFragments> byId = new HashMap<>();

  private @Nullable ResponsesItemFragments last;

  /** Items that were received whole, or more. */
  private int done;

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
      JsonValue output = response.get("output");
      if (output != null) {
        readOutput(output);
      }
      return;
    }
    if (type.startsWith("response.")) {
      ResponsesItemFragments item = item(type, event);
      boolean wasDone = item.isDone();
      item.read(type, event);
      done += item.isDone() && !wasDone ? 1 : 0;
    }
  }

  private void readOutput(JsonValue output) {
    int size = output.items().size();
    repeated |= size > 0;
    if (done >= size) {
      return;
    }
    done = size;
    if (size >= items.size()) {
      items.clear();
    }
    for (int i = 0; i < size; i++) {
      JsonValue item = output.items().get(i);
      if (item.isObject()) {
        items.computeIfAbsent(i, at -> new ResponsesItemFragments(this::takes)).finish(item);
      }
    }
  }

  /**
   * The item of an event, by its id or else by its index. Some servers leave out one or both, or
   * give all items the same index.
   */
  private ResponsesItemFragments item(String type, JsonValue event) {
    JsonValue json = event.get("item");
    int index = event.index("output_index");
    String id = json == null ? event.text("item_id") : json.text("id");
    ResponsesItemFragments known = byId.get(id);
    if (known == null) {
      known = index < 0 ? last : byIndex.get(index);
      if (known == null
          || (index < 0
              ? type.equals(ADDED) || known.isDone()
              : known.isDone() && json != null && !id.isEmpty())) {
        known = new ResponsesItemFragments(this::takes);
        boolean free = index >= 0 && !items.containsKey(index);
        items.put(free ? index : items.isEmpty() ? 0 : items.lastKey() + 1, known);
        byIndex.put(index, known);
      }
      if (json != null && !id.isEmpty() && takes(id.length(), 1)) {
        byId.put(id, known);
      }
    }
    if (items.size() > MAX_ITEMS) {
      overflow();
    }
    last = known;
    return known;
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
