package io.memorygateway.format;

import io.memorygateway.json.JsonValue;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What a strict provider refuses of a request: one of a server of one's own, which takes back all
 * reasoning that it sent.
 */
public final class StrictProvider {
  private static final Set<String> REASONING =
      RequestChecker.names("reasoning reasoning_content reasoning_details extra_content thinking");

  private StrictProvider() {}

  /**
   * The faults of a body; empty if the provider takes it, or if it is no call of a conversation: a
   * body without messages stands for any where something else is tried.
   *
   * @param path of the request
   */
  public static List<String> faults(String path, String body) {
    RequestChecker checker =
        path.endsWith("/chat/completions")
            ? new ChatRequestChecker(REASONING)
            : path.endsWith("/messages")
                ? new MessagesRequestChecker(REASONING)
                : path.endsWith("/responses")
                    ? new ResponsesRequestChecker(Map.of(), Set.of())
                    : null;
    return checker == null || !hasMessages(body) ? List.of() : checker.faults(body);
  }

  private static boolean hasMessages(String body) {
    JsonValue root = JsonValue.isValid(body) ? JsonValue.of(body) : JsonValue.of("{}");
    return Stream.of("messages", "input")
        .map(root::get)
        .anyMatch(list -> list != null && list.isArray() && !list.items().isEmpty());
  }
}
