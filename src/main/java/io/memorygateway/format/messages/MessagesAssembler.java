package io.memorygateway.format.messages;

import io.memorygateway.format.answer.EventAssembler;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.Stream;

/**
 * Assembles a Messages answer, block by block. Some servers use an index again, leave it out, do
 * not begin a block, or put a delta on a block of another type: then there is one more block.
 */
final class MessagesAssembler extends EventAssembler {
  private static final String TEXT = "text";
  private static final String THINKING = "thinking";
  private static final String OTHER = "other";
  private static final String ANY = "";

  /** A call whose input comes before its start. */
  private static final String CALL = "{\"type\":\"tool_use\"}";

  private final List<MessagesBlockFragments> blocks = new ArrayList<>();

  /** The last block of an index, by that and by the kind of deltas that it takes. */
  private final Map<String, MessagesBlockFragments> current = new HashMap<>();

  /** The keys of the current blocks that were ended: what comes late is theirs, a start is not. */
  private final Set<String> ended = new HashSet<>();

  private int last = -1;

  /** The id of the message that has begun. */
  private String id = "";

  /** Whether another message has begun since: of a call that a proxy made once more. */
  private boolean again;

  private final MessagesMetadata metadata = new MessagesMetadata();

  MessagesAssembler(int maxBytes, LongPredicate heap) {
    super(maxBytes, heap);
  }

  @Override
  protected void read(String type, JsonValue event) {
    JsonValue message = event.get("message");
    if (type.equals("message_start") && message != null) {
      metadata.take(message);
      if (!id.isEmpty() && !message.text("id").isEmpty() && !message.text("id").equals(id)) {
        again = true;
        last = -1;
      }
      id = message.text("id");
      List<JsonValue> begun = MessagesAnswers.begun(message);
      for (int i = 0; i < begun.size(); i++) {
        start(i, begun.get(i), 0);
      }
    } else if (type.equals("message_delta")) {
      metadata.takeDelta(event);
    }
    JsonValue delta = event.get("delta");
    JsonValue start = event.get("content_block");
    int index = event.index("index");
    if (type.equals("content_block_start") && start != null && start.isObject()) {
      last = index < 0 ? last + 1 : index;
      if (again && last == 0) {
        again = false; // the first one broke off
        blocks.clear();
        current.clear();
        ended.clear();
      }
      start(last, start, 0);
    } else if (type.equals("content_block_delta") && delta != null) {
      add(index < 0 ? last : index, delta);
    } else if (type.equals("content_block_stop")) {
      int at = index < 0 ? last : index;
      Stream.of(at + TEXT, at + THINKING).filter(current::containsKey).forEach(ended::add);
    }
  }

  /**
   * Begins a block, if it is not begun already.
   *
   * @param before number of blocks before which it stands
   */
  private void start(int at, JsonValue start, int before) {
    String type = start.text("type");
    String kind = type.equals(TEXT) || type.equals(THINKING) ? type : OTHER;
    MessagesBlockFragments known = current.get(at + kind);
    if (known == null
        || (kind.equals(OTHER) ? !known.isBegunBy(start) : ended.contains(at + kind))) {
      ended.remove(at + kind);
      MessagesBlockFragments block =
          new MessagesBlockFragments(this::takes, start, start.raw().equals(CALL));
      blocks.add(Math.max(0, blocks.size() - before), block);
      current.put(at + kind, block);
      current.put(at + ANY, block);
    }
  }

  private void add(int at, JsonValue delta) {
    String kind =
        switch (MessagesAnswers.typeOf(delta)) {
          case "text_delta", "citations_delta" -> TEXT;
          case "thinking_delta", "signature_delta" -> THINKING;
          case "input_json_delta" -> OTHER;
          default -> ANY;
        };
    boolean thought = kind.equals(THINKING);
    MessagesBlockFragments known = current.get(at + kind);
    boolean left = ended.contains(at + kind) && current.get(at + ANY) != known;
    if ((known == null || left) && (thought || kind.equals(TEXT))) {
      String start = "{\"type\":\"%1$s\",\"%1$s\":\"\"}".formatted(kind);
      // A thought that comes on another block stands before that.
      start(at, JsonValue.of(start), thought && current.containsKey(at + ANY) ? 1 : 0);
    } else if (known == null && !delta.text("partial_json").isEmpty()) {
      start(at, JsonValue.of(CALL), 0);
    }
    MessagesBlockFragments block = current.get(at + kind);
    if (block != null) {
      block.add(delta);
    }
  }

  @Override
  public String metadata() {
    return metadata.json();
  }

  @Override
  public List<StoredMessage> messages() {
    List<String> json = new ArrayList<>();
    for (MessagesBlockFragments block : blocks) {
      JsonValue received = block.json();
      if (MessagesAnswers.says(received)) {
        json.add(received.raw());
      }
    }
    return json.isEmpty()
        ? List.of()
        : List.of(StoredMessage.of("assistant", "[" + String.join(",", json) + "]"));
  }
}
