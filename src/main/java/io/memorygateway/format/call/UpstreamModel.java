package io.memorygateway.format.call;

import java.util.Locale;

/**
 * A model as its provider calls it, and what that provider takes besides what all of them take.
 *
 * @param now seconds since 1970: some of what a provider takes back expires
 * @param maker whose reasoning it takes back
 * @param translated whether what is written for it goes to it in another format
 */
public record UpstreamModel(
    String name, ProviderTraits traits, long now, String maker, boolean translated) {
  private static final String MISTRAL = "mistral";

  /** A model that takes calls as they are written. */
  public UpstreamModel(String name, ProviderTraits traits, long now) {
    this(name, traits, now, "", false);
  }

  /** The same, if its server demands this too. */
  public UpstreamModel in(Roles roles) {
    return roles == Roles.ANY
        ? this
        : new UpstreamModel(
            name,
            traits.withStrictRoles(true),
            now,
            roles == Roles.OF_MISTRAL ? MISTRAL : maker,
            translated);
  }

  /** How its server is told of an answer that is begun; Mistral's models are by their templates. */
  public Prefill prefill() {
    return traits.prefill() == Prefill.NONE && ofMistral() ? Prefill.PREFIX : traits.prefill();
  }

  /** Whether messages and calls have to be written otherwise for it than for others, in Chat. */
  public boolean isStrict() {
    return traits.strictRoles() || ofMistral();
  }

  /**
   * Whether it is one of Mistral's models, whose servers take ids of calls of nine letters and
   * digits, and no words of the user directly behind a result.
   */
  public boolean ofMistral() {
    return maker.startsWith(MISTRAL) || isNamedMistral();
  }

  /** Whether it is called like one, and has not only refused what they refuse. */
  public boolean isNamedMistral() {
    String lower = name.toLowerCase(Locale.ROOT);
    return lower.contains("stral") || lower.contains("xtral");
  }
}
