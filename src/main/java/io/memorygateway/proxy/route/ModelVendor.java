package io.memorygateway.proxy.route;

import java.util.Locale;
import java.util.Set;

/**
 * Vendor of a model, derived from the model's name: signed or encrypted reasoning is accepted by
 * models of its vendor only, whichever provider serves them.
 */
public final class ModelVendor {
  private static final Set<String> OF_OPENAI = Set.of("gpt", "o", "chatgpt", "codex");

  private ModelVendor() {}

  /**
   * The vendor of a target's model; models of unknown vendors share one if their names begin alike.
   */
  public static String of(Target target) {
    String model = target.model().toLowerCase(Locale.ROOT);
    String name = model.substring(model.lastIndexOf('/') + 1);
    // Some clouds prefix the name with a region and the vendor.
    for (String known : new String[] {"claude", "gemini"}) {
      if (name.contains(known)) {
        return known;
      }
    }
    int letters = 0;
    while (letters < name.length() && Character.isLetter(name.charAt(letters))) {
      letters++;
    }
    String family = name.substring(0, letters);
    return OF_OPENAI.contains(family) ? "gpt" : family;
  }
}
