package io.memorygateway.json;

import org.jspecify.annotations.Nullable;

/** A JSON object that is being written, member by member, in this order. */
public final class JsonObject {
  private final JsonWriter out;
  private boolean empty = true;

  public JsonObject() {
    this(128);
  }

  /** An object of about so many characters. */
  public JsonObject(int expectedLength) {
    this.out = new JsonWriter(expectedLength).ascii("{");
  }

  private JsonWriter member(String name) {
    if (!empty) {
      out.ascii(",");
    }
    empty = false;
    return out.string(name).ascii(":");
  }

  /** Adds a member with a value that is JSON; nothing if it is null. */
  public JsonObject raw(String name, @Nullable String json) {
    if (json != null) {
      member(name).raw(json);
    }
    return this;
  }

  /** Adds a member with a value that was read; nothing if it is null. */
  public JsonObject raw(String name, @Nullable JsonValue value) {
    if (value != null) {
      member(name).raw(value);
    }
    return this;
  }

  /** Adds a member with a value that was written. */
  public JsonObject raw(String name, JsonWriter json) {
    member(name).raw(json);
    return this;
  }

  /** Adds a member with a string; nothing if it is null. */
  public JsonObject string(String name, @Nullable String text) {
    if (text != null) {
      member(name).string(text);
    }
    return this;
  }

  public JsonObject number(String name, long value) {
    member(name).number(value);
    return this;
  }

  public JsonObject bool(String name, boolean value) {
    member(name).bool(value);
    return this;
  }

  /** The whole object; no more is added. */
  @Override
  public String toString() {
    return out.ascii("}").toString();
  }

  /** The whole object in UTF-8; no more is added. */
  public byte[] toBytes() {
    return out.ascii("}").toBytes();
  }
}
