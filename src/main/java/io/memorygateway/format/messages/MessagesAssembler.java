package io.memorygateway.format.messages;

import io.memorygateway.format.answer.EventAssembler;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/** Assembles a Messages answer, block by block. */
final class MessagesAssembler extends EventAssembler {
  private final TreeMap<Integer, MessagesBlockFragments> blocks = new TreeMap<>();

  private final MessagesMetadata metadata = new MessagesMetadata();

  MessagesAssembler(int maxBytes, LongPredicate heap) {
    super(maxBytes, heap);
  }

  @Override
  protected void read(String type, JsonValue event) {
    JsonValue message = event.get("message");
    if (type.equals("message_start") && message != null) {
      metadata.take(message);
    } else if (type.equals("message_delta")) {
      metadata.takeDelta(event);
    }
    int at = event.index("index");
    if (at < 0) {
      return;
    }
    MessagesBlockFragments block = blocks.get(at);
    JsonValue delta = event.get("delta");
    JsonValue start = event.get("content_block");
    if (type.equals("content_block_start")
        && start != null
        && start.isObject()
        && fits(start.raw())) {
      blocks.put(at, new MessagesBlockFragments(start));
    } else if (type.equals("content_block_delta") && block != null && delta != null) {
      if (fits(delta.raw())) {
        block.add(delta);
      }
    } else if (type.equals("content_block_stop") && block != null) {
      block.stop();
    }
  }

  @Override
  public String metadata() {
    return metadata.json();
  }

  @Override
  public List<StoredMessage> messages(boolean complete) {
    List<String> json = new ArrayList<>();
    for (MessagesBlockFragments block : blocks.values()) {
      if (block.isWorthKeeping()) {
        json.add(block.json());
      }
    }
    return json.isEmpty()
        ? List.of()
        : List.of(StoredMessage.of("assistant", "[" + String.join(",", json) + "]"));
  }
}
