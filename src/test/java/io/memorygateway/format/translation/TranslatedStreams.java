package io.memorygateway.format.translation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Format;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.chat.ChatStreamRules;
import io.memorygateway.format.fourth.FourthFormat;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.messages.MessagesStreamRules;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.format.responses.ResponsesStreamRules;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.sse.EventSplitter;
import io.memorygateway.sse.SseSplitter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Streams of targets, their translation, and what they say. */
final class TranslatedStreams {
  private TranslatedStreams() {}

  static Translation open(Translator called, Translator target) throws Exception {
    return TranslationPairsTest.translation(called, target, body(called), "m");
  }

  static String body(Translator format) {
    return "{\"model\":\"m\",\"max_tokens\":9,\"%s\":[{\"role\":\"user\",\"content\":\"x\"}]}"
        .formatted(format.inputMember());
  }

  /** A stream as a target sends it. */
  static byte[] sent(Translator target, List<AnswerEvent> events) {
    AnswerWriter writer =
        target.openWriter(
            new Called(
                JsonValue.of(body(target)),
                new Names(List.of()),
                "m",
                null,
                "maker",
                () -> 7,
                String::length));
    JsonWriter out = new JsonWriter(1024);
    events.forEach(event -> writer.write(event, out));
    return out.toString().getBytes(UTF_8);
  }

  static byte[] translated(Translation translation, byte[] stream, int most, Random random)
      throws IOException {
    List<RuntimeException> defects = new ArrayList<>();
    StreamTranslation to = translation.openStream(defects::add, bytes -> true);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    EventSplitter.Sink sink =
        event -> {
          assertThat(event.startsEvent() && event.endsEvent()).isTrue();
          out.write(event.array(), event.offset(), event.length());
        };
    for (int at = 0; at < stream.length; ) {
      int length = Math.min(stream.length - at, random == null ? most : 1 + random.nextInt(most));
      to.feed(stream, at, length, sink);
      at += length;
    }
    to.finish(sink);
    if (!defects.isEmpty()) {
      throw defects.get(0);
    }
    return out.toByteArray();
  }

  /** A whole answer of the target as the caller's whole one. */
  static byte[] answered(Translation translation, byte[] json) throws IOException {
    return translation.answer(translation.read(json));
  }

  /** The same as the stream that the caller asked for. */
  static byte[] told(Translation translation, byte[] json) throws IOException {
    List<RuntimeException> defects = new ArrayList<>();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    translation
        .openStream(translation.read(json), defects::add, bytes -> true)
        .finish(event -> out.write(event.array(), event.offset(), event.length()));
    assertThat(defects).isEmpty();
    return out.toByteArray();
  }

  /** A stream of the target, gathered. */
  static Gathered gathered(Translation translation, byte[] stream) throws IOException {
    List<RuntimeException> defects = new ArrayList<>();
    Gathered whole = new Gathered();
    StreamTranslation to = translation.openWhole(whole, defects::add, bytes -> true);
    to.feed(stream, 0, stream.length, event -> {});
    to.finish(event -> {});
    assertThat(defects).isEmpty();
    return whole;
  }

  /** Holds a stream to the order of its format; returns whether it ended with an error. */
  static boolean check(Translator format, byte[] stream) {
    // Comments may stand between any events.
    String text = new String(stream, UTF_8).replaceAll("(?m)^:.*\n\n", "");
    switch (format.shape()) {
      case CHAT -> ChatStreamRules.of(text);
      case MESSAGES -> MessagesStreamRules.check(text);
      case FOREIGN -> assertThat(text).startsWith("data: {\"kind\":\"start\"").endsWith("}\n\n");
      default -> {
        ResponsesStreamRules rules = new ResponsesStreamRules();
        rules.takeAll(text);
        rules.end();
      }
    }
    return text.contains("\"error\":{");
  }

