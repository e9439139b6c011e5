package io.memorygateway.memory.rows;

import io.memorygateway.json.JsonValue;
import org.jspecify.annotations.Nullable;

/**
 * A change of a thread's title and metadata. A present value of null clears the member.
 *
 * @param metadata a JSON Merge Patch
 */
public record ThreadPatch(
    boolean hasTitle, @Nullable String title, boolean hasMetadata, @Nullable JsonValue metadata) {}
