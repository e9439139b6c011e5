package io.memorygateway.memory.api;

import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonValue.Kind;
import io.memorygateway.json.ParseOptions;
import io.memorygateway.memory.rows.CloneOptions;
import io.memorygateway.memory.rows.ThreadPatch;
import io.memorygateway.memory.write.Threads;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Parser of request bodies of threads; 400 for every invalid body. */
final class ThreadBodies {
  static final int MAX_TITLE_CHARACTERS = 4000;

  private ThreadBodies() {}

  /**
   * Body of {@code POST /threads}.
   *
   * @param id null if the gateway is to generate one
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

  /** Parses {@code PATCH /threads/{t}}. */
  static ThreadPatch parsePatch(byte[] text) {
    Body body = Body.parse(text, ParseOptions.WHOLE);
    return new ThreadPatch(
        body.has("title"),
        body.text("title", MAX_TITLE_CHARACTERS),
        body.has("metadata"),
        readMetadata(body));
  }

  /**
   * Parses {@code POST /threads/{t}/clone}. Values that are absent or {@code null} are those of the
   * original.
   */
  static CloneOptions parseClone(byte[] text) {
    Body body = text.length == 0 ? new Body("", Map.of()) : Body.parse(text, ParseOptions.SHALLOW);
    JsonValue metadata = readMetadata(body);
    JsonValue options = body.optional("options", Kind.OBJECT, "an object");
    return new CloneOptions(
        body.id("newThreadId"),
        body.id("resourceId"),
        body.text("title", MAX_TITLE_CHARACTERS),
        metadata == null ? null : metadata.raw(),
        options == null
            ? null
            : new Body("options.", options.members())
                .integer("messageLimit", 0, Integer.MAX_VALUE));
  }

  private static @Nullable JsonValue readMetadata(Body body) {
    JsonValue metadata = body.optional("metadata", Kind.OBJECT, "an object");
    if (metadata != null) {
      Threads.checkMetadataSize(metadata.length());
    }
    return metadata;
  }
}
