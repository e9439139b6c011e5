package io.memorygateway.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.format.answer.AnswerStream;
import io.memorygateway.sse.SseSplitter;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Feeds streams, written down as text, to what watches them. */
public final class Answers {
  private Answers() {}

  /** A stream that arrives in one piece and is closed properly. */
  public static AnswerStream watch(Format format, String stream) {
    return watch(format, stream, 1 << 20, Integer.MAX_VALUE);
  }

  public static AnswerStream watch(Format format, String stream, int maxHeld, int chunk) {
    AnswerStream answer = format.openStream();
    SseSplitter splitter = new SseSplitter(maxHeld);
    byte[] bytes = stream.getBytes(UTF_8);
    try {
      for (int at = 0; at < bytes.length; ) {
        int length = Math.min(chunk, bytes.length - at);
        splitter.feed(bytes, at, length, answer::accept);
        at += length;
      }
      splitter.finish(answer::accept);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return answer;
  }

  public static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  public static String text(byte[] utf8) {
    return new String(utf8, UTF_8);
  }
}
