package io.memorygateway.format;

import io.memorygateway.json.JsonValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What else the gateway has to know of a format's calls, and their providers, to pass them on. Each
 * trait is by default that of most formats.
 */
public interface FormatTraits {
  /** The member of a call that has its messages, or what else a model is given. */
  String inputMember();

  /** The members of a call that limit its output; the first is that of the format's makers. */
  default List<String> limitMembers() {
    return List.of("max_tokens");
  }

  /** The least output that a call can be limited to, in tokens. */
  default long leastLimit() {
    return 1;
  }

  /** The service tier that a call asks for, by which its price may be another; null if none. */
  default @Nullable String serviceTier(JsonValue call) {
    return call.string("service_tier");
  }

  /** Whether tools are brought by messages, too, so that a thread has them. */
  default boolean bringsTools() {
    return false;
  }

  /** Whether a provider keeps prompts, conversations and answers that calls name. */
  default boolean isKeptByProviders() {
    return false;
  }

  /** Whether a call may name a thread that its provider keeps, and have its end alone. */
  default boolean namesThreads() {
    return false;
  }

  /**
   * Whether servers differ in the roles and ids that they take: what {@link Format#inRoles} is for.
   */
  default boolean hasServersOfStrictRoles() {
    return false;
  }

  /** Whether thoughts are bound to their conversation, and can be left out by whoever made them. */
  default boolean bindsThoughts() {
    return false;
  }

  /**
   * Whether a call says in which detail an image is seen, and it counts by its tiles; else by its
   * pixels.
   */
  default boolean hasImageDetail() {
    return true;
  }

  /** Whether an answer may be of several choices, of which the first alone is stored. */
  default boolean hasChoices() {
    return false;
  }

  /** Whether a stream begins with the count of its input. */
  default boolean beginsWithInput() {
    return false;
  }

  /** Members by which a call asks for a stream with its usage, and for little of it. */
  default String smallStream() {
    return "\"stream\":true,";
  }

  /** The query by which its providers are asked for all their models; empty for none. */
  default String modelsQuery() {
    return "";
  }
}
