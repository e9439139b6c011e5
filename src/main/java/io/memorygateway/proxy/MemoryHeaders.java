package io.memorygateway.proxy;

import io.memorygateway.turn.Turns;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Headers {@code x-thread-id} and {@code x-resource-id}. */
final class MemoryHeaders {
  static final Turns.Wish NONE = new Turns.Wish(null, null);

  private MemoryHeaders() {}

  static Turns.Wish read(@Nullable String thread, @Nullable String resource) {
    return thread == null ? NONE : new Turns.Wish(text(thread), text(resource));
  }

  /** Jetty reads headers as ISO-8859-1; what clients write there beyond ASCII is UTF-8. */
  private static @Nullable String text(@Nullable String value) {
    if (value == null || value.chars().allMatch(c -> c < 0x80)) {
      return value;
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(value.getBytes(StandardCharsets.ISO_8859_1)))
          .toString();
    } catch (CharacterCodingException e) {
      return value;
    }
  }
}
