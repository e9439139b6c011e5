package io.memorygateway.proxy;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.memorygateway.dialect.ChatDialect;
import io.memorygateway.dialect.Dialect;
import io.memorygateway.dialect.MessagesDialect;
import io.memorygateway.dialect.ResponsesDialect;
import io.memorygateway.http.ApiPath;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** An endpoint of a provider. */
public enum Endpoint {
  CHAT(ApiPath.CHAT, new ChatDialect()),
  RESPONSES(ApiPath.RESPONSES, new ResponsesDialect()),
  MESSAGES(ApiPath.MESSAGES, new MessagesDialect()),
  /** OpenAI's legacy completions; usage and streams have the format of chat completions. */
  COMPLETIONS(ApiPath.COMPLETIONS, new ChatDialect()),
  /** OpenAI's embeddings; the usage has the format of chat completions. */
  EMBEDDINGS(ApiPath.EMBEDDINGS, new ChatDialect()),
  COUNT_TOKENS(ApiPath.COUNT_TOKENS, new MessagesDialect());

  private final ApiPath path;

  @SuppressWarnings("ImmutableEnumChecker") // dialects are stateless
  private final Dialect dialect;

  Endpoint(ApiPath path, Dialect dialect) {
    this.path = path;
    this.dialect = dialect;
  }

  /** Format of its requests and answers. */
  Dialect dialect() {
    return dialect;
  }

  /**
   * Path below a base URL that ends in the API's version, such as {@code
   * https://api.openai.com/v1}.
   */
  public String path() {
    return path.suffix();
  }

  /** Path at which clients of the gateway call it. */
  public String gatewayPath() {
    return path.path();
  }

  /** Whether its calls can be turns of a thread. */
  boolean hasMemory() {
    return this == CHAT || this == RESPONSES || this == MESSAGES;
  }

  /** Whether its calls may name several models in {@code models}, as OpenRouter's do. */
  boolean takesModels() {
    return this == CHAT || this == RESPONSES;
  }

  /** Name in config.yml. */
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
