package io.memorygateway.proxy.route;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Patterns of the configuration that match no model, however it is called. */
public final class IdlePatterns {
  private IdlePatterns() {}

  /**
   * Lines for the operator, one for each pattern of which that is certain.
   *
   * @param budgets patterns of models or names of routes, by the names of their rules
   * @param routes names of the configured routes
   */
  public static List<String> warnings(
      Map<String, List<String>> budgets,
      Collection<String> routes,
      Map<String, ProviderConfiguration> providers) {
    List<String> lines = new ArrayList<>();
    budgets.forEach(
        (rule, patterns) ->
            patterns.stream()
                .filter(
                    pattern ->
                        routes.stream().noneMatch(route -> Globs.matches(pattern, route))
                            && providers.keySet().stream()
                                .noneMatch(name -> Globs.matchesAny(pattern, name + "/")))
                .forEach(
                    pattern ->
                        lines.add(
                            "warning: budgets.rules.%s.models: '%s' is of no provider and no route"
                                .formatted(rule, pattern))));
    providers.forEach(
        (name, provider) -> {
          empty("providers." + name + ".unprefixedModels", provider.unprefixedModels(), lines);
          empty("providers." + name + ".models", provider.models(), lines);
          empty("providers." + name + ".maxOutput", provider.maxOutput().keySet(), lines);
        });
    return lines;
  }

  private static void empty(String key, Collection<String> names, List<String> lines) {
    if (names.stream().anyMatch(String::isBlank)) {
      lines.add("warning: " + key + ": a name is empty, which no model has");
    }
  }
}
