package io.memorygateway.auth;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.http.api.ApiPath;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ErrorType;
import io.memorygateway.http.errors.PrintableText;
import io.memorygateway.operator.ParameterValues;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What a key may do (contract §15), as the column {@code api_keys.scopes} holds it and operators
 * see it. A part that is empty limits nothing.
 *
 * @param models names and patterns of models and routes
 * @param endpoints of {@link #ENDPOINTS}
 * @param memory {@link #READ}, {@link #NONE}, or null: all of it
 * @param addresses ranges of addresses
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record KeyScopes(
    @JsonInclude(Include.NON_EMPTY) List<String> models,
    @JsonInclude(Include.NON_EMPTY) List<String> endpoints,
    @JsonInclude(Include.NON_NULL) @Nullable String memory,
    @JsonInclude(Include.NON_EMPTY) List<String> addresses) {
  public static final KeyScopes ALL = new KeyScopes(List.of(), List.of(), null, List.of());

  static final List<String> ENDPOINTS = ApiPath.SCOPES;

  private static final String EVERYTHING = "all";
  private static final String READ = "read";
  private static final String NONE = "none";
  private static final int MAX_ENTRIES = 64;
  private static final int MAX_LENGTH = 255;
  private static final ObjectMapper JSON = new ObjectMapper();

  public KeyScopes {
    models = models == null ? List.of() : List.copyOf(models);
    endpoints = endpoints == null ? List.of() : List.copyOf(endpoints);
    addresses = addresses == null ? List.of() : List.copyOf(addresses);
  }

  static KeyScopes parse(@Nullable String column) {
    try {
      return column == null ? ALL : JSON.readValue(column, KeyScopes.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("api_keys.scopes holds something else than scopes", e);
    }
  }

  static @Nullable String format(KeyScopes scopes) {
    try {
      return scopes.equals(ALL) ? null : JSON.writeValueAsString(scopes);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * The change that an operator asks for: what is not given stays, what is empty is cleared.
   *
   * @throws ApiException 400 that names the wrong parameter
   */
  static UnaryOperator<KeyScopes> change(ParameterValues values) {
    List<String> models = list(values, "models", KeyScopes::checkedModel);
    List<String> endpoints = list(values, "endpoints", KeyScopes::checkedEndpoint);
    List<String> addresses = list(values, "addresses", each -> AddressRange.parse(each).toString());
    String memory = values.oneOf("memory", List.of(EVERYTHING, READ, NONE));
    return old ->
        new KeyScopes(
            requireNonNullElse(models, old.models),
            requireNonNullElse(endpoints, old.endpoints),
            values.isGiven("memory") ? (EVERYTHING.equals(memory) ? null : memory) : old.memory,
            requireNonNullElse(addresses, old.addresses));
  }

  private static @Nullable List<String> list(
      ParameterValues values, String parameter, UnaryOperator<String> checked) {
    if (!values.isGiven(parameter)) {
      return null;
    }
    String given = values.optional(parameter);
    String[] entries = given == null ? new String[0] : given.split(",", -1);
    if (entries.length > MAX_ENTRIES) {
      throw ApiException.invalidRequest(parameter + " has at most " + MAX_ENTRIES + " entries.");
    }
    try {
      return Arrays.stream(entries).map(String::strip).map(checked).distinct().toList();
    } catch (IllegalArgumentException e) {
      throw ApiException.invalidRequest(parameter + ": " + e.getMessage() + ".");
    }
  }

  private static String checkedModel(String name) {
    checkArgument(
        !name.isEmpty() && PrintableText.of(name, MAX_LENGTH).equals(name),
        "each is a name of 1 to " + MAX_LENGTH + " printable characters, such as vllm/*");
    return name;
  }

  private static String checkedEndpoint(String name) {
    checkArgument(ENDPOINTS.contains(name), "each is one of " + String.join(", ", ENDPOINTS));
    return name;
  }

  /**
   * Refuses requests from elsewhere.
   *
   * @param client null if it is not known
   */
  void checkAddress(@Nullable InetAddress client) {
    if (client == null
        || addresses.stream().noneMatch(range -> AddressRange.parse(range).contains(client))) {
      throw refused("be used from " + String.join(", ", addresses) + " only");
    }
  }

  /**
   * Refuses calls of an endpoint.
   *
   * @param name of {@link #ENDPOINTS}, or another, which no key can have in its list
   */
  public void checkEndpoint(String name) {
    if (!endpoints.isEmpty() && !endpoints.contains(name)) {
      throw refused("call " + String.join(", ", endpoints) + " only");
    }
  }

  /** Refuses what needs more of the memory than the key has. */
  public void checkMemory(boolean reads) {
    if (NONE.equals(memory)) {
      throw refused("not use the memory: neither /v1/memory nor threads");
    }
    if (READ.equals(memory) && !reads) {
      throw refused("read the memory only: it writes nothing, and its calls belong to no thread");
    }
  }

  public ApiException otherModel() {
    return refused("use " + String.join(", ", models) + " only");
  }

  private static ApiException refused(String may) {
    return new ApiException(
        ApiError.of(403, ErrorType.PERMISSION, "This key may " + may + ".")
            // Claude Code tries again for minutes without it.
            .withHeader("x-should-retry", "false"));
  }
}