  /** Messages also tells the words of a refusal apart from its text. */
  static String once(StringBuilder words, Stop stop) {
    String all = words.toString();
    // What is the same text twice by itself is told four times.
    while (stop == Stop.REFUSAL && !all.isEmpty() && isTwice(all)) {
      all = all.substring(0, all.length() / 2);
    }
    return all;
  }

  private static boolean isTwice(String text) {
    int half = text.length() / 2;
    return text.substring(0, half).equals(text.substring(half));
  }

  /** What an answer says, however it is cut. */
  record Read(String words, String thoughts, Map<String, String> calls, Stop stop, Usage usage) {
    static Read of(List<AnswerEvent> events) {
      StringBuilder words = new StringBuilder();
      StringBuilder thoughts = new StringBuilder();
      Map<Integer, String> names = new TreeMap<>();
      Map<Integer, StringBuilder> arguments = new TreeMap<>();
      Stop stop = null;
      Usage usage = null;
      for (AnswerEvent event : events) {
        if (event instanceof AnswerEvent.Text text) {
          words.append(text.delta());
        } else if (event instanceof AnswerEvent.Refusal text) {
          words.append(text.delta());
        } else if (event instanceof AnswerEvent.Thought text) {
          thoughts.append(text.delta());
        } else if (event instanceof AnswerEvent.Call call) {
          names.put(call.piece(), call.id() + " " + call.name());
          arguments.put(call.piece(), new StringBuilder());
        } else if (event instanceof AnswerEvent.Arguments more) {
          arguments.get(more.piece()).append(more.delta());
        } else if (event instanceof AnswerEvent.Finish finish) {
          stop = finish.stop();
          usage = finish.usage();
        }
      }
      Map<String, String> calls = new LinkedHashMap<>();
      names.forEach((piece, name) -> calls.put(name, object(arguments.get(piece).toString())));
      return new Read(once(words, stop), thoughts.toString(), calls, stop, known(usage));
    }

    static Read of(Answer answer) {
      StringBuilder words = new StringBuilder();
      StringBuilder thoughts = new StringBuilder();
      Map<String, String> calls = new LinkedHashMap<>();
      for (Piece piece : answer.pieces()) {
        if (piece instanceof Piece.Text text) {
          words.append(text.text());
        } else if (piece instanceof Piece.Refusal refusal) {
          words.append(refusal.text());
        } else if (piece instanceof Piece.Thought thought) {
          thoughts.append(thought.text());
        } else if (piece instanceof Piece.Call call) {
          calls.put(call.id() + " " + call.name(), object(call.arguments()));
        }
      }
      return new Read(
          once(words, answer.stop()),
          thoughts.toString(),
          calls,
          answer.stop(),
          known(answer.usage()));
    }

    static String object(String arguments) {
      return arguments.isEmpty() ? "{}" : arguments;
    }

    private static Usage known(Usage usage) {
      return usage == null
          ? null
          : TestUsage.of(
              usage.input(),
              Math.max(0, usage.cached()),
              0,
              usage.output(),
              Math.max(0, usage.reasoning()));
    }
  }

  static Read read(Translator format, byte[] stream) throws IOException {
    List<AnswerEvent> events = new ArrayList<>();
    AnswerReader reader = format.openReader("maker", new CallIds());
    SseSplitter splitter = new SseSplitter(1 << 25);
    splitter.feed(
        stream,
        0,
        stream.length,
        event -> {
          if (event.dataStart() < event.dataEnd()) {
            String data = new String(event.data(), UTF_8);
            String name = event.name();
            if (data.equals("[DONE]")) {
              reader.done(events::add);
            } else {
              reader.read(name == null ? "" : name, JsonValue.of(data), events::add);
            }
          }
        });
    reader.end(events::add);
    return Read.of(events);
  }

  static Format format(Translator translator) {
    return switch (translator.shape()) {
      case CHAT -> new ChatFormat();
      case MESSAGES -> new MessagesFormat();
      case FOREIGN -> new FourthFormat();
      default -> new ResponsesFormat();
    };
  }
}
