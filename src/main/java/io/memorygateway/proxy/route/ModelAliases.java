package io.memorygateway.proxy.route;

import io.memorygateway.json.Characters;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Other names of targets and routes (contract §14). An alias of an alias is none. */
public final class ModelAliases {
  /** As the name of a model that a call gives. */
  static final int MAX_NAME_LENGTH = 255;

  private final Map<String, String> all = new LinkedHashMap<>();

  /**
   * Creates aliases.
   *
   * @param configured names, or patterns with one {@code *}, and what they stand for
   * @throws IllegalArgumentException with a one-line message for the operator
   */
  public ModelAliases(Map<String, String> configured) {
    configured.forEach(
        (name, target) -> {
          if (!Characters.areShownName(name, MAX_NAME_LENGTH)
              || target == null
              || target.isBlank()) {
            throw new IllegalArgumentException(
                "modelAliases: what a name stands for is missing, or the name, which "
                    + Characters.shownNameRule(MAX_NAME_LENGTH));
          }
          int star = name.indexOf('*');
          if (star >= 0 && name.indexOf('*', star + 1) >= 0) {
            throw new IllegalArgumentException(
                "modelAliases." + name + ": a pattern has one * at most");
          }
          all.put(name, target);
        });
  }

  /** What a name stands for; null if it is no alias. A name of its own goes before patterns. */
  @Nullable String find(String name) {
    String exact = all.get(name);
    return exact != null
        ? exact
        : all.entrySet().stream()
            .filter(alias -> Globs.matches(alias.getKey(), name))
            .map(Map.Entry::getValue)
            .findFirst()
            .orElse(null);
  }

  /** The names that are no patterns, in the order of the configuration. */
  public List<String> names() {
    return all.keySet().stream().filter(name -> name.indexOf('*') < 0).toList();
  }

  /** The targets and routes of all aliases, by their names and patterns. */
  Map<String, String> all() {
    return Collections.unmodifiableMap(all);
  }
}
