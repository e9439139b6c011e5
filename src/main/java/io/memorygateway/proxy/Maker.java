package io.memorygateway.proxy;

import java.util.Locale;
import java.util.Set;

/**
 * Who made a model, told from its name: reasoning that is signed or encrypted is accepted by its
 * maker only, whichever provider serves the model.
 */
final class Maker {
  private static final Set<String> OF_OPENAI = Set.of("gpt", "o", "chatgpt", "codex");

  private Maker() {}

  /** The maker of a target's model; models of unknown makers that are named alike have the same. */
  static String of(Target target) {
    String model = target.model().toLowerCase(Locale.ROOT);
    String name = model.substring(model.lastIndexOf('/') + 1);
    // Some clouds put regions and makers before the name.
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
