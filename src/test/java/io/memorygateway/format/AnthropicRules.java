package io.memorygateway.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.JsonValue;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** What Anthropic's endpoint refuses, as a check over the messages of a request. */
public final class AnthropicRules {
  private AnthropicRules() {}

  /** A thread in which calls and results of few ids stand anywhere, in two spellings. */
  public static StoredMessage[] thread(int seed) {
    Random random = new Random(seed);
    StoredMessage[] thread = new StoredMessage[random.nextInt(15)];
    for (int i = 0; i < thread.length; i++) {
      String id = "c" + random.nextInt(3);
      thread[i] =
          switch (random.nextInt(8)) {
            case 0 -> Talk.user("u");
            case 1 -> Talk.answer(" ");
            case 2 -> Talk.answer("a");
            case 3, 4 -> Talk.call(id);
            case 5 -> Talk.result(id, "x");
            case 6 ->
                StoredMessage.of(
                    "user",
                    "[{\"type\":\"text\",\"text\":\"t\"},"
                        + "{\"type\":\"tool_result\",\"tool_use_id\":\""
                        + id
                        + "\"}]");
            default ->
                StoredMessage.of(
                    "assistant",
                    "[{\"type\":\"tool_use\",\"id\":\"c0\",\"name\":\"f\",\"input\":{}},"
                        + "{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"f\",\"input\":{}}]");
          };
    }
    return thread;
  }

  /**
   * Checks what goes up.
   *
   * @param rendered messages with single quotes, a comma behind each; or a whole body
   */
  public static void check(String rendered) {
    String json = rendered.replace('\'', '"');
    JsonValue body = JsonValue.of(json);
    JsonValue messages =
        body.isObject() && body.get("messages") != null
            ? body.get("messages")
            : JsonValue.of("[" + json + "{\"role\":\"user\",\"content\":\"next\"}]");
    Set<String> ids = new HashSet<>();
    Set<String> open = Set.of();
    String before = "assistant";
    for (JsonValue message : messages.items()) {
      assertThat(message.text("role")).isNotEqualTo(before);
      before = message.text("role");
      Set<String> asked = new HashSet<>();
      Set<String> answered = new HashSet<>();
      boolean otherSeen = false;
      JsonValue content = message.get("content");
      List<JsonValue> blocks = content.items();
      assertThat(content.isString() ? content.text() : "x").isNotBlank();
      assertThat(content.isArray() && blocks.isEmpty()).isFalse();
      for (JsonValue block : blocks) {
        switch (block.text("type")) {
          case "tool_use" -> {
            assertThat(ids.add(block.text("id"))).as("used once").isTrue();
            asked.add(block.text("id"));
          }
          case "tool_result" -> {
            assertThat(otherSeen).as("results come first").isFalse();
            assertThat(answered.add(block.text("tool_use_id"))).isTrue();
          }
          default -> {
            otherSeen = true;
            assertThat(block.text("text")).isNotBlank();
          }
        }
      }
      assertThat(answered).as("all of the message before: %s", rendered).isEqualTo(open);
      open = asked;
    }
    assertThat(open).isEmpty();
  }
}
