package io.memorygateway.tracing;

import static com.google.common.base.Preconditions.checkArgument;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Settings from OpenTelemetry's variables of the environment. An invalid value fails the start, so
 * that a typo is noticed before spans are missed.
 *
 * @param endpoint complete URL that spans are sent to
 * @param sampler of {@code OTEL_TRACES_SAMPLER}
 * @param ratio of the samplers that have one
 * @param captureContents whether spans contain requests and answers
 */
record TracingSettings(
    URI endpoint,
    Map<String, String> headers,
    Duration timeout,
    boolean gzip,
    @Nullable String certificateFile,
    String serviceName,
    Map<String, String> resource,
    String sampler,
    double ratio,
    int queueSize,
    int batchSize,
    Duration scheduleDelay,
    Duration exportTimeout,
    boolean captureContents) {

  static final Set<String> SAMPLERS =
      Set.of(
          "always_on",
          "always_off",
          "traceidratio",
          "parentbased_always_on",
          "parentbased_always_off",
          "parentbased_traceidratio");

  private static final String ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
  private static final String OF_TRACES = "OTEL_EXPORTER_OTLP_TRACES_";
  private static final String OF_ALL = "OTEL_EXPORTER_OTLP_";
  private static final int MAX_QUEUED = 100_000;

  TracingSettings {
    headers = Map.copyOf(headers);
    resource = Map.copyOf(resource);
  }

  /** Omits the headers, which contain keys. */
  @Override
  public String toString() {
    return "traces to " + endpoint;
  }

  /**
   * Reads the variables.
   *
   * @return null if they do not turn tracing on
   * @throws IllegalArgumentException with a one-line message for the operator
   */
  static @Nullable TracingSettings of(Map<String, String> environment) {
    Variables variables = new Variables(environment);
    URI endpoint = endpoint(variables);
    if (endpoint == null
        || variables.isTrue("OTEL_SDK_DISABLED")
        || variables.oneOf("OTEL_TRACES_EXPORTER", "otlp", Set.of("otlp", "none")).equals("none")) {
      return null;
    }
    variables.oneOf(variables.name("PROTOCOL"), "http/protobuf", Set.of("http/protobuf"));
    String sampler = variables.oneOf("OTEL_TRACES_SAMPLER", "parentbased_always_on", SAMPLERS);
    Map<String, String> resource = variables.pairs("OTEL_RESOURCE_ATTRIBUTES");
    String name = variables.get("OTEL_SERVICE_NAME");
    int queue = variables.number("OTEL_BSP_MAX_QUEUE_SIZE", 2_048, MAX_QUEUED);
    return new TracingSettings(
        endpoint,
        variables.pairs(variables.name("HEADERS")),
        Duration.ofMillis(variables.number(variables.name("TIMEOUT"), 10_000, 600_000)),
        variables
            .oneOf(variables.name("COMPRESSION"), "none", Set.of("none", "gzip"))
            .equals("gzip"),
        variables.get(variables.name("CERTIFICATE")),
        name == null ? resource.getOrDefault("service.name", "memory-gateway") : name,
        resource,
        sampler,
        variables.ratio("OTEL_TRACES_SAMPLER_ARG"),
        queue,
        variables.number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", Math.min(512, queue), queue),
        Duration.ofMillis(variables.number("OTEL_BSP_SCHEDULE_DELAY", 5_000, 600_000)),
        Duration.ofMillis(variables.number("OTEL_BSP_EXPORT_TIMEOUT", 30_000, 600_000)),
        variables.isTrue("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"));
  }

  private static @Nullable URI endpoint(Variables variables) {
    String tracesEndpoint = variables.get(OF_TRACES + "ENDPOINT");
    String base = variables.get(ENDPOINT);
    if (tracesEndpoint == null && base == null) {
      return null;
    }
    String name = tracesEndpoint == null ? ENDPOINT : OF_TRACES + "ENDPOINT";
    String address =
        tracesEndpoint == null
            ? base + (String.valueOf(base).endsWith("/") ? "" : "/") + "v1/traces"
            : tracesEndpoint;
    try {
      URI uri = URI.create(address);
      String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
      if (uri.getHost() != null && (scheme.equals("http") || scheme.equals("https"))) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      // handled below
    }
    throw new IllegalArgumentException(name + ": must be the URL of a collector, http or https");
  }

  /** Variables of the environment; an empty one counts as not set. */
  private record Variables(Map<String, String> environment) {
    @Nullable String get(String name) {
      String value = environment.get(name);
      return value == null || value.isBlank() ? null : value.strip();
    }

    /** Name of the variable for traces if it is set, else of that for all signals. */
    String name(String ending) {
      return get(OF_TRACES + ending) == null ? OF_ALL + ending : OF_TRACES + ending;
    }

    boolean isTrue(String name) {
      return oneOf(name, "false", Set.of("true", "false")).equals("true");
    }

    String oneOf(String name, String usual, Set<String> known) {
      String given = get(name);
      String value = given == null ? usual : given.toLowerCase(Locale.ROOT);
      checkArgument(
          known.contains(value),
          "%s: must be %s, not '%s'"
              .formatted(name, String.join(" or ", known.stream().sorted().toList()), given));
      return value;
    }

    int number(String name, int usual, int max) {
      String given = get(name);
      if (given == null) {
        return usual;
      }
      if (given.matches("[0-9]{1,9}")) {
        int number = Integer.parseInt(given);
        if (number >= 1 && number <= max) {
          return number;
        }
      }
      throw new IllegalArgumentException(
          "%s: must be a number from 1 to %d, not '%s'".formatted(name, max, given));
    }

    double ratio(String name) {
      String given = get(name);
      if (given == null) {
        return 1;
      }
      if (given.matches("0(\\.[0-9]+)?|1(\\.0+)?")) {
        return Double.parseDouble(given);
      }
      throw new IllegalArgumentException(
          "%s: must be a number from 0 to 1, not '%s'".formatted(name, given));
    }

    /** Parses percent-encoded {@code name=value} pairs; errors never show the values. */
    Map<String, String> pairs(String name) {
      Map<String, String> pairs = new LinkedHashMap<>();
      String given = get(name);
      for (String pair : given == null ? new String[0] : given.split(",", -1)) {
        int equals = pair.indexOf('=');
        if (pair.isBlank()) {
          continue;
        }
        checkArgument(equals >= 1, name + ": must be name=value,name=value");
        try {
          pairs.put(
              pair.substring(0, equals).strip(),
              URLDecoder.decode(
                  pair.substring(equals + 1).strip().replace("+", "%2B"), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
          throw new IllegalArgumentException(name + ": a value is not percent-encoded");
        }
      }
      return pairs;
    }
  }
}
