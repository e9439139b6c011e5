package io.memorygateway.quickstart;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which providers the environment configures, and what is added to it so that the gateway starts.
 *
 * @param environment what config.yml is to see; blank variables count as unset
 * @param configured in order of preference for the example call; never empty
 * @param sample whether all of them lead to the sample upstream
 */
record Upstreams(Map<String, String> environment, List<Provider> configured, boolean sample) {
  /** Sent to a server that asks for no key, or to the sample upstream. */
  private static final String PLACEHOLDER = "no-key";

  /** Whether nothing in the environment leads to a provider. */
  static boolean needSample(Map<String, String> environment) {
    return configured(environment).isEmpty();
  }

  /**
   * The providers of the environment. A base URL without a key is a server on premises that asks
   * for none.
   */
  static Upstreams of(Map<String, String> environment) {
    Map<String, String> all = new HashMap<>(environment);
    all.values().removeIf(String::isBlank);
    List<Provider> configured = configured(all);
    configured.forEach(provider -> all.putIfAbsent(provider.keyVariable(), PLACEHOLDER));
    if (!configured.contains(Provider.OPENROUTER)) {
      // The only one there should also get the models that nobody claims by their names.
      all.putIfAbsent("DEFAULT_PROVIDER", configured.get(0).wireName());
    }
    return new Upstreams(all, configured, false);
  }

  /**
   * Every provider at the sample upstream.
   *
   * @param url without a path
   */
  static Upstreams sample(Map<String, String> environment, String url) {
    Map<String, String> all = new HashMap<>(environment);
    all.values().removeIf(String::isBlank);
    for (Provider provider : Provider.values()) {
      all.put(provider.keyVariable(), PLACEHOLDER);
      all.put(provider.urlVariable(), url + provider.basePath());
    }
    return new Upstreams(all, List.of(Provider.values()), true);
  }

  private static List<Provider> configured(Map<String, String> environment) {
    return Arrays.stream(Provider.values())
        .filter(
            provider ->
                isSet(environment, provider.keyVariable())
                    || isSet(environment, provider.urlVariable()))
        .toList();
  }

  private static boolean isSet(Map<String, String> environment, String variable) {
    return !environment.getOrDefault(variable, "").isBlank();
  }
}
