package io.memorygateway.format.chat;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A strict reader of a streamed answer of Chat Completions: it fails at the first event that the
 * format does not allow at its place, and puts the message together as SDKs do.
 */
public final class ChatStreamRules {
  private static final Set<String> CHUNK =
      Set.of(
          "id",
          "object",
          "created",
          "model",
          "choices",
          "usage",
          "service_tier",
          "system_fingerprint",
          "obfuscation");
  private static final Set<String> DELTA =
      Set.of(
          "role",
          "content",
          "refusal",
          "reasoning_content",
          "reasoning_details",
          "annotations",
          "tool_calls",
          "function_call");
  private static final Set<String> CHOICE = Set.of("index", "delta", "logprobs", "finish_reason");
  private static final Set<String> REASONS =
      Set.of("stop", "length", "tool_calls", "content_filter", "function_call");

  /** A call as far as it has come. */
  static final class Call {
    final String id;
    final String name;
    final StringBuilder arguments = new StringBuilder();

    Call(String id, String name) {
      this.id = id;
      this.name = name;
    }
  }

  final StringBuilder content = new StringBuilder();
  final StringBuilder refusal = new StringBuilder();
  final StringBuilder reasoning = new StringBuilder();
  final List<JsonValue> details = new ArrayList<>();
  final List<JsonValue> annotations = new ArrayList<>();
  final List<Call> calls = new ArrayList<>();
  final StringBuilder function = new StringBuilder();
  String finish = "";
  JsonValue usage = JsonValue.of("null");
  JsonValue error = JsonValue.of("null");

  private final boolean withUsage;
  private String head = "";
  private boolean done;

  /**
   * A reader of one stream.
   *
   * @param withUsage whether the usage has to be told, as it was asked for
   */
  public ChatStreamRules(boolean withUsage) {
    this.withUsage = withUsage;
  }

  /** Reads a whole stream. */
  public static ChatStreamRules of(String stream) {
    ChatStreamRules rules = new ChatStreamRules(true);
    assertThat(stream.isEmpty() || stream.endsWith("\n\n")).isTrue();
    for (String event : Splitter.on("\n\n").omitEmptyStrings().split(stream)) {
      assertThat(event).startsWith("data: ").doesNotContain("\n");
      rules.event("", event.substring("data: ".length()));
    }
    rules.end();
    return rules;
  }

  public void event(String name, String data) {
    assertThat(name).as("the name of an event").isEmpty();
    assertThat(done || error.isObject()).as("an event behind the end: " + data).isFalse();
    if (data.equals("[DONE]")) {
      assertThat(finish).as("the reason before [DONE]").isNotEmpty();
      assertThat(usage.isObject() || !withUsage).as("usage before [DONE]").isTrue();
      done = true;
      return;
    }
    JsonValue chunk = JsonValue.of(data);
    assertThat(chunk.isObject()).as(data).isTrue();
    if (chunk.member("error") != null) {
      error = chunk.members().get("error");
      assertThat(error.text("message")).isNotEmpty();
      assertThat(error.text("type")).isNotEmpty();
      return;
    }
    chunk(chunk);
  }

  private void chunk(JsonValue chunk) {
    assertThat(CHUNK).containsAll(chunk.members().keySet());
    assertThat(chunk.fields()).hasSameSizeAs(chunk.members().keySet());
    assertThat(chunk.text("object")).isEqualTo("chat.completion.chunk");
    assertThat(chunk.text("id")).isNotEmpty();
    assertThat(chunk.string("model")).isNotNull();
    String created = chunk.members().get("created").raw();
    assertThat(created).matches("[1-9][0-9]*");
    String named = chunk.text("id") + " " + chunk.text("model") + " " + created;
    boolean first = head.isEmpty();
    head = first ? named : head;
    assertThat(named).as("the head of a chunk").isEqualTo(head);
    JsonValue reported = chunk.get("usage");
    List<JsonValue> choices = chunk.members().get("choices").items();
    assertThat(chunk.members().get("choices").isArray()).isTrue();
    if (choices.isEmpty()) {
      assertThat(reported).as("usage of a chunk without choices").isNotNull();
    }
    if (reported != null) {
      assertThat(choices).isEmpty();
      assertThat(finish).as("the reason before usage").isNotEmpty();
      assertThat(usage.isNull()).as("a second usage").isTrue();
      usage = reported;
      assertThat(number("prompt_tokens") + number("completion_tokens"))
          .isEqualTo(number("total_tokens"));
    }
    assertThat(choices.size()).isLessThanOrEqualTo(1);
    choices.forEach(choice -> choice(choice, first));
  }

