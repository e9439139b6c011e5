package io.memorygateway.format.messages;

import io.memorygateway.format.answer.Merged;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;

/** One content block of a Messages stream, assembled from its start and its deltas. */
final class MessagesBlockFragments {
  private final Merged block;

  /** The input of a call, which comes as the pieces of a JSON text. */
  private final Merged input;

  private String id;

  /** Whether its start is still to come. */
  private boolean early;

  MessagesBlockFragments(Merged.Room room, JsonValue start, boolean early) {
    this.block = new Merged(room);
    this.input = new Merged(room);
    this.id = start.text("id");
    this.early = early;
    block.set(start);
  }

  /** Takes a start that has the id of this block, or that it lacks; false if it is of another. */
  boolean isBegunBy(JsonValue start) {
    if (early) {
      early = false;
      id = start.text("id");
      block.set(start);
      return true;
    }
    return !id.isEmpty() && id.equals(start.text("id"));
  }

  /** Adds a delta: all of its members but its type are pieces of the block's. */
  void add(JsonValue delta) {
    delta.members().forEach(this::addMember);
  }

  private void addMember(String name, JsonValue value) {
    switch (name) {
      case "type" -> {}
      case "partial_json" -> {
        if (!value.isNull()) {
          input.add(value.isString() ? value : JsonValue.of(JsonWriter.quote(value.raw())));
        }
      }
      case "citation" -> block.member("citations").append(value);
      default -> block.addMember(name, value);
    }
  }

  /**
   * The block as far as it was received. An input that is no JSON, because the model wrote it so or
   * was cut off, is its text: no other input is a string.
   */
  JsonValue json() {
    String written = input.text();
    if (!written.isBlank()) {
      boolean whole = JsonValue.isValid(written);
      block.member("input").hold(JsonValue.of(whole ? written : JsonWriter.quote(written)));
    }
    return JsonValue.of(block.json());
  }
}
