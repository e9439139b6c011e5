package io.memorygateway.memory;

import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonValue.Kind;
import io.memorygateway.json.ParseOptions;
import org.jspecify.annotations.Nullable;

/** What requests say of threads. Any of them that is not as it must be ends with 400. */
final class ThreadBodies {
  static final int MAX_TITLE_CHARACTERS = 4000;
  static final int MAX_METADATA_BYTES = 256 * 1024;

  private ThreadBodies() {}

  /**
   * {@code POST /threads}.
   *
   * @param id null for one of ours
   */
  record Create(
      @Nullable String id, String resourceId, @Nullable String title, @Nullable String metadata) {
    static Create parse(byte[] text) {
      Body body = Body.parse(text, ParseOptions.SHALLOW);
      JsonValue metadata = readMetadata(body);
      return new Create(
          body.id("id"),
          body.requiredId("resourceId"),
          body.text("title", MAX_TITLE_CHARACTERS),
          metadata == null ? null : metadata.raw());
    }
  }

  /**
   * {@code PATCH /threads/{t}}. A member that is {@code null} clears what it names.
   *
   * @param metadata a merge patch, or null if it is not to change
   */
  record Patch(
      boolean hasTitle, @Nullable String title, boolean hasMetadata, @Nullable JsonValue metadata) {
    static Patch parse(byte[] text) {
      Body body = Body.parse(text, ParseOptions.WHOLE);
      return new Patch(
          body.has("title"),
          body.text("title", MAX_TITLE_CHARACTERS),
          body.has("metadata"),
          readMetadata(body));
    }
  }

  /**
   * {@code POST /threads/{t}/clone}. What is missing or {@code null} is taken over.
   *
   * @param messageLimit how many of the newest messages to take, or null for all
   */
  record Clone(
      @Nullable String newThreadId,
      @Nullable String resourceId,
      @Nullable String title,
      @Nullable String metadata,
      @Nullable Integer messageLimit) {
    static Clone parse(byte[] text) {
      Body body =
          text.length == 0
              ? new Body("", java.util.Map.of())
              : Body.parse(text, ParseOptions.SHALLOW);
      JsonValue metadata = readMetadata(body);
      JsonValue options = body.optional("options", Kind.OBJECT, "an object");
      return new Clone(
          body.id("newThreadId"),
          body.id("resourceId"),
          body.text("title", MAX_TITLE_CHARACTERS),
          metadata == null ? null : metadata.raw(),
          options == null
              ? null
              : new Body("options.", options.members())
                  .integer("messageLimit", 0, Integer.MAX_VALUE));
    }
  }

  private static @Nullable JsonValue readMetadata(Body body) {
    JsonValue metadata = body.optional("metadata", Kind.OBJECT, "an object");
    if (metadata != null) {
      checkSize(metadata.length());
    }
    return metadata;
  }

  static void checkSize(int metadataBytes) {
    if (metadataBytes > MAX_METADATA_BYTES) {
      throw Body.invalid("metadata must have at most " + MAX_METADATA_BYTES + " bytes.");
    }
  }
}