  private long number(String name) {
    String raw = usage.members().get(name).raw();
    assertThat(raw).matches("[0-9]+");
    return Long.parseLong(raw);
  }

  private void choice(JsonValue choice, boolean first) {
    assertThat(choice.members().keySet()).contains("index", "delta");
    assertThat(CHOICE).containsAll(choice.members().keySet());
    assertThat(choice.index("index")).isZero();
    assertThat(finish).as("a choice behind its finish").isEmpty();
    JsonValue delta = choice.members().get("delta");
    assertThat(delta.isObject()).isTrue();
    assertThat(DELTA).containsAll(delta.members().keySet());
    assertThat(delta.text("role")).isEqualTo(first ? "assistant" : "");
    text(delta, "content", content);
    text(delta, "refusal", refusal);
    text(delta, "reasoning_content", reasoning);
    list(delta, "reasoning_details", details);
    list(delta, "annotations", annotations);
    if (delta.member("tool_calls") != null) {
      delta.members().get("tool_calls").items().forEach(this::call);
    }
    JsonValue called = delta.member("function_call");
    if (called != null) {
      assertThat(function.isEmpty()).isEqualTo(called.string("name") != null);
      function.append(called.string("name") == null ? "" : called.text("name") + " ");
      function.append(called.text("arguments"));
    }
    JsonValue reason = choice.get("finish_reason");
    if (reason != null) {
      assertThat(REASONS).contains(reason.text());
      finish = reason.text();
      // The limit may cut a call before its arguments.
      assertThat(calls)
          .allSatisfy(
              call -> assertThat(call.arguments.isEmpty()).isIn(false, finish.equals("length")));
      boolean called2 = finish.equals("tool_calls") || finish.equals("function_call");
      assertThat(called2 && calls.isEmpty() && function.isEmpty()).isFalse();
    }
  }

  private static void text(JsonValue delta, String name, StringBuilder all) {
    JsonValue text = delta.get(name);
    if (text != null) {
      assertThat(text.isString()).as(name).isTrue();
      all.append(text.text());
    }
  }

  private static void list(JsonValue delta, String name, List<JsonValue> all) {
    JsonValue list = delta.member(name);
    if (list != null) {
      assertThat(list.isArray()).as(name).isTrue();
      for (JsonValue item : list.items()) {
        assertThat(item.index("index")).isEqualTo(all.size());
        all.add(item);
      }
    }
  }

  private void call(JsonValue call) {
    int index = call.index("index");
    JsonValue of = call.members().get("function");
    assertThat(of.isObject()).isTrue();
    assertThat(of.string("arguments")).isNotNull();
    if (index == calls.size()) {
      assertThat(call.text("id")).isNotEmpty();
      assertThat(call.text("type")).isEqualTo("function");
      assertThat(of.text("name")).isNotEmpty();
      Set<String> ids = new HashSet<>();
      calls.forEach(other -> ids.add(other.id));
      assertThat(ids).doesNotContain(call.text("id"));
      calls.add(new Call(call.text("id"), of.text("name")));
    } else {
      assertThat(index).isBetween(0, calls.size() - 1);
      assertThat(call.members().keySet()).containsExactlyInAnyOrder("index", "function");
      assertThat(of.members().keySet()).containsExactly("arguments");
    }
    calls.get(index).arguments.append(of.text("arguments"));
  }

  public void end() {
    assertThat(done || error.isObject()).as("a stream without an end").isTrue();
  }
}
