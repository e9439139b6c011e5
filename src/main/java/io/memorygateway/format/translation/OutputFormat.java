package io.memorygateway.format.translation;

import io.memorygateway.json.JsonValue;
import org.jspecify.annotations.Nullable;

/**
 * The form in which an answer is asked for.
 *
 * @param schema that the answer must have; null for any JSON object
 * @param name of the schema; null if the caller gives none
 */
public record OutputFormat(
    @Nullable JsonValue schema,
    @Nullable String name,
    @Nullable String description,
    @Nullable Boolean strict) {
  public static final OutputFormat JSON = new OutputFormat(null, null, null, null);
}
