package io.memorygateway.memory.rows;

import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.Characters;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Rules for ids that clients give to threads, messages and resources: 1 to 255 characters (Unicode
 * code points) without control characters. Ids are compared exactly: case, trailing blanks and
 * Unicode normal forms make a difference.
 */
public final class Identifier {
  static final int MAX_CHARACTERS = 255;

  private Identifier() {}

  /**
   * Checks an id and returns it.
   *
   * @param name of the id in the request, for the error message
   * @throws ApiException 400 if the id is invalid
   */
  public static String check(String name, String id) {
    if (!Characters.areName(id, MAX_CHARACTERS)) {
      throw ApiException.invalidRequest(
          name + " must have 1 to 255 characters, none of them a control character.");
    }
    return id;
  }

  /** Checks the query parameter {@code resourceId} and returns it; null if it is absent. */
  public static @Nullable String checkIfGiven(@Nullable String resourceId) {
    return resourceId == null ? null : check("resourceId", resourceId);
  }

  /** Decodes an id from the database, where ids are stored as UTF-8. */
  public static String ofBytes(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
