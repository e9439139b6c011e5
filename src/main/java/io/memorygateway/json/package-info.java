/**
 * JSON as slices of its text. A {@link io.memorygateway.json.JsonValue} is a view of UTF-8 bytes;
 * what the gateway sends or stores is spliced from such views, so that numbers, escapes, white
 * space and the order of members stay as their sender wrote them (contract §5, §6). Parsing is
 * lenient, for what providers and their clients exchange, or strict, for requests to the memory
 * API; see {@link io.memorygateway.json.ParseOptions}. It uses Jackson's tokenizer, and no other
 * package of the gateway: a text that it refuses is a {@link
 * io.memorygateway.json.MalformedJsonException}, which callers turn into an error of theirs. What
 * every package needs of texts is here as well: characters, times, hashes.
 */
package io.memorygateway.json;
