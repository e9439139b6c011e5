package io.memorygateway.format.chat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.content.Shape;
import io.memorygateway.format.translation.AnswerEvent;
import io.memorygateway.format.translation.AnswerReader;
import io.memorygateway.format.translation.AnswerWriter;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.format.translation.Piece;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.testing.Runs;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contract §14: whatever comes, the caller gets a well-formed answer of Chat or its error. */
class ChatTranslationFuzzTest {
  private static final String HEAD =
      "\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":5,\"model\":\"m\",";
  private static final List<String> VALUES =
      List.of("null", "1", "-7", "true", "\"\"", "\"x\"", "[]", "{}", "[[{}]]", "1e99", "[1]");

  private final Random random = new Random(44);

  /** An answer of random pieces in random fragments, with what it says. */
  private final class Native {
    private final List<String> chunks = new ArrayList<>();
    private final StringBuilder content = new StringBuilder();
    private final StringBuilder reasoning = new StringBuilder();
    private final TreeMap<Integer, StringBuilder> calls = new TreeMap<>();

    Native() {
      delta("\"role\":\"assistant\",\"content\":\"\"");
      int steps = random.nextInt(30);
      for (int i = 0; i < steps; i++) {
        String words = "w" + i + (random.nextBoolean() ? "\\n" : " ü");
        switch (random.nextInt(4)) {
          case 0 -> {
            delta("\"content\":\"" + words + "\"");
            content.append(words.replace("\\n", "\n"));
          }
          case 1 -> {
            delta("\"reasoning_content\":\"" + words + "\"");
            reasoning.append(words.replace("\\n", "\n"));
          }
          default -> call(random.nextInt(1 + calls.size() + 1));
        }
      }
      calls.forEach(
          (index, arguments) -> {
            arguments.append("]}");
            delta(
                "\"tool_calls\":[{\"index\":%d,\"function\":{\"arguments\":\"]}\"}}]"
                    .formatted(index));
          });
      String reason = calls.isEmpty() ? "stop" : "tool_calls";
      chunks.add(
          "{%s\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"%s\"}]}"
              .formatted(HEAD, reason));
      chunks.add(
          "{%s\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}"
              .formatted(HEAD));
      chunks.add("[DONE]");
    }

    private void call(int index) {
      StringBuilder arguments = calls.get(index);
      if (arguments == null) {
        calls.put(index, new StringBuilder("{\"a\":[0"));
        delta(
            ("\"tool_calls\":[{\"index\":%d,\"id\":\"id%d\",\"type\":\"function\",\"function\":"
                    + "{\"name\":\"f%d\",\"arguments\":\"\"}}]")
                .formatted(index, index, index));
        delta(
            "\"tool_calls\":[{\"index\":%d,\"function\":{\"arguments\":%s}}]"
                .formatted(index, JsonWriter.quote("{\"a\":[0")));
      } else {
        arguments.append(",1");
        delta(
            "\"tool_calls\":[{\"index\":%d,\"function\":{\"arguments\":\",1\"}}]".formatted(index));
      }
    }

    private void delta(String members) {
      chunks.add(
          "{%s\"choices\":[{\"index\":0,\"delta\":{%s},\"finish_reason\":null}]}"
              .formatted(HEAD, members));
    }
  }

  @Test
  void aStreamSaysTheSameInChatAgain() {
    for (int i = 0; i < Runs.of(1_000); i++) {
      Native said = new Native();
      ChatStreamRules read = translated(said.chunks);
      assertThat(read.content).hasToString(said.content.toString());
      assertThat(read.reasoning).hasToString(said.reasoning.toString());
      TreeMap<String, String> calls = new TreeMap<>();
      read.calls.forEach(call -> calls.put(call.id + call.name, call.arguments.toString()));
      TreeMap<String, String> meant = new TreeMap<>();
      said.calls.forEach(
          (index, arguments) -> meant.put("id" + index + "f" + index, arguments.toString()));
      assertThat(calls).isEqualTo(meant);
      assertThat(read.finish).isEqualTo(calls.isEmpty() ? "stop" : "tool_calls");
      assertThat(read.usage.get("total_tokens").raw()).isEqualTo("7");
    }
  }

  @Test
  void aSpoiltStreamIsAWellFormedAnswerOrAnError() {
    int errors = 0;
    int streams = Runs.of(4_000);
    for (int i = 0; i < streams; i++) {
      List<String> chunks = new Native().chunks;
      for (int times = 1 + random.nextInt(3); times > 0; times--) {
        spoil(chunks);
      }
      errors += translated(chunks).error.isNull() ? 0 : 1;
    }
    assertThat(errors).isBetween(streams / 80, streams / 2);
  }

