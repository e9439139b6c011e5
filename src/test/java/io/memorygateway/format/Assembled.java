package io.memorygateway.format;

import static io.memorygateway.format.Answers.bytes;
import static io.memorygateway.format.Calls.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.answer.AnswerAssembler;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.sse.SseSplitter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** Streams of the three endpoints in single quotes, and what assemblers make of them. */
public final class Assembled {
  public static final int ENOUGH = 1 << 20;

  private Assembled() {}

  public static String delta(String members) {
    return "data: {'choices':[{'index':0,'delta':{" + members + "},'finish_reason':null}]}\n\n";
  }

  public static String event(String type, String members) {
    return "event: " + type + "\ndata: {'type':'" + type + "'," + members + "}\n\n";
  }

  public static String start(int index, String block) {
    return event("content_block_start", "'index':" + index + ",'content_block':{" + block + "}");
  }

  public static String blockDelta(int index, String delta) {
    return event("content_block_delta", "'index':" + index + ",'delta':{" + delta + "}");
  }

  public static List<String> answer(Format format, String json) {
    return lines(format.answer(bytes(json(json))));
  }

  /** However the stream is cut, and also where events are too large to be held back whole. */
  public static List<String> contents(Format format, String stream) {
    List<String> contents = lines(feed(format, stream, 1 << 20, ENOUGH).messages());
    for (int held : new int[] {1, 7, 40, 200}) {
      assertThat(lines(feed(format, stream, held, ENOUGH).messages())).isEqualTo(contents);
    }
    return contents;
  }

  static List<String> lines(List<StoredMessage> messages) {
    return messages.stream()
        .map(message -> message.role() + " " + message.type() + " " + message.content())
        .map(line -> line.replace('"', '\''))
        .toList();
  }

  public static AnswerAssembler feed(Format format, String stream, int maxHeld, int maxBytes) {
    return feedAsIs(format, json(stream), maxHeld, maxBytes);
  }

  public static AnswerAssembler feedAsIs(Format format, String stream, int maxHeld, int maxBytes) {
    AnswerAssembler assembler = format.openAssembler(maxBytes, bytes -> true, true);
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
