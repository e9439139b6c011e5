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
    JsonValue delta = event.get("delta");
    JsonValue start = event.get("content_block");
    if (type.equals("content_block_start") && start != null && start.isObject()) {
      block(at).start(start);
    } else if (type.equals("content_block_delta") && delta != null && blocks.containsKey(at)) {
      block(at).add(delta);
    }
  }

  private MessagesBlockFragments block(int at) {
    return blocks.computeIfAbsent(at, index -> new MessagesBlockFragments(this::takes));
  }

  @Override
  public String metadata() {
    return metadata.json();
  }

  @Override
  public List<StoredMessage> messages() {
    List<String> json = new ArrayList<>();
    for (MessagesBlockFragments block : blocks.values()) {
      JsonValue received = block.json();
      if (!isEmpty(received)) {
        json.add(received.raw());
      }
    }
    return json.isEmpty()
        ? List.of()
        : List.of(StoredMessage.of("assistant", "[" + String.join(",", json) + "]"));
  }

  /** Whether nothing has come of a block but its start. */
  private static boolean isEmpty(JsonValue block) {
    return switch (block.text("type")) {
      case "text" -> block.text("text").isEmpty();
      case "thinking" -> block.text("thinking").isEmpty() && block.text("signature").isEmpty();
      default -> false;
    };
  }
}
