package io.memorygateway.format.call;

import java.util.Set;

/**
 * What a provider takes in requests that others refuse.
 *
 * @param reasoning members of Chat's messages and calls that only answers have, and types of
 *     content parts, which it takes back of earlier answers
 * @param unsignedThinking whether it takes back Messages' thoughts without signatures
 * @param streamOptions whether it takes {@code stream_options}
 */
public record ProviderTraits(
    Set<String> reasoning, boolean unsignedThinking, boolean streamOptions) {

  /** All that any provider takes back of earlier answers. */
  public static final ProviderTraits ALL =
      new ProviderTraits(
          Set.of(
              "reasoning", "reasoning_content", "reasoning_details", "extra_content", "thinking"),
          true,
          true);

  public ProviderTraits {
    reasoning = Set.copyOf(reasoning);
  }
}
