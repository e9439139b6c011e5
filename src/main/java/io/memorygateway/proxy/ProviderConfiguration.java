package io.memorygateway.proxy;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.dropwizard.util.Duration;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One entry below {@code providers:} in config.yml.
 *
 * @param baseUrl http or https, without the endpoint's path; required
 * @param apiKey the provider's key; empty: none, the provider is used with a caller's own key only
 * @param needsKey false for servers on premises that ask for none; default true
 * @param keyHeader header that carries the key: {@code authorization} (as a bearer token, the
 *     default), {@code x-api-key}, {@code api-key}, {@code x-goog-api-key}
 * @param bearerKeyPrefix a caller's key that starts so travels as a bearer token whatever {@code
 *     keyHeader} says (OAuth tokens)
 * @param pathPrefix between the base URL and the endpoint's path, where the base URL has no
 *     version, such as {@code /v1}
 * @param endpoints what it serves; required
 * @param keepPrefix whether the model goes upstream as {@code provider/model}; default false
 * @param unprefixedModels model names without a provider that are this provider's; {@code *} at the
 *     end matches anything
 * @param models names to list under {@code /v1/models}, beside those of {@code unprefixedModels}
 *     that are no patterns
 * @param connectTimeout until a connection stands; default 5 s
 * @param firstByteTimeout until the answer begins; default 10 min, what the SDKs wait themselves
 * @param idleTimeout between two parts of an answer; default 5 min
 * @param maxConnections open at once; default 1024
 */
public record ProviderConfiguration(
    String baseUrl,
    @Nullable String apiKey,
    boolean needsKey,
    String keyHeader,
    @Nullable String bearerKeyPrefix,
    String pathPrefix,
    Set<Endpoint> endpoints,
    boolean keepPrefix,
    List<String> unprefixedModels,
    List<String> models,
    Duration connectTimeout,
    Duration firstByteTimeout,
    Duration idleTimeout,
    int maxConnections) {

  private static final Set<String> KEY_HEADERS =
      Set.of("authorization", "x-api-key", "api-key", "x-goog-api-key");

  /** Reads config.yml, with defaults; what is invalid is refused with the key's name. */
  @JsonCreator
  static ProviderConfiguration read(
      @JsonProperty("baseUrl") @Nullable String baseUrl,
      @JsonProperty("apiKey") @Nullable String apiKey,
      @JsonProperty("needsKey") @Nullable Boolean needsKey,
      @JsonProperty("keyHeader") @Nullable String keyHeader,
      @JsonProperty("bearerKeyPrefix") @Nullable String bearerKeyPrefix,
      @JsonProperty("pathPrefix") @Nullable String pathPrefix,
      @JsonProperty("endpoints") @Nullable Set<Endpoint> endpoints,
      @JsonProperty("keepPrefix") @Nullable Boolean keepPrefix,
      @JsonProperty("unprefixedModels") @Nullable List<String> unprefixedModels,
      @JsonProperty("models") @Nullable List<String> models,
      @JsonProperty("connectTimeout") @Nullable Duration connectTimeout,
      @JsonProperty("firstByteTimeout") @Nullable Duration firstByteTimeout,
      @JsonProperty("idleTimeout") @Nullable Duration idleTimeout,
      @JsonProperty("maxConnections") @Nullable Integer maxConnections) {
    String header = requireNonNullElse(keyHeader, "authorization").toLowerCase(Locale.ROOT);
    if (!KEY_HEADERS.contains(header)) {
      throw new IllegalArgumentException(
          "keyHeader must be one of authorization, x-api-key, api-key, x-goog-api-key");
    }
    if (endpoints == null || endpoints.isEmpty()) {
      throw new IllegalArgumentException("endpoints is missing: at least one is needed");
    }
    int connections = requireNonNullElse(maxConnections, 1024);
    if (connections < 1) {
      throw new IllegalArgumentException("maxConnections must be at least 1");
    }
    return new ProviderConfiguration(
        requireHttpUrl(baseUrl),
        apiKey == null || apiKey.isBlank() ? null : apiKey.strip(),
        requireNonNullElse(needsKey, true),
        header,
        bearerKeyPrefix,
        requireNonNullElse(pathPrefix, ""),
        Set.copyOf(endpoints),
        requireNonNullElse(keepPrefix, false),
        List.copyOf(requireNonNullElse(unprefixedModels, List.of())),
        List.copyOf(requireNonNullElse(models, List.of())),
        requirePositive(connectTimeout, Duration.seconds(5), "connectTimeout"),
        requirePositive(firstByteTimeout, Duration.minutes(10), "firstByteTimeout"),
        requirePositive(idleTimeout, Duration.minutes(5), "idleTimeout"),
        connections);
  }

  /** Whether a name without a provider is one of this provider's models. */
  boolean ownsUnprefixed(String model) {
    for (String pattern : unprefixedModels) {
      boolean owns =
          pattern.endsWith("*")
              ? model.startsWith(pattern.substring(0, pattern.length() - 1))
              : model.equals(pattern);
      if (owns) {
        return true;
      }
    }
    return false;
  }

  /** Whether this provider's configuration has the model, by its name or by a pattern. */
  boolean names(String model) {
    return models.contains(model) || ownsUnprefixed(model);
  }

  /** The models that the configuration has by their whole names. */
  List<String> listedModels() {
    return Stream.concat(
            models.stream(), unprefixedModels.stream().filter(name -> !name.endsWith("*")))
        .distinct()
        .toList();
  }

  /** Never the key. */
  @Override
  public String toString() {
    return "ProviderConfiguration[" + baseUrl + "]";
  }

  private static String requireHttpUrl(@Nullable String url) {
    if (url == null || url.isBlank()) {
      throw new IllegalArgumentException("baseUrl is missing");
    }
    try {
      URI uri = new URI(url.strip());
      if (uri.getHost() != null
          && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
          && uri.getRawQuery() == null
          && uri.getRawFragment() == null) {
        String text = uri.toString();
        return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
      }
    } catch (URISyntaxException e) {
      // Said below.
    }
    throw new IllegalArgumentException("baseUrl must be a URL such as https://api.example.com/v1");
  }

  private static Duration requirePositive(
      @Nullable Duration value, Duration byDefault, String key) {
    Duration duration = requireNonNullElse(value, byDefault);
    if (duration.toMilliseconds() < 1) {
      throw new IllegalArgumentException(key + " must be longer than nothing");
    }
    return duration;
  }
}
