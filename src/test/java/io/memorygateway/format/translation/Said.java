package io.memorygateway.format.translation;

import static io.memorygateway.format.translation.TranslatedStreams.format;

import io.memorygateway.format.answer.AnswerAssembler;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.JsonValue;
import io.memorygateway.sse.SseSplitter;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What an answer says, in memory or to a caller. */
record Said(String words, String thoughts, Map<String, String> calls) {
  private static final List<String> THOUGHTS =
      List.of("reasoning_content", "reasoning", "thinking");

  static Said of(TranslatedStreams.Read read) {
    return new Said(read.words(), read.thoughts(), read.calls());
  }

  /** What memory stores of a stream. */
  static Said of(Translator target, byte[] stream) throws IOException {
    AnswerAssembler assembler = format(target).openAssembler(1 << 24, bytes -> true, true);
    SseSplitter splitter = new SseSplitter(64);
    splitter.feed(stream, 0, stream.length, assembler::accept);
    return of(assembler.messages());
  }

  static Said of(List<StoredMessage> messages) {
    StringBuilder words = new StringBuilder();
    StringBuilder thoughts = new StringBuilder();
    Map<String, String> calls = new LinkedHashMap<>();
    for (StoredMessage message : messages) {
      JsonValue content = JsonValue.of(message.content());
      THOUGHTS.forEach(name -> thoughts.append(content.text(name)));
      for (Part part : message.utterance().parts()) {
        if (part instanceof Part.Text text) {
          words.append(text.text());
        } else if (part instanceof Part.ToolCall call) {
          calls.put(call.id() + " " + call.name(), call.arguments());
        } else if (part instanceof Part.Reasoning thought) {
          thoughts.append(thought(thought.source()));
        } else if (part instanceof Part.Other other) {
          words.append(other.text());
        }
      }
    }
    return new Said(words.toString(), thoughts.toString(), calls);
  }

  private static String thought(JsonValue source) {
    StringBuilder text = new StringBuilder(source.text("thinking"));
    for (String list : List.of("summary", "content")) {
      JsonValue parts = source.get(list);
      if (parts != null) {
        parts.items().forEach(part -> text.append(part.text("text")));
      }
    }
    return text.toString();
  }
}
