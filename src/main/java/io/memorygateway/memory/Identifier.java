package io.memorygateway.memory;

import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.json.Characters;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Ids that clients give to threads, messages and resources: 1 to 255 characters (Unicode code
 * points) without control characters. Two ids are the same only if they have the same characters:
 * neither case nor blanks at the end nor Unicode normal forms are levelled.
 */
public final class Identifier {
  static final int MAX_CHARACTERS = 255;

  private Identifier() {}

  /**
   * Lets an id through.
   *
   * @param name what the id is called in the request
   * @throws ApiException 400
   */
  public static String check(String name, String id) {
    if (id.isEmpty()
        || id.codePointCount(0, id.length()) > MAX_CHARACTERS
        || id.codePoints().anyMatch(c -> Character.getType(c) == Character.CONTROL)
        || !Characters.areStorable(id)) {
      throw new ApiException(
          ApiError.invalidRequest(
              name + " must have 1 to 255 characters, none of them a control character."));
    }
    return id;
  }

  /** Lets the query parameter {@code resourceId} through, if there is one. */
  public static @Nullable String checkIfGiven(@Nullable String resourceId) {
    return resourceId == null ? null : check("resourceId", resourceId);
  }

  /** An id as the database keeps it: UTF-8. */
  public static String ofBytes(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
