/**
 * JSON as slices of its text. A {@link io.memorygateway.json.JsonValue} is a view of UTF-8 bytes;
 * what the gateway sends or stores is spliced from such views, so that numbers, escapes, white
 * space and the order of members stay as their sender wrote them (contract §5, §6). Parsing is
 * lenient, for what providers and their clients exchange, or strict, for what the memory API takes;
 * {@link io.memorygateway.json.ParseOptions} tell which. Jackson's tokens are underneath. This
 * package knows no other one: a text that it refuses is a {@link
 * io.memorygateway.json.MalformedJsonException}, and what that means is up to the caller.
 */
package io.memorygateway.json;
