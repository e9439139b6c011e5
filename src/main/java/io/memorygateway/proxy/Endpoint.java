package io.memorygateway.proxy;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What can be asked of a provider. */
public enum Endpoint {
  CHAT("/chat/completions"),
  RESPONSES("/responses"),
  MESSAGES("/messages"),
  COMPLETIONS("/completions"),
  EMBEDDINGS("/embeddings"),
  COUNT_TOKENS("/messages/count_tokens");

  private final String path;

  Endpoint(String path) {
    this.path = path;
  }

  /** Below a base URL that ends in the API's version, such as {@code https://api.openai.com/v1}. */
  public String path() {
    return path;
  }

  /** As clients of the gateway call it. */
  public String gatewayPath() {
    return "/v1" + path;
  }

  /** Whether calls to it can be turns of a thread. */
  boolean hasMemory() {
    return this == CHAT || this == RESPONSES || this == MESSAGES;
  }

  /** As it stands in config.yml. */
  @JsonValue
  public String configName() {
    return name().toLowerCase(Locale.ROOT);
  }

  @JsonCreator
  static Endpoint ofConfigName(String name) {
    return Arrays.stream(values())
        .filter(endpoint -> endpoint.configName().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "unknown endpoint '%s'; a provider serves %s"
                        .formatted(
                            name,
                            Arrays.stream(values())
                                .map(Endpoint::configName)
                                .collect(Collectors.joining(", ")))));
  }
}
