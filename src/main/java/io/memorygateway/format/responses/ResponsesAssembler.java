package io.memorygateway.format.responses;

import io.memorygateway.format.answer.EventAssembler;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/**
 * Assembles a Responses answer from its finished items. The whole response in the last event is
 * used only if items were not sent one by one.
 */
final class ResponsesAssembler extends EventAssembler {
  /** Items of one answer. */
  private static final int MAX_ITEMS = 1024;

  private final TreeMap<Integer, ResponsesItemFragments> items = new TreeMap<>();

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
    int index = event.index("output_index");
    if (index < 0 || !type.startsWith("response.")) {
      return;
    }
    ResponsesItemFragments item = item(index);
    boolean wasDone = item.isDone();
    item.read(type, event);
    done += item.isDone() && !wasDone ? 1 : 0;
  }

  private void readOutput(JsonValue output) {
    repeated |= !output.items().isEmpty();
    if (done >= output.items().size()) {
      return;
    }
    done = output.items().size();
    for (int i = 0; i < output.items().size(); i++) {
      JsonValue item = output.items().get(i);
      if (item.isObject()) {
        item(i).finish(item);
      }
    }
  }

  private ResponsesItemFragments item(int index) {
    ResponsesItemFragments item =
        items.computeIfAbsent(index, at -> new ResponsesItemFragments(this::takes));
    if (items.size() > MAX_ITEMS) {
      overflow();
    }
    return item;
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
