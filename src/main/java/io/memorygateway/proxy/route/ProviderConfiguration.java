package io.memorygateway.proxy.route;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.dropwizard.util.Duration;
import io.memorygateway.format.call.Prefill;
import io.memorygateway.format.call.ProviderTraits;
import io.memorygateway.format.translation.Terms;
import io.memorygateway.proxy.upstream.OutboundProxy;
import io.memorygateway.proxy.upstream.TrustedAuthorities;
import io.memorygateway.proxy.upstream.Upstream;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One entry below {@code providers:} in config.yml.
 *
 * @param baseUrl http or https, without the endpoint's path; required
 * @param apiKey the provider's key; empty: only calls with a caller's own key are possible
 * @param needsKey false for servers that need no key; default true
 * @param keyHeader header that carries the key: {@code authorization} (as a bearer token, the
 *     default), {@code x-api-key}, {@code api-key}, {@code x-goog-api-key}
 * @param bearerKeyPrefix a caller's key with this prefix is sent as a bearer token, whatever {@code
 *     keyHeader} is (OAuth tokens)
 * @param pathPrefix inserted between the base URL and the endpoint's path, such as {@code /v1}
 * @param endpoints that the provider serves; required
 * @param keepPrefix whether the model is sent upstream as {@code provider/model}; default false
 * @param unprefixedModels names without a provider that are routed to this one; {@code *} at the
 *     end matches anything
 * @param models names to list under {@code /v1/models}, besides those in {@code unprefixedModels}
 *     that are no patterns
 * @param connectTimeout for opening a connection; default 5 s
 * @param firstByteTimeout until the answer begins; default 10 min, as in the SDKs
 * @param idleTimeout between two parts of an answer; default 5 min
 * @param maxConnections open at once; default 2048, of which one key has about half
 * @param reasoningMembers what it takes back of earlier answers, as {@link ProviderTraits} says;
 *     this and the next three by default as {@link Makers} says
 * @param unsignedThinking whether it takes back thoughts without signatures
 * @param streamOptions whether it takes {@code stream_options}
 * @param strictRoles whether its Chat takes messages of the system at the beginning alone, and no
 *     two of the user in a row
 * @param learnsRoles whether that and more of the kind may be learnt from what it refuses
 * @param prefill how its Chat is told of an answer that is begun
 * @param messageThreads whether the provider keeps the threads of Messages, as Anthropic's SDK asks
 *     for; default false
 * @param translate endpoints that it answers by translation; this and the next five as {@link
 *     TranslationSettings} says
 * @param proxy on the way to it; by default that of the environment, if any
 * @param noProxy hosts that no proxy is for; by default those of the environment
 * @param caCertificates a file in PEM, of authorities that are trusted besides the usual ones
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
    int maxConnections,
    Set<String> reasoningMembers,
    boolean unsignedThinking,
    boolean streamOptions,
    boolean strictRoles,
    boolean learnsRoles,
    Prefill prefill,
    boolean messageThreads,
    Set<Endpoint> translate,
    @Nullable String maker,
    Map<String, Long> maxOutput,
    String maxTokensMember,
    Terms.Reasoning reasoning,
    boolean promptCacheKey,
    @Nullable OutboundProxy proxy,
    List<String> noProxy,
    @Nullable TrustedAuthorities caCertificates) {

  private static final Set<String> KEY_HEADERS =
      Set.of("authorization", "x-api-key", "api-key", "x-goog-api-key");

  public ProviderConfiguration {
    endpoints = Set.copyOf(endpoints);
    unprefixedModels = List.copyOf(unprefixedModels);
    models = List.copyOf(models);
    reasoningMembers = Set.copyOf(reasoningMembers);
    noProxy = List.copyOf(noProxy);
    checkArgument(
        KEY_HEADERS.contains(keyHeader),
        "keyHeader must be one of authorization, x-api-key, api-key, x-goog-api-key");
    checkArgument(!endpoints.isEmpty(), "endpoints is missing: at least one is needed");
    translate = Set.copyOf(translate);
    maxOutput = Collections.unmodifiableMap(new LinkedHashMap<>(maxOutput));
    TranslationSettings translation =
        new TranslationSettings(
            translate, maker, maxOutput, maxTokensMember, reasoning, promptCacheKey);
    for (Endpoint endpoint : translate) {
      checkArgument(
          endpoints.contains(endpoint) || translation.endpointFor(endpoint, endpoints) != null,
          "translate: none of endpoints can take the place of " + endpoint.configName());
    }
    checkArgument(maxConnections >= 1, "maxConnections must be at least 1");
    if (apiKey != null && !apiKey.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
      throw new IllegalArgumentException(
          "apiKey must be of printable ASCII characters without blanks: it is sent in a header");
    }
    baseUrl = httpUrl(baseUrl);
    checkArgument(isPath(pathPrefix), "pathPrefix must be a path such as /v1");
    checkArgument(
        pathPrefix.isEmpty() || !baseUrl.endsWith(pathPrefix),
        "baseUrl must end before pathPrefix, which is added to it: leave out " + pathPrefix);
    requirePositive(connectTimeout, "connectTimeout");
    requirePositive(firstByteTimeout, "firstByteTimeout");
    requirePositive(idleTimeout, "idleTimeout");
  }

  @JsonCreator
  static ProviderConfiguration read(
      @Nullable String baseUrl,
      @Nullable String apiKey,
      @Nullable Boolean needsKey,
      @Nullable String keyHeader,
      @Nullable String bearerKeyPrefix,
      @Nullable String pathPrefix,
      @Nullable Set<Endpoint> endpoints,
      @Nullable Boolean keepPrefix,
      @Nullable List<String> unprefixedModels,
      @Nullable List<String> models,
      @Nullable Duration connectTimeout,
      @Nullable Duration firstByteTimeout,
      @Nullable Duration idleTimeout,
      @Nullable Integer maxConnections,
      @Nullable Set<String> reasoningMembers,
      @Nullable Boolean unsignedThinking,
      @Nullable Boolean streamOptions,
      @Nullable Boolean strictRoles,
      @Nullable String prefill,
      @Nullable Boolean messageThreads,
      @Nullable Set<Endpoint> translate,
      @Nullable String maker,
      @Nullable Map<String, Long> maxOutput,
      @Nullable String maxTokensMember,
      @Nullable String reasoning,
      @Nullable Boolean promptCacheKey,
      @Nullable String proxy,
      @Nullable List<String> noProxy,
      @Nullable String caCertificates) {
    ProviderTraits ofMaker = Makers.traits(requireNonNullElse(baseUrl, ""));
    return new ProviderConfiguration(
        requireNonNullElse(baseUrl, ""),
        apiKey == null || apiKey.isBlank() ? null : apiKey.strip(),
        requireNonNullElse(needsKey, true),
        requireNonNullElse(keyHeader, "authorization").toLowerCase(Locale.ROOT),
        bearerKeyPrefix,
        requireNonNullElse(pathPrefix, ""),
        requireNonNullElse(endpoints, Set.of()),
        requireNonNullElse(keepPrefix, false),
        requireNonNullElse(unprefixedModels, List.of()),
        requireNonNullElse(models, List.of()),
        requireNonNullElse(connectTimeout, Duration.seconds(5)),
        requireNonNullElse(firstByteTimeout, Duration.minutes(10)),
        requireNonNullElse(idleTimeout, Duration.minutes(5)),
        requireNonNullElse(maxConnections, 2048),
        requireNonNullElse(reasoningMembers, ofMaker.reasoning()),
        requireNonNullElse(unsignedThinking, ofMaker.unsignedThinking()),
        requireNonNullElse(streamOptions, ofMaker.streamOptions()),
        requireNonNullElse(strictRoles, ofMaker.strictRoles()),
        requireNonNullElse(strictRoles, true),
        prefill == null ? ofMaker.prefill() : prefill(prefill),
        requireNonNullElse(messageThreads, false),
        requireNonNullElse(translate, Set.of()),
        maker == null || maker.isBlank() ? null : maker.strip(),
        requireNonNullElse(maxOutput, Map.of()),
        requireNonNullElse(
            maxTokensMember, Makers.maxTokensMember(requireNonNullElse(baseUrl, ""))),
        reasoning(requireNonNullElse(reasoning, "effort")),
        requireNonNullElse(
            promptCacheKey, Makers.takesOpenAiMembers(requireNonNullElse(baseUrl, ""))),
        proxy == null || proxy.isBlank() ? null : OutboundProxy.of("proxy", proxy),
        requireNonNullElse(noProxy, List.of()),
        caCertificates == null || caCertificates.isBlank()
            ? null
            : TrustedAuthorities.read("caCertificates", caCertificates));
  }

  /**
   * How connections to it are made.
   *
   * @param environment says what is not configured
   */
  public Upstream.Way way(Map<String, String> environment) {
    return new Upstream.Way(
        OutboundProxy.choose(baseUrl, proxy, noProxy, environment), caCertificates);
  }

  private static Terms.Reasoning reasoning(String name) {
    return switch (name) {
      case "effort" -> Terms.Reasoning.EFFORT;
      case "budget" -> Terms.Reasoning.BUDGET;
      case "none" -> Terms.Reasoning.NONE;
      default -> throw new IllegalArgumentException("reasoning must be effort, budget or none");
    };
  }

  private static Prefill prefill(String name) {
    return Stream.of(Prefill.values())
        .filter(each -> each.wireName().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException("prefill must be none, prefix, partial or continue"));
  }

  /** How calls in other formats are translated for it. */
  TranslationSettings translation() {
    return new TranslationSettings(
        translate, maker, maxOutput, maxTokensMember, reasoning, promptCacheKey);
  }

  /** The endpoints that it answers, natively and by translation. */
  public Set<Endpoint> answered() {
    Set<Endpoint> all = EnumSet.copyOf(endpoints);
    all.addAll(translate);
    return all;
  }

  /** The endpoints that it answers by translation alone, sorted. */
  public Stream<Endpoint> translated() {
    return translate.stream().filter(endpoint -> !endpoints.contains(endpoint)).sorted();
  }

  /** The endpoints that it answers, natively and by translation, for an operator. */
  public String describeEndpoints() {
    String own = names(endpoints.stream().sorted());
    String translated = names(translated());
    return translated.isEmpty() ? own : own + "; by translation " + translated;
  }

  private static String names(Stream<Endpoint> of) {
    return of.map(Endpoint::configName).collect(Collectors.joining(", "));
  }

  public Upstream.Limits limits() {
    return new Upstream.Limits(
        connectTimeout.toJavaDuration(),
        firstByteTimeout.toJavaDuration(),
        idleTimeout.toJavaDuration(),
        maxConnections);
  }

  /** What it takes besides what all providers take. */
  ProviderTraits traits() {
    return new ProviderTraits(
        reasoningMembers, unsignedThinking, streamOptions, strictRoles, prefill);
  }

  /** Whether a model name without a provider is routed to this provider. */
  boolean ownsUnprefixed(String model) {
    return unprefixedModels.stream().anyMatch(pattern -> Globs.matches(pattern, model));
  }

  /** Whether the configuration contains the model, by its name or by a pattern. */
  boolean names(String model) {
    return models.contains(model) || ownsUnprefixed(model);
  }

  /** The models that the configuration contains by name, not by a pattern. */
  public List<String> listedModels() {
    return Stream.concat(
            models.stream(), unprefixedModels.stream().filter(name -> !name.endsWith("*")))
        .distinct()
        .toList();
  }

  /** Omits the key. */
  @Override
  public String toString() {
    return "ProviderConfiguration[" + baseUrl + "]";
  }

  /** Whether a text is empty, or a path that others may follow. */
  private static boolean isPath(String text) {
    try {
      return text.isEmpty()
          || (text.startsWith("/")
              && !text.endsWith("/")
              && text.equals(new URI(text).getRawPath()));
    } catch (URISyntaxException e) {
      return false;
    }
  }

  /** The address without a slash at its end. */
  private static String httpUrl(String url) {
    checkArgument(!url.isBlank(), "baseUrl is missing");
    try {
      URI uri = new URI(url.strip());
      if (uri.getHost() != null
          && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
          && OutboundProxy.isPort(uri.getPort())
          && uri.getRawUserInfo() == null
          && uri.getRawQuery() == null
          && uri.getRawFragment() == null) {
        String text = uri.toString();
        while (text.endsWith("/")) {
          text = text.substring(0, text.length() - 1);
        }
        for (Endpoint endpoint : Endpoint.values()) {
          checkArgument(
              !text.endsWith(endpoint.path()),
              "baseUrl must end before the path of an endpoint: leave out " + endpoint.path());
        }
        return text;
      }
    } catch (URISyntaxException e) {
      // The exception below has a clearer message.
    }
    throw new IllegalArgumentException("baseUrl must be a URL such as https://api.example.com/v1");
  }

  private static void requirePositive(Duration duration, String key) {
    checkArgument(duration.toMilliseconds() >= 1, key + " must be longer than nothing");
  }
}
