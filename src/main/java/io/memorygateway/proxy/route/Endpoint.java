package io.memorygateway.proxy.route;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.memorygateway.format.Format;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.http.api.ApiPath;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An endpoint of a provider. */
public enum Endpoint {
  CHAT(ApiPath.CHAT, new ChatFormat()),
  RESPONSES(ApiPath.RESPONSES, new ResponsesFormat()),
  MESSAGES(ApiPath.MESSAGES, new MessagesFormat()),
  /** OpenAI's legacy completions. */
  COMPLETIONS(ApiPath.COMPLETIONS, ChatFormat.ofCompletions()),
  /** OpenAI's embeddings. */
  EMBEDDINGS(ApiPath.EMBEDDINGS, ChatFormat.ofEmbeddings()),
  COUNT_TOKENS(ApiPath.COUNT_TOKENS, new MessagesFormat()),
  INPUT_TOKENS(ApiPath.INPUT_TOKENS, new ResponsesFormat()),
  /** Responses by their ids, and what else stands below Responses. */
  RESPONSE_OBJECTS(ApiPath.COMPACT, new ResponsesFormat()),
  FILES(ApiPath.FILES, new ChatFormat()),
  BATCHES(ApiPath.BATCHES, new ChatFormat()),
  MESSAGE_BATCHES(ApiPath.MESSAGE_BATCHES, new MessagesFormat()),
  AUDIO(ApiPath.AUDIO, new ChatFormat()),
  IMAGES(ApiPath.IMAGES, new ChatFormat()),
  RERANK(ApiPath.RERANK, new ChatFormat()),
  MODERATIONS(ApiPath.MODERATIONS, new ChatFormat());

  /**
   * Those whose calls can be turns of a thread. The first that a provider serves is used where any
   * would do, and takes the place of one that it does not serve.
   */
  public static final List<Endpoint> CONVERSATIONS = List.of(CHAT, MESSAGES, RESPONSES);

  /** The beginnings of the paths that are passed on as they are. */
  private static final Map<String, Endpoint> PASSED =
      Map.of(
          "responses", RESPONSE_OBJECTS,
          "files", FILES,
          "uploads", FILES,
          "batches", BATCHES,
          "messages", MESSAGE_BATCHES,
          "audio", AUDIO,
          "images", IMAGES,
          "rerank", RERANK,
          "moderations", MODERATIONS);

  private final ApiPath path;

  @SuppressWarnings("ImmutableEnumChecker") // formats are stateless
  private final Format format;

  Endpoint(ApiPath path, Format format) {
    this.path = path;
    this.format = format;
  }

  public Format format() {
    return format;
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
  public boolean hasMemory() {
    return CONVERSATIONS.contains(this);
  }

  /** Whether its calls use tokens, which the gateway counts where the upstream does not. */
  public boolean usesTokens() {
    return hasMemory() || this == COMPLETIONS || this == EMBEDDINGS;
  }

  /** Whether models work for its calls, and the gateway cannot tell how much. */
  public boolean usesUncounted() {
    return isPassedThrough() && this != FILES && this != MODERATIONS;
  }

  /** The endpoint whose calls this one counts; null if it counts none. */
  public @Nullable Endpoint counted() {
    return this == COUNT_TOKENS ? MESSAGES : this == INPUT_TOKENS ? RESPONSES : null;
  }

  /** Whether its calls may name several models in {@code models}, as OpenRouter's do. */
  boolean takesModels() {
    return this == CHAT || this == RESPONSES;
  }

  /** Whether its calls are passed on as they are, whatever their method and path below its own. */
  public boolean isPassedThrough() {
    return PASSED.containsValue(this);
  }

  /** Whether its calls have the models of many calls in them. */
  public boolean isBatch() {
    return this == BATCHES || this == MESSAGE_BATCHES;
  }

  /** Its name in the scopes of keys (contract §15): whatever counts tokens has one. */
  public String scopeName() {
    return counted() == null ? configName() : COUNT_TOKENS.configName();
  }

  /**
   * The endpoint of a path that is passed on as it is; null if there is none.
   *
   * @param path below the version, without a leading slash
   */
  public static @Nullable Endpoint passedThrough(String path) {
    int slash = path.indexOf('/');
    return PASSED.get(slash < 0 ? path : path.substring(0, slash));
  }

  /** Its operation in the conventions for traces. */
  public String operation() {
    return hasMemory() ? "chat" : this == COMPLETIONS ? "text_completion" : configName();
  }

  @JsonValue
  public String configName() {
    return name().toLowerCase(Locale.ROOT);
  }

  @JsonCreator
  public static Endpoint ofConfigName(String name) {
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
