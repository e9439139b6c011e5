package io.memorygateway.testing;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * One HTTP answer as it came over the wire.
 *
 * @param headers whole lines
 */
public record RawAnswer(int status, List<String> headers, String body) {

  public static RawAnswer parse(String text) {
    int end = text.indexOf("\r\n\r\n");
    if (!text.startsWith("HTTP/1.") || end < 0) {
      throw new AssertionError("not an answer: " + text);
    }
    List<String> lines = Arrays.asList(text.substring(0, end).split("\r\n", -1));
    return new RawAnswer(
        Integer.parseInt(lines.get(0).substring(9, 12)),
        lines.subList(1, lines.size()),
        text.substring(end + 4));
  }

  /** The value of a header that stands there once; null if it is absent. */
  public String header(String name) {
    String start = name.toLowerCase(Locale.ROOT) + ":";
    List<String> found =
        headers.stream().filter(line -> line.toLowerCase(Locale.ROOT).startsWith(start)).toList();
    if (found.size() > 1) {
      throw new AssertionError("more than once: " + found);
    }
    return found.isEmpty() ? null : found.get(0).substring(start.length()).strip();
  }
}
