package io.memorygateway.format.call;

import java.util.HashSet;
import java.util.Set;

/**
 * What a provider takes in requests that others refuse.
 *
 * @param reasoning members of Chat's messages and calls that only answers have, and types of
 *     content parts, which it takes back of earlier answers; {@link #UNKNOWN} may be among them
 * @param unsignedThinking whether it takes back Messages' thoughts without signatures
 * @param streamOptions whether it takes {@code stream_options}
 * @param strictRoles whether it takes, in Chat, messages of the system at the beginning alone, as
 *     one, and no two of the user in a row
 * @param prefill how its Chat is told of an answer that is begun
 */
public record ProviderTraits(
    Set<String> reasoning,
    boolean unsignedThinking,
    boolean streamOptions,
    boolean strictRoles,
    Prefill prefill) {

  /** Members that no provider takes back but where it is said. */
  private static final Set<String> OF_ANSWERS = Set.of("annotations", "logprobs", "index");

  /** Stands for all members and types of parts that the gateway does not know. */
  public static final String UNKNOWN = "*";

  /** All that any provider takes back of earlier answers. */
  public static final ProviderTraits ALL =
      new ProviderTraits(
          Set.of(
              "reasoning",
              "reasoning_content",
              "reasoning_details",
              "extra_content",
              "thinking",
              "audio",
              UNKNOWN),
          true,
          true);

  public ProviderTraits {
    reasoning = Set.copyOf(reasoning);
  }

  /** The traits of a provider that takes messages in any order of their roles. */
  public ProviderTraits(Set<String> reasoning, boolean unsignedThinking, boolean streamOptions) {
    this(reasoning, unsignedThinking, streamOptions, false, Prefill.NONE);
  }

  public ProviderTraits withStrictRoles(boolean strict) {
    return new ProviderTraits(reasoning, unsignedThinking, streamOptions, strict, prefill);
  }

  /** The same, told so of an answer that is begun. */
  public ProviderTraits withPrefill(Prefill told) {
    return new ProviderTraits(reasoning, unsignedThinking, streamOptions, strictRoles, told);
  }

  /** Whether it takes back a member or a type of parts that not every request may have. */
  public boolean takesBack(String name) {
    return reasoning.contains(name) || (reasoning.contains(UNKNOWN) && !OF_ANSWERS.contains(name));
  }

  /** What this provider takes and another one does not. */
  public ProviderTraits without(ProviderTraits other) {
    Set<String> members = new HashSet<>(reasoning);
    members.removeAll(other.reasoning);
    return new ProviderTraits(
        members,
        unsignedThinking && !other.unsignedThinking,
        streamOptions && !other.streamOptions);
  }

  /** Whether it takes nothing besides. */
  public boolean isEmpty() {
    return reasoning.isEmpty() && !unsignedThinking && !streamOptions;
  }
}