  private void spoil(List<String> chunks) {
    int at = chunks.isEmpty() ? 0 : random.nextInt(chunks.size());
    if (chunks.isEmpty()) {
      return;
    }
    switch (random.nextInt(7)) {
      case 0 -> chunks.remove(at);
      case 1 -> chunks.add(at, chunks.get(at));
      case 2 -> chunks.add(random.nextInt(chunks.size()), chunks.remove(at));
      case 3 -> chunks.subList(at, chunks.size()).clear();
      case 4 -> chunks.add(at, "{\"type\":\"ping\"}");
      default -> {
        JsonValue chunk = JsonValue.of(chunks.get(at));
        List<JsonValue> all = new ArrayList<>();
        collect(chunk, all);
        JsonValue place = all.get(random.nextInt(all.size()));
        byte[] raw = chunk.rawBytes();
        String value = VALUES.get(random.nextInt(VALUES.size()));
        chunks.set(
            at,
            new String(raw, 0, place.start(), UTF_8)
                + value
                + new String(raw, place.end(), raw.length - place.end(), UTF_8));
      }
    }
  }

  private static void collect(JsonValue value, List<JsonValue> all) {
    all.add(value);
    value.items().forEach(item -> collect(item, all));
    value.fields().forEach(field -> collect(field.value(), all));
  }

  private static ChatStreamRules translated(List<String> chunks) {
    AnswerEventRules rules = new AnswerEventRules();
    AnswerReader reader = new ChatTranslator().openReader("maker", new CallIds());
    AnswerWriter writer =
        new ChatTranslator().openWriter(ChatEventWriterTest.called("{'model':'m'}"));
    JsonWriter out = new JsonWriter(256);
    for (String chunk : chunks) {
      if (chunk.equals("[DONE]")) {
        reader.done(event -> give(event, rules, writer, out));
      } else {
        reader.read("", JsonValue.of(chunk), event -> give(event, rules, writer, out));
      }
    }
    reader.end(event -> give(event, rules, writer, out));
    rules.end();
    return ChatStreamRules.of(out.toString());
  }

  private static void give(
      AnswerEvent event, AnswerEventRules rules, AnswerWriter writer, JsonWriter out) {
    rules.accept(event);
    writer.write(event, out);
  }

  /** A writer makes a stream of its format of events in whatever order. */
  @Test
  void anyEventsMakeAWellFormedStream() {
    for (int i = 0; i < Runs.of(4_000); i++) {
      AnswerWriter writer =
          new ChatTranslator()
              .openWriter(
                  ChatEventWriterTest.called(
                      random.nextInt(5) == 0 ? "{'functions':[]}" : "{'model':'m'}"));
      JsonWriter out = new JsonWriter(256);
      for (int events = random.nextInt(15); events > 0; events--) {
        writer.write(event(), out);
      }
      writer.write(new AnswerEvent.End(), out);
      ChatStreamRules.of(out.toString());
    }
  }

  private AnswerEvent event() {
    int piece = random.nextInt(4);
    return switch (random.nextInt(16)) {
      case 0 -> new AnswerEvent.Start("i", "m", 1, Usage.NONE);
      case 1, 2 -> new AnswerEvent.Text(piece, random.nextBoolean() ? "" : "a\"\n");
      case 3 -> new AnswerEvent.Refusal(piece, "no");
      case 4, 5 -> new AnswerEvent.Thought(piece, "hm");
      case 6 -> new AnswerEvent.Sealed(piece, new Seal("m", Shape.CHAT, "{}"));
      case 7 -> new AnswerEvent.Cited(piece, new Piece.Citation("u", null, null, 0, 9));
      case 8, 9 -> new AnswerEvent.Call(piece, "c" + random.nextInt(1_000_000_000), "f");
      case 10, 11 -> new AnswerEvent.Arguments(piece, "{}");
      case 12, 13 -> new AnswerEvent.Close(piece);
      case 14 ->
          random.nextInt(4) == 0
              ? new AnswerEvent.Finish(
                  List.of(Stop.values()).get(random.nextInt(Stop.values().length)),
                  null,
                  Usage.NONE)
              : new AnswerEvent.Close(piece);
      default ->
          random.nextInt(4) == 0
              ? new AnswerEvent.Fail(Fault.broken("broken"))
              : new AnswerEvent.Text(piece, "b");
    };
  }

  /** What is done for a piece of an answer does not grow with the pieces before it. */
  @Tag("heavy")
  @Test
  void aHundredInterleavedCallsInFiftyThousandPiecesAreWhole() {
    List<String> chunks = new ArrayList<>();
    for (int i = 0; i < 50_000; i++) {
      int index = i % 100;
      String named = i < 100 ? "\"id\":\"id%d\",\"type\":\"function\",".formatted(index) : "";
      String name = i < 100 ? "\"name\":\"f\"," : "";
      String arguments = i < 100 ? "{\\\"a\\\":[0" : i < 49_900 ? ",1" : "]}";
      chunks.add(
          "{%s\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":%d,%s\"function\":{%s\"arguments\":\"%s\"}}]}}]}"
              .formatted(HEAD, index, named, name, arguments));
    }
    chunks.add("{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}");
    ChatStreamRules read = translated(chunks);
    assertThat(read.calls).hasSize(100);
    assertThat(read.calls)
        .allSatisfy(
            call -> assertThat(JsonValue.of(call.arguments.toString()).isObject()).isTrue());
    assertThat(read.finish).isEqualTo("tool_calls");
  }
}
