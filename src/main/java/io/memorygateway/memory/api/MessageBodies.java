package io.memorygateway.memory.api;

import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonValue.Kind;
import io.memorygateway.json.ParseOptions;
import io.memorygateway.memory.rows.Identifier;
import io.memorygateway.memory.rows.MessagePatch;
import io.memorygateway.memory.rows.NewMessage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Parser of request bodies of messages; 400 for every invalid body. */
final class MessageBodies {
  static final int MAX_BATCH = 1000;

  private MessageBodies() {}

  /** Parses {@code POST /threads/{t}/messages}. */
  static List<NewMessage> parseAppend(byte[] text) {
    List<NewMessage> messages = new ArrayList<>();
    for (JsonValue element : batch(Body.parseMessages(text), "messages")) {
      if (!element.is(Kind.OBJECT)) {
        throw ApiException.invalidRequest("messages[] must be objects.");
      }
      messages.add(parseOne(new Body("messages[].", element.members())));
    }
    return messages;
  }

  private static NewMessage parseOne(Body message) {
    JsonValue content = readContent(message);
    String role = message.word("role", StoredMessage.ROLES);
    if (role == null || content == null) {
      throw ApiException.invalidRequest("messages[].role and messages[].content are required.");
    }
    String type = message.word("type", StoredMessage.TYPES);
    String createdAt = message.string("createdAt");
    return new NewMessage(
        message.id("id"),
        role,
        type == null ? StoredMessage.of(role, content.raw()).type() : type,
        content.raw(),
        createdAt == null ? null : Iso8601.parse("messages[].createdAt", createdAt),
        false);
  }

  /** Parses {@code DELETE /threads/{t}/messages}; returns the ids without duplicates. */
  static List<String> parseDelete(byte[] text) {
    List<String> ids = new ArrayList<>();
    for (JsonValue element : batch(Body.parse(text, ParseOptions.SHALLOW), "messageIds")) {
      if (!element.is(Kind.STRING)) {
        throw ApiException.invalidRequest("messageIds[] must be strings.");
      }
      ids.add(Identifier.check("messageIds[]", element.text()));
    }
    return ids.stream().distinct().toList();
  }

  /**
   * Parses {@code PATCH /threads/{t}/messages/{m}}. New content without a type gets the type that
   * it implies.
   */
  static MessagePatch parsePatch(byte[] text) {
    Body body = Body.parseMessages(text);
    JsonValue content = readContent(body);
    String type = body.word("type", StoredMessage.TYPES);
    if (content == null) {
      return new MessagePatch(null, type);
    }
    return new MessagePatch(
        content.raw(), type == null ? StoredMessage.typeOf(content.raw()) : type);
  }

  private static @Nullable JsonValue readContent(Body body) {
    if (!body.has("content")) {
      return null;
    }
    JsonValue content = body.value("content");
    if (content == null || content.is(Kind.NUMBER) || content.is(Kind.BOOLEAN)) {
      throw ApiException.invalidRequest(
          body.path() + "content must be a string, an array or an object.");
    }
    return content;
  }

  private static List<JsonValue> batch(Body body, String name) {
    JsonValue array = body.optional(name, Kind.ARRAY, "an array");
    if (array == null) {
      throw ApiException.invalidRequest(name + " is required.");
    }
    if (array.items().isEmpty() || array.items().size() > MAX_BATCH) {
      throw ApiException.invalidRequest(name + " must have 1 to " + MAX_BATCH + " elements.");
    }
    return array.items();
  }
}
