package io.memorygateway.dialect;

import static io.memorygateway.dialect.Answers.bytes;
import static io.memorygateway.dialect.Calls.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.sse.SseSplitter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** Streams of the three endpoints in single quotes, and what assemblers make of them. */
final class Assembled {
  static final int ENOUGH = 1 << 20;

  private Assembled() {}

  static String delta(String members) {
    return "data: {'choices':[{'index':0,'delta':{" + members + "},'finish_reason':null}]}\n\n";
  }

  static String event(String type, String members) {
    return "event: " + type + "\ndata: {'type':'" + type + "'," + members + "}\n\n";
  }

  static String start(int index, String block) {
    return event("content_block_start", "'index':" + index + ",'content_block':{" + block + "}");
  }

  static String blockDelta(int index, String delta) {
    return event("content_block_delta", "'index':" + index + ",'delta':{" + delta + "}");
  }

  static List<String> answer(Dialect dialect, String json) {
    return lines(dialect.answer(bytes(json(json))));
  }

  /** However the stream is cut, and also where events are too large to be held back whole. */
  static List<String> contents(Dialect dialect, String stream) {
    List<String> contents = lines(feed(dialect, stream, 1 << 20, ENOUGH).messages(false));
    for (int held : new int[] {1, 7, 40, 200}) {
      assertThat(lines(feed(dialect, stream, held, ENOUGH).messages(false))).isEqualTo(contents);
    }
    return contents;
  }

  static List<String> lines(List<StoredMessage> messages) {
    return messages.stream()
        .map(message -> message.role() + " " + message.type() + " " + message.content())
        .map(line -> line.replace('"', '\''))
        .toList();
  }

  static AnswerAssembler feed(Dialect dialect, String stream, int maxHeld, int maxBytes) {
    return feedAsIs(dialect, json(stream), maxHeld, maxBytes);
  }

  static AnswerAssembler feedAsIs(Dialect dialect, String stream, int maxHeld, int maxBytes) {
    AnswerAssembler assembler = dialect.openAssembler(maxBytes, bytes -> true);
    SseSplitter splitter = new SseSplitter(maxHeld);
    byte[] bytes = bytes(stream);
    try {
      for (int at = 0; at < bytes.length; at += 13) {
        splitter.feed(bytes, at, Math.min(13, bytes.length - at), assembler::accept);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return assembler;
  }
}
